// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's rule of verification.
#include "core/judge/supervisor/paperverification.h"

#include "core/base/paperprotocol.h"
#include "core/judge/supervisor/formattednumber.h"
#include "core/judge/supervisor/judging.h"

#include <algorithm>
#include <cmath>

namespace cudal1::judge {

using protocol::DeviceInfo;
using protocol::Evaluation;
using protocol::PaperResult;
using protocol::PaperRule;
using protocol::PaperRules;
using protocol::Verdict;

namespace {

std::string whyDue(double speedup, const PaperRules& rules)
{
    if (speedup > 3)
        return number(speedup, "%.3g") + " is above 3";
    return number(speedup, "%.3g") + " is above twice the best so far (" + number(rules.bestSoFar, "%.3g") + ")";
}

/// Another GPU of the same model; null when there is none.
const DeviceInfo* anotherDevice(Supervisor& supervisor, const DeviceInfo& first)
{
    for (const DeviceInfo& device : supervisor.devices())
        if (first.name != "cpu" && device.name != first.name && device.model == first.model &&
            device.uuid != first.uuid)
            return &device;
    return nullptr;
}

/// Its result, and not its circumstances, is at fault.
bool saysWrong(Verdict verdict)
{
    return verdict == Verdict::Incorrect || verdict == Verdict::Exploit;
}

void takeSecond(const Evaluation& second, Evaluation& evaluation)
{
    protocol::PaperVerification& verification = evaluation.paper->verification;
    evaluation.seconds.total += second.seconds.total;
    evaluation.seconds.build += second.seconds.build;
    evaluation.seconds.check += second.seconds.check;
    evaluation.seconds.time += second.seconds.time;
    if (second.verdict != Verdict::Correct || !second.paper) {
        verification.problem = std::string("The second measurement ended with the verdict ") +
                               std::string(protocol::toString(second.verdict)) +
                               (second.reasons.empty() ? "." : ": " + second.reasons.front().text);
        if (!saysWrong(second.verdict))
            return;
        evaluation.verdict = second.verdict;
        evaluation.reasons = second.reasons;
        evaluation.labels.push_back(
            {"failed_second_look",
             "It passed once and failed when it was measured again for the paper's rule of verification.", ""});
        return;
    }
    if (!second.paper->deciding().gatePassed) {
        verification.problem = "The second measurement did not get through the variance gate.";
        return;
    }
    verification.ratio = second.paper->deciding().measured;
    verification.agreed = base::verifies(evaluation.paper->deciding().measured, verification.ratio);
}

} // namespace

void checkPaperRules(const PaperRules& rules)
{
    const auto wrong = [](const char* what, const char* would) {
        throw RequestFailed("invalid_argument", what, would);
    };
    if (!(rules.minutes > 0 && rules.minutes <= 600))
        wrong("The window of the preset paper is no time that can be measured for",
              "Ask for more than 0 and at most 600 minutes");
    if (rules.buckets < 2 || rules.buckets > 1000)
        wrong("The preset paper cannot have so many buckets", "Ask for 2 to 1000; the paper has 7");
    if (!(rules.gate > 0) || !std::isfinite(rules.gate))
        wrong("The variance gate of the preset paper is no positive number", "The paper's is 0.005");
    if (rules.attempts < 1 || rules.attempts > 100)
        wrong("The preset paper cannot be attempted so often", "Ask for 1 to 100 attempts");
    if (rules.trials < 1 || rules.trials > 1'000'000)
        wrong("The preset paper cannot have so many trials", "Ask for 1 to 1000000; the paper has 1000");
    if (!(rules.bestSoFar >= 0) || !std::isfinite(rules.bestSoFar))
        wrong("The best speed-up so far is no number", "0 says that there is none");
}

void verifyAsPaper(Supervisor& supervisor, const protocol::EvaluateRequest& request, Evaluation& evaluation)
{
    if (!evaluation.paper || evaluation.verdict != Verdict::Correct || !request.paper.applies(PaperRule::Verification))
        return;
    PaperResult& paper = *evaluation.paper;
    const double speedup = paper.deciding().measured;
    if (!paper.accepted || !base::needsVerification(speedup, request.paper.bestSoFar))
        return;
    paper.verification.due = true;
    paper.verification.why = whyDue(speedup, request.paper);

    protocol::EvaluateRequest again = request;
    const DeviceInfo* other = anotherDevice(supervisor, evaluation.device);
    if (other)
        again.device = other->name;
    if (request.seed != 0)
        again.seed = SeedSequence(request.seed, SeedSequence::Verification).next();
    paper.verification.where = other ? other->name + ", another " + other->model
                                     : "fresh processes on " + request.device;
    supervisor.dropReference();
    Budget budget = budgetOfConfirmation();
    budget.ownInputsOnly = true;
    budget.paper = request.paper;
    supervisor.progress({"time", 0.95, "verifying: " + paper.verification.why});
    const Evaluation second = Judging(supervisor, again, budget).run();
    supervisor.dropReference(); // with this seed, or on that device, nobody asks for it again
    paper.verification.run = true;
    takeSecond(second, evaluation);
    paper.accepted = paper.verification.agreed;
    if (!paper.accepted && evaluation.verdict == Verdict::Correct)
        evaluation.labels.push_back(
            {"paper_not_verified",
             "By the paper's protocol there is no number: a second measurement did not confirm it.",
             paper.verification.problem.empty()
                 ? number(speedup, "%.3f") + " first, " + number(paper.verification.ratio, "%.3f") + " in " +
                       paper.verification.where
                 : paper.verification.problem});
}

} // namespace cudal1::judge
