// SPDX-License-Identifier: GPL-3.0-or-later
// Proposals onto the queue.
#include "core/optimize/round.h"

#include "core/optimize/text.h"
#include "core/policy/prompttext.h"

#include <algorithm>

namespace cudal1::optimize {

using base::Error;
using base::ErrorCode;

namespace {

store::VariantRecord recordOf(const policy::Proposal& proposal, const std::string& origin, const Options& options, base::RunId run)
{
    store::VariantRecord record;
    record.task = options.task.id;
    record.taskHash = options.task.hash;
    record.source = proposal.source;
    record.performanceAnalysis = proposal.performanceAnalysis;
    record.algorithmDesign = proposal.algorithmDesign;
    record.codeImplementation = proposal.codeImplementation;
    record.origin = origin;
    record.techniques = proposal.techniques;
    record.run = run;
    return record;
}

/// Its verdict when this very source was judged like this before.
base::Result<std::optional<protocol::Verdict>> earlierVerdict(const store::Project& project, base::VariantId id,
                                                              const std::string& deviceModel, const Options& options)
{
    const auto found = project.findEvaluation(id, deviceModel, options.precision, options.preset);
    if (!found)
        return found.error();
    if (!*found)
        return std::optional<protocol::Verdict>();
    const auto kept = project.variant(id);
    if (!kept)
        return kept.error();
    if (kept->taskHash != options.task.hash)
        return std::optional<protocol::Verdict>(); // judged against another text of the task
    return std::optional((*found)->verdict);
}

} // namespace

base::Result<Round> storeRound(store::Project& project, const std::string& policy, policy::Reply reply, const policy::Prompt& prompt,
                               const Options& options, base::RunId run)
{
    Round round;
    round.declined = std::move(reply.declined);
    round.exhausted = reply.proposals.empty();

    const auto queued = project.queue(run);
    if (!queued)
        return queued.error();
    std::vector<base::VariantId> known;
    for (const store::QueueItem& item : *queued)
        known.push_back(item.variant);
    const std::size_t before = known.size();
    const std::string asked = reply.prompt.empty() ? policy::promptText(prompt) : reply.prompt;

    for (const policy::Proposal& proposal : reply.proposals) {
        const auto id = project.addVariant(recordOf(proposal, policy, options, run));
        if (!id)
            return id.error();
        const auto made = project.exchange(*id);
        if (!made)
            return made.error();
        // A source that is proposed again was made by what was asked first.
        if (!*made)
            if (const auto status = project.putExchange(*id, {asked, proposal.reply}); !status)
                return status.error();
        if (std::find(known.begin(), known.end(), *id) != known.end())
            continue;
        const auto earlier = earlierVerdict(project, *id, prompt.device.model, options);
        if (!earlier)
            return earlier.error();
        if (*earlier) {
            round.judgedBefore.push_back("Judged before: " + techniquesText(proposal.techniques, policy) + ", "
                                         + verdictText(**earlier));
            continue;
        }
        if (const auto status = project.enqueue(run, *id, prompt.round); !status)
            return status.error();
        known.push_back(*id);
    }

    const auto now = project.queue(run);
    if (!now)
        return now.error();
    if (now->size() != known.size())
        return Error{ErrorCode::Internal, "The queue of the run does not hold what was put on it",
                     "run " + std::to_string(run.value), "Is another program working on the same run?"};
    round.items.assign(now->begin() + std::ptrdiff_t(before), now->end());
    return round;
}

base::Result<store::QueueItem> enqueueAgain(store::Project& project, base::RunId run, base::VariantId variant, int round)
{
    if (const auto status = project.enqueue(run, variant, round); !status)
        return status.error();
    const auto queued = project.queue(run);
    if (!queued)
        return queued.error();
    if (queued->empty())
        return Error{ErrorCode::Internal, "The queue of the run does not hold what was put on it", "run " + std::to_string(run.value),
                     "Is another program working on the same run?"};
    return queued->back();
}

protocol::EvaluateRequest evaluateRequest(const store::TaskRecord& task, const store::VariantRecord& variant, const std::string& device,
                                          protocol::Precision precision, protocol::Preset preset, std::uint64_t seed)
{
    protocol::EvaluateRequest request;
    request.task = {task.id.value, task.source};
    request.candidate = variant.source;
    request.candidateName = "variant_" + std::to_string(variant.id.value) + ".py";
    request.device = device;
    request.precision = precision;
    request.preset = preset;
    request.seed = seed;
    return request;
}

protocol::Evaluation evaluatorFailedTwice(const Options& options, const protocol::DeviceInfo& device, double seconds,
                                          const base::Error& error)
{
    protocol::Evaluation evaluation;
    evaluation.task = options.task.id.value;
    evaluation.verdict = protocol::Verdict::Crashed;
    evaluation.reasons = {{"evaluator_failed", "The evaluator failed twice while judging this variant", error.text()}};
    evaluation.stopReason = "not_timed";
    evaluation.precision.mode = options.precision;
    evaluation.device = device;
    evaluation.preset = options.preset;
    evaluation.seed = options.seed;
    evaluation.seconds.total = seconds;
    return evaluation;
}

} // namespace cudal1::optimize
