// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic of the speed-up histogram: bins and ticks on a logarithmic axis, for the charts.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace cudal1::charts {

/// One speed-up of a group; groups are stacked in a bar and are 0, 1, ... (levels, for example).
struct GroupedSpeedup {
    double speedup = 1;
    int group = 0;
};

struct Bin {
    double low = 1, high = 1; ///< speed-ups; low belongs to the bin, high to the next one
    std::vector<int> counts;  ///< by group
    int total() const
    {
        int sum = 0;
        for (int count : counts)
            sum += count;
        return sum;
    }
};

/// Bins of equal width in ln(speed-up). 1x is always an edge, so that no bin holds gains and losses together.
struct Histogram {
    std::vector<Bin> bins; ///< without gaps, ascending; empty when there were no samples
    int highest = 0;       ///< the largest total of a bin

    double low() const { return bins.empty() ? 1 : bins.front().low; }
    double high() const { return bins.empty() ? 1 : bins.back().high; }
};

/// Samples that are not positive and finite, or whose group is out of range, are left out. The width of a bin is the
/// smallest of a row of round factors that needs at most `maxBins` bins.
inline Histogram histogram(std::span<const GroupedSpeedup> samples, int groups, int maxBins = 28)
{
    std::vector<double> speedups;
    for (const GroupedSpeedup& sample : samples)
        if (sample.speedup > 0 && std::isfinite(sample.speedup) && sample.group >= 0 && sample.group < groups)
            speedups.push_back(sample.speedup);
    Histogram out;
    if (speedups.empty())
        return out;
    const auto [least, most] = std::minmax_element(speedups.begin(), speedups.end());

    // Indices of the bins that hold the extremes; bin i is [factor^i, factor^(i+1)). The small term keeps a value that
    // lies on an edge, such as 1.21 for steps of 1.1, from falling below it through rounding.
    const auto indexOf = [](double speedup, double factor) {
        return static_cast<int>(std::floor(std::log(speedup) / std::log(factor) + 1e-9));
    };
    constexpr std::array factors{1.02, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0, 10.0, 100.0};
    // 1x itself is always on the axis: a chart of gains that does not show where nothing was gained misleads.
    double factor = factors.back();
    for (double candidate : factors)
        if (indexOf(std::max(*most, 1.0), candidate) - indexOf(std::min(*least, 1.0), candidate) < maxBins) {
            factor = candidate;
            break;
        }
    const int begin = std::min(indexOf(*least, factor), 0), end = std::max(indexOf(*most, factor), 0);
    for (int i = begin; i <= end; ++i)
        out.bins.push_back(
            {std::pow(factor, i), std::pow(factor, i + 1), std::vector<int>(static_cast<std::size_t>(groups))});
    for (const GroupedSpeedup& sample : samples)
        if (sample.speedup > 0 && std::isfinite(sample.speedup) && sample.group >= 0 && sample.group < groups)
            ++out.bins[static_cast<std::size_t>(indexOf(sample.speedup, factor) - begin)]
                  .counts[static_cast<std::size_t>(sample.group)];
    for (const Bin& bin : out.bins)
        out.highest = std::max(out.highest, bin.total());
    return out;
}

/// Round speed-ups within [low, high] to label the axis with, at most `maxTicks` and always 1 when it is inside.
inline std::vector<double> axisTicks(double low, double high, int maxTicks = 9)
{
    const std::array<std::vector<double>, 5> mantissas{
        std::vector<double>{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 9.5},
        std::vector<double>{1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8}, std::vector<double>{1, 2, 3, 5},
        std::vector<double>{1, 3}, std::vector<double>{1}};
    std::vector<double> ticks, finer;
    for (const std::vector<double>& row : mantissas) {
        finer = std::move(ticks);
        ticks.clear();
        for (int power = -9; power <= 9; ++power)
            for (double mantissa : row)
                if (const double tick = mantissa * std::pow(10.0, power);
                    tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9))
                    ticks.push_back(tick);
        if (static_cast<int>(ticks.size()) <= maxTicks)
            break;
    }
    if (ticks.size() < 2 && finer.size() > 1) { // one mark says nothing of how long the axis is: its ends, and 1
        const auto one = std::find_if(finer.begin(), finer.end(),
                                      [](double tick) { return std::abs(tick - 1) < 1e-9; });
        ticks = {finer.front()};
        if (one != finer.end() && one != finer.begin())
            ticks.push_back(1);
        if (finer.back() > ticks.back() * (1 + 1e-9))
            ticks.push_back(finer.back());
    }
    return ticks;
}

} // namespace cudal1::charts
