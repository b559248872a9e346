// SPDX-License-Identifier: GPL-3.0-or-later
// What the paper's protocol made of a candidate.
#include "app/cli/papertext.h"

#include "app/cli/rows.h"
#include "core/base/timetext.h"
#include "core/optimize/outcometext.h"

#include <algorithm>

namespace cudal1::cli {

using protocol::PaperClock;
using protocol::PaperResult;
using protocol::PaperRule;
using RuleState = protocol::PaperRuleState::State;

namespace {

const char* const margin = "           ";

bool applied(const PaperResult& result, PaperRule rule)
{
    return std::any_of(result.rules.begin(), result.rules.end(),
                       [&](const auto& entry) { return entry.rule == rule && entry.state == RuleState::Applied; });
}

std::string clockText(const PaperResult& result, const PaperClock& clock, const char* name)
{
    // All the digits that the rule of rounding leaves: 1.11 is not 1.1.
    std::string out = formatted("%.2f", clock.reported) + "× by " + name;
    if (applied(result, PaperRule::Rounding))
        out += " (" + formatted("%.4f", clock.measured) + " before rounding)";
    return out;
}

std::string bucketsText(const PaperClock& clock)
{
    return std::to_string(clock.bucketMeans.size()) + " buckets, variance " + formatted("%.2g", clock.variance);
}

std::string verificationText(const protocol::PaperVerification& verification)
{
    std::string out = "verified   " + verification.why + "; ";
    if (!verification.problem.empty())
        return out + "not confirmed: " + verification.problem;
    return out + (verification.agreed ? "confirmed by " : "not confirmed by ") + formatted("%.4f", verification.ratio) +
           "× on " + verification.where;
}

} // namespace

std::vector<std::string> paperLines(const Terminal& terminal, const PaperResult& result)
{
    std::vector<std::string> lines;
    const PaperClock& clock = result.deciding();
    const bool events = result.clock == "event";
    if (result.accepted)
        lines.push_back("paper      " +
                        terminal.toned(Terminal::Tone::Strong, clockText(result, clock, events ? "events" : "wall")));
    else
        lines.push_back("paper      " + terminal.toned(Terminal::Tone::Warn, "no number") + "; it would be " +
                        clockText(result, clock, events ? "events" : "wall"));
    if (!events)
        lines.push_back(margin + std::string("by wall, since this device has no events"));
    else if (result.wall.valid())
        lines.push_back(margin + clockText(result, result.wall, "wall"));
    std::string how = margin + std::to_string(result.rounds) + " rounds in " + base::durationText(result.seconds);
    if (!clock.bucketMeans.empty())
        how += ", " + bucketsText(clock) + (clock.gatePassed ? "" : ", above the gate");
    if (result.attempts > 1)
        how += ", " + std::to_string(result.attempts) + " attempts";
    lines.push_back(how);
    for (const auto& rule : result.rules) {
        const std::string word(protocol::toString(rule.rule));
        if (rule.state == RuleState::Off)
            lines.push_back(margin + std::string("without the rule ") + word);
        else if (rule.state != RuleState::Applied)
            lines.push_back(margin + std::string("rule ") + word +
                            (rule.state == RuleState::Broken ? " did not hold: " : " could not be applied: ") +
                            rule.why);
    }
    if (result.verification.due)
        lines.push_back(verificationText(result.verification));
    return lines;
}

} // namespace cudal1::cli
