// SPDX-License-Identifier: GPL-3.0-or-later
// Proposals onto the queue.
#include "core/optimize/searchround.h"

#include "core/optimize/outcometext.h"
#include "core/optimize/pastanswers.h"
#include "core/policy/prompttext.h"

#include <algorithm>

namespace cudal1::optimize {

using base::Error;
using base::ErrorCode;

namespace {

store::VariantRecord recordOf(const policy::Proposal& proposal, const std::string& origin, const SearchOptions& options,
                              base::RunId run)
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

/// The reply where the variant does not have all of it: a source that was known keeps the sections that came with it
/// first.
base::Result<std::string> replyOf(const store::Project& project, base::VariantId id, const policy::Proposal& proposal)
{
    if (!proposal.reply.empty())
        return proposal.reply;
    const auto kept = project.variant(id);
    if (!kept)
        return kept.error();
    const bool same = kept->performanceAnalysis == proposal.performanceAnalysis &&
                      kept->algorithmDesign == proposal.algorithmDesign &&
                      kept->codeImplementation == proposal.codeImplementation;
    return same ? std::string()
                : policy::replyText(proposal.performanceAnalysis, proposal.algorithmDesign, proposal.codeImplementation,
                                    proposal.source);
}

/// Every source as a variant and every reply as a sample; the variants in the order of the proposals.
base::Result<std::vector<base::VariantId>> storeReplies(store::Project& project, const std::string& policy,
                                                        const policy::Reply& reply, const policy::Prompt& prompt,
                                                        const SearchOptions& options, base::RunId run)
{
    store::Sample question;
    question.run = run;
    question.task = options.task.id;
    question.policy = policy;
    question.method = reply.method;
    question.turn = prompt.turn;
    question.parent = reply.parent;
    question.repair = reply.repair;
    question.shown = reply.shown;
    question.policyVersion = reply.version;
    question.settings = reply.settings;
    question.round = prompt.round;
    question.prompt = reply.prompt.empty() ? policy::promptText(prompt) : reply.prompt;
    std::vector<store::Sample> samples;
    const auto add = [&](const policy::Usage& usage, const std::string& text) -> store::Sample& {
        store::Sample& sample = samples.emplace_back(question);
        sample.promptTokens = usage.promptTokens;
        sample.replyTokens = usage.replyTokens;
        sample.cost = usage.cost;
        sample.costUnit = usage.costUnit;
        sample.reply = text;
        return sample;
    };

    std::vector<base::VariantId> variants;
    for (const policy::Proposal& proposal : reply.proposals) {
        const auto id = project.addVariant(recordOf(proposal, policy, options, run));
        if (!id)
            return id.error();
        const auto text = replyOf(project, *id, proposal);
        if (!text)
            return text.error();
        add(proposal.usage, *text).variant = *id;
        variants.push_back(*id);
    }
    for (const policy::Unusable& one : reply.unusable)
        add(one.usage, one.reply).unusable = one.why;
    if (const auto stored = project.addSamples(samples); !stored)
        return stored.error();
    return variants;
}

/// Its verdict when this very source was judged like this before.
base::Result<std::optional<protocol::Verdict>> earlierVerdict(const store::Project& project, base::VariantId id,
                                                              const std::string& deviceModel,
                                                              const SearchOptions& options)
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

/// Of one part of a reply; `known` are the variants that are on the queue.
base::Status storePart(store::Project& project, const std::string& policy, const policy::Reply& reply,
                       const policy::Prompt& prompt, const SearchOptions& options, base::RunId run,
                       std::vector<base::VariantId>& known, SearchRound& round)
{
    for (const policy::Unusable& one : reply.unusable)
        round.notQueued.push_back("A reply could not be used: " + one.why);
    const auto variants = storeReplies(project, policy, reply, prompt, options, run);
    if (!variants)
        return variants.error();
    for (std::size_t at = 0; at < variants->size(); ++at) {
        const base::VariantId id = (*variants)[at];
        if (std::find(known.begin(), known.end(), id) != known.end())
            continue;
        const auto earlier = earlierVerdict(project, id, prompt.device.model, options);
        if (!earlier)
            return earlier.error();
        if (*earlier) {
            round.notQueued.push_back("Judged before: " + techniquesText(reply.proposals[at].techniques, policy) +
                                      ", " + verdictText(**earlier));
            continue;
        }
        if (const auto status = project.enqueue(run, id, prompt.round); !status)
            return status.error();
        known.push_back(id);
    }
    return {};
}

/// What a policy wrote after its last answer goes with that answer.
base::Status keepClosing(store::Project& project, const std::string& policy, const policy::Reply& reply,
                         const policy::Prompt& prompt)
{
    const auto last = std::find_if(prompt.answers.rbegin(), prompt.answers.rend(),
                                   [&](const policy::PastAnswer& one) { return one.policy == policy; });
    return reply.closing.empty() || last == prompt.answers.rend() ? base::Status()
                                                                  : project.addToReply(last->sample, reply.closing);
}

bool saysNothing(const policy::Reply& reply)
{
    return reply.proposals.empty() && reply.unusable.empty() &&
           std::all_of(reply.further.begin(), reply.further.end(), &saysNothing);
}

} // namespace

base::Result<SearchRound> storeRound(store::Project& project, const std::string& policy, policy::Reply reply,
                                     const policy::Prompt& prompt, const SearchOptions& options, base::RunId run)
{
    SearchRound round;
    round.exhausted = saysNothing(reply);
    const std::vector<policy::Reply> further = std::move(reply.further);
    std::vector<const policy::Reply*> parts{&reply};
    for (const policy::Reply& one : further)
        parts.push_back(&one);

    const auto queued = project.queue(run);
    if (!queued)
        return queued.error();
    std::vector<base::VariantId> known;
    for (const store::QueueItem& item : *queued)
        known.push_back(item.variant);
    const std::size_t before = known.size();
    for (const policy::Reply* part : parts) {
        round.declined.insert(round.declined.end(), part->declined.begin(), part->declined.end());
        round.troubles.insert(round.troubles.end(), part->troubles.begin(), part->troubles.end());
        const std::string& who = part->policy.empty() ? policy : part->policy;
        if (const auto status = storePart(project, who, *part, prompt, options, run, known, round); !status)
            return status.error();
        if (const auto status = keepClosing(project, who, *part, prompt); !status)
            return status.error();
    }
    // What a kill kept from the queue after it was stored as an answer.
    for (const policy::PastAnswer& answer : prompt.answers) {
        if (!answer.variant || answer.evaluation ||
            std::find(known.begin(), known.end(), answer.variant) != known.end())
            continue;
        if (const auto status = project.enqueue(run, answer.variant, prompt.round); !status)
            return status.error();
        known.push_back(answer.variant);
    }
    if (const auto status = storeRewards(project, run, {}, prompt.device.model, options.precision); !status)
        return status.error();

    const auto now = project.queue(run);
    if (!now)
        return now.error();
    if (now->size() != known.size())
        return Error{ErrorCode::Internal, "The queue of the run does not hold what was put on it",
                     "run " + std::to_string(run.value), "Is another program working on the same run?"};
    round.items.assign(now->begin() + std::ptrdiff_t(before), now->end());
    return round;
}

base::Result<store::QueueItem> enqueueAgain(store::Project& project, base::RunId run, base::VariantId variant,
                                            int round)
{
    if (const auto status = project.enqueue(run, variant, round); !status)
        return status.error();
    const auto queued = project.queue(run);
    if (!queued)
        return queued.error();
    if (queued->empty())
        return Error{ErrorCode::Internal, "The queue of the run does not hold what was put on it",
                     "run " + std::to_string(run.value), "Is another program working on the same run?"};
    return queued->back();
}

protocol::EvaluateRequest evaluateRequest(const store::TaskRecord& task, const store::VariantRecord& variant,
                                          const std::string& device, protocol::Precision precision,
                                          protocol::Preset preset, std::uint64_t seed)
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

protocol::Evaluation evaluatorFailedTwice(const SearchOptions& options, const protocol::DeviceInfo& device,
                                          double seconds, const base::Error& error)
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
