// SPDX-License-Identifier: GPL-3.0-or-later
// Judges one candidate, and looks a second time at what carries a label.
#include "core/judge/supervisor/evaluate.h"

#include "core/judge/supervisor/formattednumber.h"
#include "core/judge/supervisor/judging.h"
#include "core/judge/supervisor/paperverification.h"

#include <algorithm>
#include <array>

namespace cudal1::judge {

using protocol::Evaluation;
using protocol::Verdict;

namespace {

bool deservesSecondLook(const Evaluation& evaluation, bool onlyDoubts)
{
    constexpr std::array codes{"below_floor", "precision", "clock_disagreement", "large_speedup", "library_calls"};
    const auto end = onlyDoubts ? codes.begin() + 1 : codes.end(); // the first alone is a doubt
    return evaluation.verdict == Verdict::Correct &&
           std::any_of(evaluation.labels.begin(), evaluation.labels.end(),
                       [&](const auto& label) { return std::find(codes.begin(), end, label.code) != end; });
}

bool hasLabel(const Evaluation& evaluation, const char* code)
{
    return std::any_of(evaluation.labels.begin(), evaluation.labels.end(),
                       [&](const auto& label) { return label.code == code; });
}

/// Fresh seeds of everything, a fresh process of both sides; a verdict other than correct stands.
void lookAgain(Supervisor& supervisor, const protocol::EvaluateRequest& request, Evaluation& first)
{
    protocol::EvaluateRequest again = request;
    if (request.seed != 0)
        again.seed = SeedSequence(request.seed, SeedSequence::SecondLook).next();
    supervisor.dropReference();
    Budget budget = budgetOfConfirmation();
    budget.ownInputsOnly = request.preset ==
                           protocol::Preset::Paper; // what the first look did not ask is no reason to fail now
    const Evaluation second = Judging(supervisor, again, budget).run();
    if (request.seed != 0)
        supervisor.dropReference();
    first.confirmation = {true, second.verdict, second.speedup.wall, second.seed};
    first.seconds.total += second.seconds.total;
    first.seconds.reference += second.seconds.reference;
    first.seconds.build += second.seconds.build;
    first.seconds.check += second.seconds.check;
    first.seconds.time += second.seconds.time;
    if (second.verdict == Verdict::ReferenceFailed)
        return; // nothing about the candidate
    if (second.verdict != Verdict::Correct) {
        first.verdict = second.verdict;
        first.reasons = second.reasons;
        first.labels.push_back(
            {"failed_second_look", "It passed once and failed when it was judged again with fresh seeds.", ""});
        return;
    }
    const base::Interval &a = first.speedup.wall.speedup, &b = second.speedup.wall.speedup;
    if (a.valid() && b.valid() && (a.low > b.high * 1.05 || b.low > a.high * 1.05))
        first.labels.push_back(
            {"not_reproduced", "A second measurement with fresh seeds and processes gave another speed-up.",
             number(a.estimate, "%.3f") + " (" + number(a.low, "%.3f") + "-" + number(a.high, "%.3f") + ") and " +
                 number(b.estimate, "%.3f") + " (" + number(b.low, "%.3f") + "-" + number(b.high, "%.3f") + ")"});
    if (hasLabel(first, "below_floor") && hasLabel(second, "below_floor")) {
        first.verdict = Verdict::Exploit;
        const auto floor = std::find_if(first.labels.begin(), first.labels.end(),
                                        [](const auto& label) { return label.code == "below_floor"; });
        first.reasons.push_back(*floor);
        first.labels.erase(floor);
    }
}

} // namespace

Evaluation evaluate(Supervisor& supervisor, const protocol::EvaluateRequest& request)
{
    const bool asPaper = request.preset == protocol::Preset::Paper;
    if (asPaper)
        checkPaperRules(request.paper);
    Evaluation evaluation = Judging(supervisor, request,
                                    asPaper ? budgetOf(request.paper) : budgetOf(request.preset, request.device))
                                .run();
    if (request.secondLook && deservesSecondLook(evaluation, request.onlyDoubts))
        lookAgain(supervisor, request, evaluation);
    verifyAsPaper(supervisor, request, evaluation);
    return evaluation;
}

} // namespace cudal1::judge
