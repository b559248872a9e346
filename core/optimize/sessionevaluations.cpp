// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluations of an optimise loop: sent ahead, taken in their order, stored, and what happens when the evaluator dies.
#include "core/optimize/sessionprivate.h"

#include "core/optimize/text.h"

namespace cudal1::optimize {

using base::ErrorCode;

void Session::Private::evaluateFront()
{
    auto variant = project.variant(queue.front().variant);
    if (!variant)
        return fail(variant.error());
    current = std::move(*variant);
    phase = Phase::Evaluate;
    seen = {};
    evaluationClock.start();
    std::shared_ptr<const protocol::Evaluation> early;
    if (const auto known = ahead.find(current.id); known != ahead.end()) {
        request = known->second.request;
        early = std::move(known->second.evaluation);
        ahead.erase(known);
    } else {
        request = send(current);
    }
    if (const auto status = sendAhead(); !status)
        return fail(status.error());
    if (early)
        takeEvaluation(*early);
}

farm::RequestId Session::Private::send(const store::VariantRecord& variant)
{
    const std::uint64_t seed = claims.isAgain(variant.id) ? farm::freshSeed() : options.seed;
    return evaluator.evaluate(evaluateRequest(options.task, variant, options.device, options.precision, options.preset, seed));
}

base::Status Session::Private::sendAhead()
{
    for (std::size_t i = 1; i < queue.size() && !oneAtATime; ++i) {
        if (ahead.contains(queue[i].variant))
            continue;
        const auto variant = project.variant(queue[i].variant);
        if (!variant)
            return variant.error();
        ahead[queue[i].variant].request = send(*variant);
    }
    return {};
}

void Session::Private::cancelAhead()
{
    std::vector<farm::RequestId> requests;
    for (const auto& [variant, early] : ahead)
        if (!early.evaluation)
            requests.push_back(early.request);
    ahead.clear();
    // Youngest first, so that the evaluator does not begin one that is cancelled next.
    std::sort(requests.rbegin(), requests.rend());
    for (const farm::RequestId one : requests)
        evaluator.cancel(one);
}

void Session::Private::takeEvaluation(const protocol::Evaluation& evaluation)
{
    if (evaluation.verdict == protocol::Verdict::Cancelled)
        return end(RunState::Stopped, "Stopped");
    storeEvaluation(evaluation);
}

void Session::Private::storeEvaluation(const protocol::Evaluation& evaluation)
{
    const auto id = project.finish(queue.front(), evaluation);
    if (!id)
        return fail(id.error());
    queue.pop_front();
    ++done;
    seconds += evaluation.seconds.total > 0 ? evaluation.seconds.total : double(evaluationClock.elapsed()) / 1000;
    phase = Phase::Between;
    judged.add(current, evaluation);
    claims.judged(current.id);

    say("[" + std::to_string(done) + "/" + std::to_string(planned) + "] " + techniquesText(current.techniques, current.origin) + ": "
        + outcomeText(evaluation));
    emit q->evaluationStored(current.id, *id);

    if (evaluation.verdict == protocol::Verdict::ReferenceFailed) {
        const std::string why = evaluation.reasons.empty() ? std::string() : evaluation.reasons.front().text;
        return fail({ErrorCode::InvalidArgument, "The reference itself cannot be judged: " + why, options.task.id.value,
                     "Correct the task, or choose another device"});
    }
    if (const auto status = writeOwnNotes(); !status)
        return fail(status.error());
    if (stopping)
        return end(RunState::Stopped, "Stopped");
    later(&Private::next);
}

void Session::Private::takeFailure(const Error& error)
{
    if (stopping || error.code == ErrorCode::Cancelled)
        return end(RunState::Stopped, "Stopped");
    switch (error.code) {
    case ErrorCode::ProcessFailed:
    case ErrorCode::TimedOut:
    case ErrorCode::Internal:
        return evaluatorDied(error);
    default:
        return fail(error); // asking again would be answered alike
    }
}

void Session::Private::evaluatorDied(const Error& error)
{
    if (phase == Phase::Describe || phase == Phase::Graph) {
        if (++tries > 1)
            return fail(error);
        say("The evaluator failed and is started again: " + error.message);
        return later(phase == Phase::Describe ? &Private::describe : &Private::askGraph);
    }
    ahead.clear(); // they are gone with it
    oneAtATime = true;
    if (++deaths[current.id] == 1) {
        say("The evaluator failed while judging " + techniquesText(current.techniques, current.origin) + "; once more: " + error.message);
        return later(&Private::next);
    }
    storeEvaluation(evaluatorFailedTwice(options, device, double(evaluationClock.elapsed()) / 1000, error));
}

} // namespace cudal1::optimize
