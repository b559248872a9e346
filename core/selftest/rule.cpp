// SPDX-License-Identifier: GPL-3.0-or-later
// The rule of what is caught, what is flagged, and what a known ratio must come out as.
#include "core/selftest/rule.h"

#include "core/protocol/codes.h"
#include "core/selftest/workkinds.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace cudal1::selftest {

namespace {

using protocol::Verdict;

/// Labels about the machine, the task and measuring say nothing about a program.
bool saysNothingOfAProgram(const std::string& label)
{
    const protocol::Code* code = protocol::findCode(label);
    return code && code->about != protocol::About::Program;
}

std::string word(Verdict verdict)
{
    return std::string(protocol::toString(verdict));
}

std::string number(double value)
{
    char out[32];
    std::snprintf(out, sizeof out, "%.3f", value);
    return out;
}

Finding noVerdict(const Judgement& answer)
{
    return {Grade::Bad, "no verdict: " + answer.error.message};
}

bool isOneOf(const std::vector<std::string>& words, const std::string& wanted)
{
    return std::find(words.begin(), words.end(), wanted) != words.end();
}

} // namespace

bool machineWasBusy(const Judgement& answer)
{
    const auto saysSo = [](const protocol::Reason& label) {
        const protocol::Code* code = protocol::findCode(label.code);
        return code && code->about == protocol::About::Machine;
    };
    return answer.evaluation && std::any_of(answer.evaluation->labels.begin(), answer.evaluation->labels.end(), saysSo);
}

Finding caught(const PlantedProgram& program, const Judgement& answer, const Judgement* honest)
{
    if (!answer.evaluation)
        return noVerdict(answer);
    const protocol::Evaluation& evaluation = *answer.evaluation;
    const std::string verdict = word(evaluation.verdict);
    if (evaluation.verdict == Verdict::Incorrect || evaluation.verdict == Verdict::Exploit ||
        isOneOf(program.ends, verdict))
        return {Grade::Good, "rejected"};
    if (evaluation.verdict != Verdict::Correct)
        return {Grade::Bad, "broken: " + verdict + ", which says nothing about the judge"};
    if (program.expect == "reject")
        return {Grade::Bad, "accepted"};
    constexpr std::string_view label = "label:";
    if (program.expect.starts_with(label)) {
        const std::string wanted = program.expect.substr(label.size());
        for (const protocol::Reason& given : evaluation.labels)
            if (given.code.find(wanted) != std::string::npos)
                return {Grade::Good, "labelled"};
    }
    const base::Interval wall = answer.wall();
    if (!wall.valid())
        return {Grade::Good, "not measured"};
    double bound = referenceBound;
    if (honest) {
        if (!honest->accepted() || !honest->wall().valid())
            return {Grade::Bad, "its honest form was not measured"};
        bound = std::max(bound, honest->wall().high);
    }
    if (wall.low <= bound)
        return {Grade::Good, "no gain"};
    return {Grade::Bad, "faster: low end " + number(wall.low) + " above " + number(bound), true};
}

Finding flagged(const PlantedProgram& program, const Judgement& answer)
{
    if (!answer.evaluation)
        return noVerdict(answer);
    if (!answer.accepted())
        return {Grade::Bad, word(answer.evaluation->verdict)};
    std::string odd;
    for (const protocol::Reason& label : answer.evaluation->labels) {
        const bool expected = std::any_of(program.labels.begin(), program.labels.end(), [&](const std::string& part) {
            return label.code.find(part) != std::string::npos;
        });
        if (!expected && !saysNothingOfAProgram(label.code))
            odd += (odd.empty() ? "labelled " : ", ") + label.code;
    }
    if (odd.empty())
        return {Grade::Good, "accepted"};
    return {Grade::Bad, odd};
}

Finding canary(const PlantedProgram& program, const Judgement& answer)
{
    if (!answer.evaluation)
        return noVerdict(answer);
    const std::string verdict = word(answer.evaluation->verdict);
    if (program.expect == "incorrect")
        return {answer.evaluation->verdict == Verdict::Incorrect ? Grade::Good : Grade::Bad, verdict};
    if (!answer.accepted())
        return {Grade::Bad, verdict + ", though it computes the right result"};
    if (!answer.wall().valid())
        return {Grade::Bad, "not timed"};
    const base::Comparison seen = base::compare(answer.wall());
    const std::string found(protocol::toString(seen));
    const bool tooWide = seen == base::Comparison::Unclear && answer.wall().relativeHalfWidth() > mostHalfWidth;
    return {found == program.expect ? Grade::Good : tooWide ? Grade::Off : Grade::Bad, found};
}

Finding knownRatio(int percent, const Judgement& answer)
{
    if (!answer.evaluation)
        return noVerdict(answer);
    if (!answer.accepted())
        return {Grade::Bad, word(answer.evaluation->verdict) + ", though both sides compute the same"};
    const base::Interval wall = answer.wall();
    if (!wall.valid())
        return {Grade::Bad, "not timed"};
    const double truth = ratioOfSlower(percent), slack = percent > 0 ? truthSlack : 0;
    const std::string aside = "the interval is beside " + number(truth);
    if (wall.low > truth * referenceBound || wall.high < truth / referenceBound)
        return {Grade::Bad, aside + " by more than 5 %"};
    if (wall.low > truth * (1 + slack) || wall.high < truth * (1 - slack))
        return {Grade::Off, aside};
    if (wall.relativeHalfWidth() > mostHalfWidth)
        return {Grade::Off, "the interval is too wide to tell"};
    return {Grade::Good, "the interval holds " + number(truth)};
}

} // namespace cudal1::selftest
