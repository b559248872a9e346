// SPDX-License-Identifier: GPL-3.0-or-later
// Losses and their slopes.
#include "core/training/objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cudal1::training {

namespace {

double at(const std::vector<double>& values, std::size_t token)
{
    return token < values.size() ? values[token] : unknown;
}

/// exp(d) - 1 - d: never negative, and its mean over draws from p is KL(p || q), d being log q - log p of the draw.
double k3(double difference)
{
    return std::expm1(difference) - difference;
}

} // namespace

Recorder::Recorder(std::span<const std::size_t> replyTokens)
{
    for (const std::size_t count : replyTokens)
        m_logProbabilities.emplace_back(count, unknown);
}

double Recorder::take(std::size_t sequence, std::size_t token, double logProbability, double entropy)
{
    m_logProbabilities[sequence][token] = logProbability;
    m_entropySum += entropy;
    return 0;
}

double Likelihood::take(std::size_t, std::size_t, double logProbability, double entropy)
{
    m_sums.loss -= logProbability;
    m_sums.entropy += entropy;
    m_sums.tokens += 1;
    return -1 / m_tokens;
}

TokenTerms policyTerms(double logProbability, const TokenHistory& history, double advantage,
                       const PolicySettings& settings)
{
    TokenTerms out;
    const double old = std::isnan(history.old) ? logProbability : history.old;
    if (!std::isnan(history.sampler)) {
        out.mismatch = old - history.sampler;
        const double ratio = std::exp(out.mismatch);
        if (settings.correction == Correction::Truncated)
            out.correction = std::min(ratio, settings.ratioLimit);
        else if (settings.correction == Correction::Masked)
            out.correction = ratio > settings.ratioLimit || ratio < 1 / settings.ratioLimit ? 0 : 1;
    }
    out.ratio = std::exp(logProbability - old);
    // min() takes the clipped side where the ratio has left the interval on the side that the advantage pulls to;
    // there the slope is 0.
    out.isClipped = (advantage > 0 && out.ratio > 1 + settings.clipHigh) ||
                    (advantage < 0 && out.ratio < 1 - settings.clipLow);
    const double bounded = std::clamp(out.ratio, 1 - settings.clipLow, 1 + settings.clipHigh);
    const double gain = std::min(out.ratio * advantage, bounded * advantage);
    out.loss = -out.correction * gain;
    out.slope = out.isClipped ? 0 : -out.correction * out.ratio * advantage;
    if (!std::isnan(history.reference)) {
        const double difference = history.reference - logProbability;
        out.divergence = k3(difference);
        out.loss += settings.beta * out.divergence;
        out.slope += settings.beta * -std::expm1(difference);
    }
    return out;
}

std::vector<double> tokenWeights(std::span<const std::size_t> replyTokens, Mean mean, double constantLength)
{
    const auto replies = static_cast<double>(replyTokens.size());
    const auto tokens = static_cast<double>(std::accumulate(replyTokens.begin(), replyTokens.end(), std::size_t{0}));
    std::vector<double> out;
    for (const std::size_t count : replyTokens)
        switch (mean) {
        case Mean::Sequence: out.push_back(1 / (replies * static_cast<double>(count))); break;
        case Mean::Token: out.push_back(1 / tokens); break;
        case Mean::Constant: out.push_back(1 / (replies * constantLength)); break;
        }
    return out;
}

PolicyObjective::PolicyObjective(std::span<const PolicyReply> replies, const PolicySettings& settings)
    : m_replies(replies), m_settings(settings)
{
}

double PolicyObjective::take(std::size_t sequence, std::size_t token, double logProbability, double entropy)
{
    const PolicyReply& reply = m_replies[sequence];
    const TokenHistory history{at(reply.old, token), at(reply.sampler, token), at(reply.reference, token)};
    const TokenTerms terms = policyTerms(logProbability, history, reply.advantage, m_settings);
    m_sums.loss += reply.weight * terms.loss;
    m_sums.divergence += terms.divergence;
    m_sums.entropy += entropy;
    m_sums.ratio += terms.ratio;
    m_sums.clipped += terms.isClipped;
    m_sums.tokens += 1;
    if (!std::isnan(history.sampler)) {
        m_sums.samplerTokens += 1;
        m_sums.mismatch += std::abs(terms.mismatch);
        m_sums.samplerDivergence += k3(terms.mismatch);
        m_largestMismatch = std::max(m_largestMismatch, std::abs(terms.mismatch));
        const double limit = std::log(m_settings.ratioLimit);
        m_sums.corrected += m_settings.correction == Correction::Masked
                              ? terms.correction == 0
                              : m_settings.correction == Correction::Truncated && terms.mismatch > limit;
    }
    return reply.weight * terms.slope;
}

} // namespace cudal1::training
