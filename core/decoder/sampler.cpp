// SPDX-License-Identifier: GPL-3.0-or-later
// Draws tokens.
#include "core/decoder/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cudal1::decoder {

namespace {

std::uint64_t mixed(std::uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

bool isLikelier(const std::pair<float, int>& a, const std::pair<float, int>& b)
{
    return a.first != b.first ? a.first > b.first : a.second < b.second;
}

} // namespace

double uniform(std::uint64_t seed, std::uint64_t number)
{
    return std::ldexp(static_cast<double>(mixed(mixed(seed) + number) >> 11), -53);
}

Drawn Sampler::draw(std::span<const float> logits, const TokenSampling& drawing, std::uint64_t number)
{
    const float greatest = m_kernels.greatest(logits.data(), logits.size());
    m_blocks.resize(logits.size() / sumBlock + 1);
    if (drawing.temperature <= 0 || !std::isfinite(greatest)) {
        const double sum = m_kernels.expSums(logits.data(), logits.size(), greatest, 1, m_blocks.data());
        const auto likeliest = std::find(logits.begin(), logits.end(), greatest);
        return {likeliest == logits.end() ? 0 : static_cast<int>(likeliest - logits.begin()),
                static_cast<float>(-std::log(sum))};
    }
    const double u = uniform(drawing.seed, number);
    const bool isCut = (drawing.topK > 0 && drawing.topK < logits.size()) || drawing.topP < 1 || drawing.minP > 0;
    return isCut ? drawFromSome(logits, drawing, greatest, u) : drawFromAll(logits, drawing, greatest, u);
}

Drawn Sampler::drawFromAll(std::span<const float> logits, const TokenSampling& drawing, float greatest, double u)
{
    const auto scale = static_cast<float>(1 / drawing.temperature);
    const double sum = m_kernels.expSums(logits.data(), logits.size(), greatest, scale, m_blocks.data());
    const auto weight = [&](std::size_t i) { return std::exp(static_cast<double>((logits[i] - greatest) * scale)); };
    double left = u * sum;
    std::size_t block = 0;
    const std::size_t blocks = (logits.size() + sumBlock - 1) / sumBlock;
    while (block + 1 < blocks && left >= m_blocks[block])
        left -= m_blocks[block++];
    const std::size_t end = std::min(logits.size(), (block + 1) * sumBlock);
    std::size_t chosen = block * sumBlock;
    for (std::size_t i = chosen; i < end; ++i) {
        const double own = weight(i);
        if (own > 0)
            chosen = i; // sums of floats may come short of the last one by a rounding
        if (left < own)
            break;
        left -= own;
    }
    const double logarithm = static_cast<double>((logits[chosen] - greatest) * scale) - std::log(sum);
    return {static_cast<int>(chosen), static_cast<float>(logarithm)};
}

Drawn Sampler::drawFromSome(std::span<const float> logits, const TokenSampling& drawing, float greatest, double u)
{
    const auto scale = static_cast<float>(1 / drawing.temperature);
    const auto weight = [&](float logit) { return std::exp(static_cast<double>((logit - greatest) * scale)); };
    // What is below the share that minP asks for can be left out at once.
    const double least = drawing.minP > 0 ? greatest + std::log(drawing.minP) * drawing.temperature
                                          : -std::numeric_limits<double>::infinity();
    m_order.clear();
    for (std::size_t i = 0; i < logits.size(); ++i)
        if (static_cast<double>(logits[i]) >= least || logits[i] == greatest)
            m_order.emplace_back(logits[i], static_cast<int>(i));
    const std::size_t most = drawing.topK > 0 ? std::min(drawing.topK, m_order.size()) : m_order.size();
    std::size_t sorted = 0; // the likeliest of so many are in order
    const auto sortUpTo = [&](std::size_t count) {
        count = std::min(count, m_order.size());
        if (count <= sorted)
            return;
        const auto begin = m_order.begin() + static_cast<std::ptrdiff_t>(sorted);
        const auto end = m_order.begin() + static_cast<std::ptrdiff_t>(count);
        if (end != m_order.end())
            std::nth_element(begin, end, m_order.end(), isLikelier);
        std::sort(begin, end, isLikelier);
        sorted = count;
    };
    std::size_t kept = most;
    if (drawing.topP < 1) {
        double all = 0; // of the set that topK leaves
        if (drawing.topK > 0) {
            sortUpTo(most);
            for (std::size_t i = 0; i < most; ++i)
                all += weight(m_order[i].first);
        } else {
            all = m_kernels.expSums(logits.data(), logits.size(), greatest, scale, m_blocks.data());
        }
        double sum = 0;
        for (kept = 0; kept < most && (kept == 0 || sum < drawing.topP * all); ++kept) {
            if (kept == sorted)
                sortUpTo(std::max<std::size_t>(64, sorted * 4));
            sum += weight(m_order[kept].first);
        }
    } else {
        sortUpTo(most);
    }
    double sum = 0;
    for (std::size_t i = 0; i < kept; ++i)
        sum += weight(m_order[i].first);
    double left = u * sum;
    std::size_t chosen = 0;
    while (chosen + 1 < kept && left >= weight(m_order[chosen].first))
        left -= weight(m_order[chosen++].first);
    const double logarithm = static_cast<double>((m_order[chosen].first - greatest) * scale) - std::log(sum);
    return {m_order[chosen].second, static_cast<float>(logarithm)};
}

} // namespace cudal1::decoder
