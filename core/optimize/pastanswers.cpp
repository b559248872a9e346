// SPDX-License-Identifier: GPL-3.0-or-later
// Samples with what became of them.
#include "core/optimize/pastanswers.h"

#include "core/policy/prompttext.h"
#include "core/protocol/reward.h"

namespace cudal1::optimize {

namespace {

base::Result<std::optional<store::EvaluationSummary>> newestOn(const store::Project& project, base::VariantId variant,
                                                               const std::string& deviceModel,
                                                               protocol::Precision precision)
{
    const auto evaluations = project.evaluations(variant); // newest first
    if (!evaluations)
        return evaluations.error();
    for (const store::EvaluationSummary& one : *evaluations)
        if (one.deviceModel == deviceModel && one.precision == precision)
            return std::optional(one);
    return std::optional<store::EvaluationSummary>();
}

base::Status readVariant(const store::Project& project, policy::PastAnswer& answer, const std::string& deviceModel,
                         protocol::Precision precision)
{
    const auto variant = project.variant(answer.variant);
    if (!variant)
        return variant.error();
    answer.source = variant->source;
    if (answer.reply.empty())
        answer.reply = policy::replyText(variant->performanceAnalysis, variant->algorithmDesign,
                                         variant->codeImplementation, variant->source);
    const auto newest = newestOn(project, answer.variant, deviceModel, precision);
    if (!newest)
        return newest.error();
    if (!*newest)
        return {};
    auto evaluation = project.evaluation((*newest)->id);
    if (!evaluation)
        return evaluation.error();
    evaluation->pairs.clear();
    answer.evaluation = std::move(*evaluation);
    return {};
}

} // namespace

base::Result<std::vector<policy::PastAnswer>> pastAnswers(const store::Project& project, base::RunId run, int round,
                                                          const std::string& deviceModel, protocol::Precision precision)
{
    const auto records = project.samples(run);
    if (!records)
        return records.error();
    std::vector<policy::PastAnswer> out;
    for (const store::SampleRecord& record : *records) {
        if (record.round != round)
            continue;
        const auto sample = project.sample(record.id);
        if (!sample)
            return sample.error();
        policy::PastAnswer answer;
        answer.sample = sample->id;
        answer.policy = sample->policy;
        answer.method = sample->method;
        answer.turn = sample->turn;
        answer.repair = sample->repair;
        answer.parent = sample->parent;
        answer.prompt = sample->prompt;
        answer.reply = sample->reply;
        answer.unusable = sample->unusable;
        answer.variant = sample->variant;
        if (answer.variant)
            if (const auto status = readVariant(project, answer, deviceModel, precision); !status)
                return status.error();
        out.push_back(std::move(answer));
    }
    return out;
}

std::optional<double> rewardOf(const store::EvaluationSummary& evaluation)
{
    return protocol::rewardOf(evaluation.verdict, evaluation.wall, evaluation.labels);
}

base::Status storeRewards(store::Project& project, base::RunId run, base::VariantId variant,
                          const std::string& deviceModel, protocol::Precision precision)
{
    const auto records = variant ? project.samples(variant) : project.samples(run);
    if (!records)
        return records.error();
    std::vector<store::SampleReward> rewards;
    for (const store::SampleRecord& record : *records) {
        if (record.run != run || (!variant && record.reward))
            continue;
        std::optional<double> reward;
        if (!record.unusable.empty()) {
            reward = 0;
        } else if (record.variant) {
            const auto newest = newestOn(project, record.variant, deviceModel, precision);
            if (!newest)
                return newest.error();
            if (*newest)
                reward = rewardOf(**newest);
        }
        if (reward && reward != record.reward)
            rewards.push_back({record.id, *reward});
    }
    return rewards.empty() ? base::Status() : project.setRewards(rewards);
}

} // namespace cudal1::optimize
