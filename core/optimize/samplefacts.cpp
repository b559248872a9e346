// SPDX-License-Identifier: GPL-3.0-or-later
// Reads evaluations of samples and adds up what they took.
#include "core/optimize/samplefacts.h"

#include "core/optimize/pastanswers.h"
#include "core/policy/prompttext.h"

#include <QString>

#include <algorithm>

namespace cudal1::optimize {

std::string SampleFacts::verdict() const
{
    if (!usable())
        return "unusable";
    return evaluation ? std::string(protocol::toString(evaluation->verdict)) : std::string();
}

std::optional<double> SampleFacts::reward() const
{
    if (!usable())
        return 0;
    return evaluation ? rewardOf(*evaluation) : sample.reward;
}

base::Result<std::vector<SampleFacts>> sampleFacts(const store::Project& project,
                                                   std::vector<store::SampleRecord> samples)
{
    std::map<base::VariantId, std::optional<store::EvaluationSummary>> known;
    std::vector<SampleFacts> out;
    out.reserve(samples.size());
    for (store::SampleRecord& sample : samples) {
        SampleFacts& facts = out.emplace_back(SampleFacts{std::move(sample), {}});
        if (!facts.sample.variant)
            continue;
        const auto [place, isNew] = known.try_emplace(facts.sample.variant);
        if (isNew) {
            const auto counted = project.countedEvaluation(facts.sample.variant);
            if (!counted)
                return counted.error();
            place->second = *counted;
        }
        facts.evaluation = place->second;
    }
    return out;
}

base::Result<std::vector<SampleFacts>> sampleFacts(const store::Project& project, base::RunId run)
{
    auto samples = project.samples(run);
    if (!samples)
        return samples.error();
    return sampleFacts(project, std::move(*samples));
}

bool readsPromptEachTime(const std::string& policy)
{
    return policy.starts_with("endpoint: ");
}

SampleSum sumOf(const std::vector<const SampleFacts*>& samples)
{
    SampleSum out;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> prompts; // by question
    for (const SampleFacts* facts : samples) {
        const store::SampleRecord& one = facts->sample;
        ++out.samples;
        out.unusable += !facts->usable();
        out.correct += facts->correct();
        out.repairs += one.repair;
        out.mended += one.repair && facts->correct();
        out.replyTokens += one.replyTokens.value_or(0);
        std::int64_t& prompt = prompts[{one.run.value, one.run ? one.group : -one.id.value}];
        const std::int64_t tokens = one.promptTokens.value_or(0);
        prompt = readsPromptEachTime(one.policy) ? prompt + tokens : std::max(prompt, tokens);
        if (one.cost)
            out.costs[one.costUnit] += *one.cost;
        if (const auto reward = facts->reward(); reward && (!out.bestReward || *reward > *out.bestReward))
            out.bestReward = reward;
    }
    out.questions = int(prompts.size());
    for (const auto& [question, tokens] : prompts)
        out.promptTokens += tokens;
    return out;
}

SampleSum sumOf(const std::vector<SampleFacts>& samples)
{
    std::vector<const SampleFacts*> all;
    for (const SampleFacts& one : samples)
        all.push_back(&one);
    return sumOf(all);
}

base::Result<std::string> replyOf(const store::Project& project, const store::Sample& sample)
{
    if (!sample.reply.empty() || !sample.variant)
        return sample.reply;
    const auto variant = project.variant(sample.variant);
    if (!variant)
        return variant.error();
    return policy::replyText(variant->performanceAnalysis, variant->algorithmDesign, variant->codeImplementation,
                             variant->source);
}

base::Result<std::vector<base::SampleId>> samplesWith(const store::Project& project,
                                                      const std::vector<SampleFacts>& samples, const std::string& text,
                                                      const std::function<bool()>& goOn)
{
    const QString wanted = QString::fromStdString(text);
    const auto has = [&](const std::string& where) {
        return QString::fromStdString(where).contains(wanted, Qt::CaseInsensitive);
    };
    std::vector<base::SampleId> out;
    std::map<std::pair<std::int64_t, std::int64_t>, bool> prompts; // by question, since its replies share it
    for (const SampleFacts& facts : samples) {
        if (goOn && !goOn())
            return base::Error{base::ErrorCode::Cancelled, "The search was stopped", {}, {}};
        const auto sample = project.sample(facts.sample.id);
        if (!sample)
            return sample.error();
        const auto reply = replyOf(project, *sample);
        if (!reply)
            return reply.error();
        const auto [prompt, isNew] = prompts.try_emplace({sample->run.value, sample->group});
        if (isNew || !sample->run)
            prompt->second = has(sample->prompt);
        if (prompt->second || has(*reply))
            out.push_back(facts.sample.id);
    }
    return out;
}

} // namespace cudal1::optimize
