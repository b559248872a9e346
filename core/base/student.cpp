// SPDX-License-Identifier: GPL-3.0-or-later
// Quantiles of Student's distribution, tabulated.
#include "core/base/student.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace cudal1::base {

double studentT(int degrees)
{
    constexpr std::array table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                               2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    degrees = std::max(degrees, 1);
    return degrees <= int(table.size()) ? table[std::size_t(degrees - 1)] : 1.96 + 2.4 / degrees;
}

Interval meanWithInterval(std::span<const double> values)
{
    if (values.empty())
        return {};
    const double count = double(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    if (values.size() == 1)
        return {mean, mean, mean};
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const double half = studentT(int(values.size()) - 1) * std::sqrt(squares / (count - 1) / count);
    return {mean, mean - half, mean + half};
}

} // namespace cudal1::base
