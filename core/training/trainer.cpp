// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of the three stages.
#include "core/training/trainer.h"

#include "core/decoder/sampler.h"
#include "core/protocol/advantages.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace cudal1::training {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begun)
{
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

PolicySettings policyOf(const protocol::GrpoSettings& settings, bool hasReference)
{
    PolicySettings out;
    out.clipLow = settings.clipLow;
    out.clipHigh = settings.clipHigh;
    out.beta = hasReference ? settings.beta : 0;
    out.ratioLimit = settings.ratioLimit;
    switch (settings.correction) {
    case protocol::SamplerCorrection::None: out.correction = Correction::None; break;
    case protocol::SamplerCorrection::Truncated: out.correction = Correction::Truncated; break;
    case protocol::SamplerCorrection::Masked: out.correction = Correction::Masked; break;
    }
    return out;
}

Mean meanOf(protocol::LossMean mean)
{
    return mean == protocol::LossMean::Token    ? Mean::Token
         : mean == protocol::LossMean::Constant ? Mean::Constant
                                                : Mean::Sequence;
}

std::vector<std::size_t> countTo(std::size_t count)
{
    std::vector<std::size_t> out(count);
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
}

} // namespace

/// The replies of all groups that count, one behind the other.
struct Trainer::Batch {
    std::vector<Sequence> sequences;
    std::vector<PolicyReply> replies;
    std::vector<std::size_t> groups; ///< of each reply
    std::size_t groupCount = 0;
    PolicySettings policy;
    Mean mean = Mean::Sequence;
    double constantLength = 1;
    double temperature = 1;
    std::vector<std::size_t> own; ///< of this process, in each minibatch the same
};

Trainer::Trainer(TrainingModel& model, Workgroup& workgroup, TrainerSettings settings)
    : m_model(model), m_workgroup(workgroup), m_settings(settings)
{
}

void Trainer::goOn(int step, int batch, std::uint64_t tokens)
{
    m_step = step;
    m_batch = batch;
    m_tokens = tokens;
}

/// What is computed together: replies to one prompt, or each by itself.
std::vector<Pass> Trainer::bundlesOf(std::span<const Sequence> sequences, std::span<const std::size_t> numbers,
                                     std::size_t limit) const
{
    if (m_model.sharesPrompts())
        return bundles(sequences, numbers, limit);
    std::vector<Pass> out;
    for (const std::size_t number : numbers)
        out.push_back({number});
    return out;
}

std::vector<std::size_t> Trainer::ownShare(std::span<const Sequence> sequences,
                                           std::span<const std::size_t> numbers) const
{
    // Bundles small enough that every process gets some.
    std::size_t total = 0;
    for (const std::size_t number : numbers)
        total += sequences[number].replyTokens();
    const auto processes = static_cast<std::size_t>(m_workgroup.size());
    const std::size_t limit = processes == 1 ? m_settings.passTokens
                                             : std::min(m_settings.passTokens, total / processes + 1);
    const auto all = bundlesOf(sequences, numbers, limit);
    std::vector<std::size_t> lengths, out;
    for (const Pass& bundle : all)
        lengths.push_back(computedTokens(sequences, bundle));
    const auto shares = sharedOut(lengths, processes);
    for (const std::size_t place : shares[static_cast<std::size_t>(m_workgroup.rank())])
        out.insert(out.end(), all[place].begin(), all[place].end());
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<Pass> Trainer::passesOf(std::span<const Sequence> sequences, std::span<const std::size_t> numbers) const
{
    const auto all = bundlesOf(sequences, numbers, m_settings.passTokens);
    std::vector<std::size_t> lengths;
    lengths.reserve(all.size());
    for (const Pass& bundle : all)
        lengths.push_back(computedTokens(sequences, bundle));
    std::vector<Pass> out;
    for (const Pass& places : packed(lengths, m_settings.passTokens)) {
        Pass& pass = out.emplace_back();
        for (const std::size_t place : places)
            pass.insert(pass.end(), all[place].begin(), all[place].end());
    }
    return out;
}

/// How many tokens the passes of all processes compute.
std::uint64_t Trainer::computed(std::span<const Sequence> sequences, const std::vector<Pass>& passes) const
{
    double out = 0;
    for (const Pass& pass : passes)
        for (const Pass& bundle : bundlesOf(sequences, pass, static_cast<std::size_t>(-1)))
            out += static_cast<double>(computedTokens(sequences, bundle));
    m_workgroup.sum(std::span(&out, 1));
    return static_cast<std::uint64_t>(out);
}

void Trainer::optimize(protocol::TrainingStep& report)
{
    const auto begun = Clock::now();
    const auto next = static_cast<std::size_t>(m_step) + 1;
    report.learningRate = learningRateAt(m_settings.rate, next);
    const auto done = m_model.step(report.learningRate, next, m_settings.adam);
    report.gradientNorm = done.isSkipped ? 0 : done.gradientNorm;
    if (done.isSkipped)
        report.skipped = "the gradient is not finite";
    else
        ++m_step;
    report.seconds.optimize = since(begun);
}

/// What every report has.
void Trainer::finish(protocol::TrainingStep& report, std::span<const Sequence> sequences,
                     std::span<const std::size_t> numbers, double seconds)
{
    report.step = m_step;
    report.batch = m_batch;
    report.sequences = static_cast<int>(numbers.size());
    for (const std::size_t number : numbers) {
        report.tokens += sequences[number].tokens.size();
        report.replyTokens += sequences[number].replyTokens();
    }
    if (!numbers.empty())
        report.replyLength = static_cast<double>(report.replyTokens) / static_cast<double>(numbers.size());
    report.tokensPerSecond = seconds > 0 ? static_cast<double>(report.tokens) / seconds : 0;
    report.peakDeviceBytes = m_model.peakDeviceBytes();
}

void Trainer::sft(std::span<const Sequence> sequences, const protocol::SftRequest& settings, const Told& told)
{
    if (sequences.empty()) {
        protocol::TrainingStep report;
        report.stage = "sft";
        report.skipped = "the batch is empty";
        finish(report, {}, {}, 0);
        m_batch += settings.updates;
        return told(report);
    }
    const std::vector<std::size_t> all = countTo(sequences.size());
    if (!settings.updates)
        return told(likelihood(sequences, all, false));
    const auto parts = minibatches(all, all.size(), settings.minibatches);
    const std::size_t updates = static_cast<std::size_t>(settings.epochs) * parts.size();
    for (std::size_t i = 0; i < updates; ++i) {
        protocol::TrainingStep report = likelihood(sequences, parts[i % parts.size()], true);
        report.isLast = i + 1 == updates;
        m_batch += report.isLast;
        told(report);
    }
}

/// Minus the mean log-probability of the replies with these numbers, and an update that lowers it.
protocol::TrainingStep Trainer::likelihood(std::span<const Sequence> sequences, std::span<const std::size_t> numbers,
                                           bool updates)
{
    protocol::TrainingStep report;
    report.stage = "sft";
    const auto begun = Clock::now();
    double tokens = 0;
    for (const std::size_t number : numbers)
        tokens += static_cast<double>(sequences[number].replyTokens());
    const auto passes = passesOf(sequences, ownShare(sequences, numbers));
    report.passes = static_cast<int>(passes.size());
    report.computedTokens = computed(sequences, passes);
    Likelihood objective(tokens);
    if (updates)
        m_model.learn(sequences, passes, objective);
    else
        m_model.look(sequences, passes, objective);
    Likelihood::Sums sums = objective.sums();
    m_workgroup.sum(numbersOf(sums));
    report.loss = sums.loss / tokens;
    report.entropy = sums.entropy / tokens;
    report.seconds.learn = since(begun);
    if (updates)
        optimize(report);
    else
        report.skipped = "only the loss was asked for";
    finish(report, sequences, numbers, since(begun));
    if (updates)
        m_tokens += report.tokens;
    return report;
}

/// Log-probabilities by the weights of before the batch, where there are several updates, and by the reference.
void Trainer::lookBack(Batch& batch, bool severalUpdates, protocol::TrainingStep& report)
{
    std::vector<std::size_t> counts;
    for (const Sequence& sequence : batch.sequences)
        counts.push_back(sequence.replyTokens());
    const auto passes = passesOf(batch.sequences, batch.own);
    const auto look = [&](TrainingModel::Policy policy, auto member) {
        Recorder recorder(counts);
        m_model.look(batch.sequences, passes, recorder, policy, batch.temperature);
        for (const std::size_t number : batch.own)
            batch.replies[number].*member = std::move(recorder.logProbabilities()[number]);
    };
    auto begun = Clock::now();
    if (severalUpdates) {
        look(TrainingModel::Policy::Current, &PolicyReply::old);
        report.seconds.old = since(begun);
    }
    if (batch.policy.beta > 0) {
        begun = Clock::now();
        look(TrainingModel::Policy::Reference, &PolicyReply::reference);
        report.seconds.reference = since(begun);
    }
}

/// The numbers of the sequences of each minibatch: whole groups, shuffled by the seed and the batch's number.
std::vector<std::vector<std::size_t>> Trainer::minibatches(std::span<const std::size_t> groupOf, std::size_t groups,
                                                           int count) const
{
    std::vector<std::size_t> order = countTo(groups);
    const std::uint64_t seed = m_settings.seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(m_batch) + 1);
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(decoder::uniform(seed, i) * static_cast<double>(i))]);
    const std::size_t parts = std::min(static_cast<std::size_t>(count), groups);
    std::vector<std::vector<std::size_t>> out(parts);
    std::vector<std::size_t> partOf(groups);
    for (std::size_t i = 0; i < order.size(); ++i)
        partOf[order[i]] = i * parts / order.size();
    for (std::size_t number = 0; number < groupOf.size(); ++number)
        out[partOf[groupOf[number]]].push_back(number);
    return out;
}

void Trainer::update(Batch& batch, const std::vector<std::size_t>& replies, protocol::TrainingStep& report)
{
    const auto begun = Clock::now();
    std::vector<std::size_t> counts, own;
    for (const std::size_t number : replies)
        counts.push_back(batch.sequences[number].replyTokens());
    const auto weights = tokenWeights(counts, batch.mean, batch.constantLength);
    for (std::size_t i = 0; i < replies.size(); ++i)
        batch.replies[replies[i]].weight = weights[i];
    std::set_intersection(replies.begin(), replies.end(), batch.own.begin(), batch.own.end(), std::back_inserter(own));
    const auto passes = passesOf(batch.sequences, own);
    report.passes = static_cast<int>(passes.size());
    report.computedTokens = computed(batch.sequences, passes);
    PolicyObjective objective(batch.replies, batch.policy);
    m_model.learn(batch.sequences, passes, objective, batch.temperature);
    PolicyObjective::Sums sums = objective.sums();
    m_workgroup.sum(numbersOf(sums));
    const double tokens = std::max(sums.tokens, 1.0), known = std::max(sums.samplerTokens, 1.0);
    report.loss = sums.loss;
    report.divergence = sums.divergence / tokens;
    report.entropy = sums.entropy / tokens;
    report.ratio = sums.ratio / tokens;
    report.clipShare = sums.clipped / tokens;
    report.mismatch = sums.mismatch / known;
    report.samplerDivergence = sums.samplerDivergence / known;
    report.correctedShare = sums.corrected / known;
    report.largestMismatch = m_workgroup.largest(objective.largestMismatch());
    report.seconds.learn = since(begun);
    optimize(report);
    finish(report, batch.sequences, replies, since(begun));
    m_tokens += report.tokens;
}

void Trainer::grpo(const std::vector<ReplyGroup>& groups, const protocol::GrpoSettings& settings, const Told& told)
{
    protocol::TrainingStep facts;
    facts.stage = "grpo";
    facts.groups = static_cast<int>(groups.size());
    Batch batch;
    batch.policy = policyOf(settings, m_model.hasReference());
    batch.mean = meanOf(settings.mean);
    batch.constantLength = settings.constantLength;
    batch.temperature = settings.temperature;
    const protocol::AdvantageSettings compared{settings.baseline, settings.dividesByDeviation};
    std::vector<double> all;
    for (const ReplyGroup& group : groups) {
        std::vector<double> rewards;
        for (const ReplyGroup::Reply& reply : group.replies)
            rewards.push_back(reply.reward);
        all.insert(all.end(), rewards.begin(), rewards.end());
        const protocol::GroupAdvantages advantages = protocol::advantagesOf(rewards, compared);
        facts.skippedGroups += !advantages.hasVariance;
        if (!advantages.hasVariance)
            continue;
        for (std::size_t i = 0; i < group.replies.size(); ++i) {
            if (settings.masksCut && group.replies[i].isCut)
                continue;
            batch.sequences.push_back(group.replies[i].sequence);
            batch.replies.push_back({advantages.values[i], 0, {}, group.replies[i].sampler, {}});
            batch.groups.push_back(batch.groupCount);
        }
        batch.groupCount += !batch.groups.empty() && batch.groups.back() == batch.groupCount;
    }
    const protocol::GroupAdvantages together = protocol::advantagesOf(all, compared);
    facts.reward = together.mean;
    facts.rewardDeviation = together.deviation;
    facts.zeroVarianceShare = groups.empty() ? 0 : facts.skippedGroups / static_cast<double>(groups.size());
    if (batch.replies.empty()) {
        facts.skipped = groups.empty()                      ? "the batch is empty"
                      : facts.skippedGroups == facts.groups ? "no group has rewards that differ"
                                                            : "all replies that count were cut off";
        facts.learningRate = learningRateAt(m_settings.rate, static_cast<std::size_t>(m_step) + 1);
        finish(facts, {}, {}, 0);
        ++m_batch;
        told(facts);
        return;
    }
    const auto parts = minibatches(batch.groups, batch.groupCount, settings.minibatches);
    for (const auto& part : parts) {
        const auto share = ownShare(batch.sequences, part);
        batch.own.insert(batch.own.end(), share.begin(), share.end());
    }
    std::sort(batch.own.begin(), batch.own.end());
    const std::size_t updates = static_cast<std::size_t>(settings.epochs) * parts.size();
    lookBack(batch, updates > 1, facts);
    for (std::size_t i = 0; i < updates; ++i) {
        protocol::TrainingStep report = facts;
        update(batch, parts[i % parts.size()], report);
        report.isLast = i + 1 == updates;
        if (report.isLast)
            ++m_batch;
        told(report);
        facts.seconds = {};
    }
}

} // namespace cudal1::training
