// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluations of an optimise loop: submitted ahead, taken in their order, stored.
#include "core/optimize/searchprivate.h"

#include "core/optimize/outcometext.h"

namespace cudal1::optimize {

using base::ErrorCode;

void Search::Private::evaluateFront()
{
    auto variant = project.variant(queue.front().variant);
    if (!variant)
        return fail(variant.error());
    if (const auto status = submitQueue(); !status)
        return fail(status.error());
    current = std::move(*variant);
    phase = Phase::Evaluate;
    seen = {};
    evaluationClock.start();
    job = jobs.extract(current.id).mapped();
    if (const auto known = early.extract(job))
        takeOutcome(known.mapped());
}

/// All of the queue, so that the evaluators compile and start ahead.
base::Status Search::Private::submitQueue()
{
    for (const store::QueueItem& item : queue) {
        if (jobs.contains(item.variant))
            continue;
        const auto variant = project.variant(item.variant);
        if (!variant)
            return variant.error();
        const bool again = claims.isAgain(variant->id);
        // `quick` is for the search: what claims to be best rests on evidence alone.
        const protocol::Preset preset = again && options.preset == protocol::Preset::Quick ? protocol::Preset::Standard
                                                                                           : options.preset;
        crew::Job asked;
        asked.request = evaluateRequest(options.task, *variant, options.device, options.precision, preset,
                                        again ? farm::freshSeed() : options.seed);
        asked.name = techniquesText(variant->techniques, variant->origin);
        asked.shared = true;
        jobs[variant->id] = crew.submit(std::move(asked));
    }
    return {};
}

void Search::Private::takeOutcome(const crew::Outcome& outcome)
{
    using Kind = crew::Outcome::Kind;
    job = 0;
    const bool answered = outcome.kind == Kind::Answered;
    if (phase == Phase::Evaluate && answered)
        return storeEvaluation(*outcome.evaluation()); // also when Stop came just before it
    if (stopping || outcome.kind == Kind::Cancelled)
        return end(RunState::Stopped, "Stopped");
    if (phase == Phase::Evaluate && outcome.kind == Kind::Fatal)
        return storeEvaluation(evaluatorFailedTwice(options, device, outcome.seconds, outcome.error));
    if (!answered)
        return fail(outcome.error); // asked again, it would be answered alike
    if (phase == Phase::Describe)
        takeMachine(std::get<protocol::Machine>(outcome.answer));
    else
        takeGraph(std::get<std::shared_ptr<const protocol::OperatorGraph>>(outcome.answer), true);
}

void Search::Private::storeEvaluation(const protocol::Evaluation& evaluation)
{
    const auto id = project.finish(queue.front(), evaluation);
    if (!id)
        return fail(id.error());
    queue.pop_front();
    if (const auto status = storeRewards(project, run, current.id, device.model, options.precision); !status)
        return fail(status.error());
    const auto samples = project.samples(current.id);
    if (!samples)
        return fail(samples.error());
    ++done;
    seconds += evaluation.seconds.total > 0 ? evaluation.seconds.total : double(evaluationClock.elapsed()) / 1000;
    phase = Phase::Between;
    judged.add(current, evaluation, samples->empty() ? std::vector<base::VariantId>() : samples->front().shown);
    claims.judged(current.id);
    policy.told(current.source, evaluation);

    say("[" + std::to_string(done) + "/" + std::to_string(planned) + "] " +
        techniquesText(current.techniques, current.origin) + ": " + outcomeText(evaluation));
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

} // namespace cudal1::optimize
