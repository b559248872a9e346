// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of ratios.
#include "core/base/ratiotext.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace cudal1::base {

namespace {

std::string number(double ratio, int decimals)
{
    char out[512]; // the largest double has 309 digits
    std::snprintf(out, sizeof out, "%.*f", decimals, ratio);
    return out;
}

/// Two decimals would hide on which side of 1 it lies.
bool readsAsOne(double end)
{
    return end != 1 && std::abs(end - 1) < 0.005;
}

/// As many as show on which side of 1 an end lies, where two do not.
int decimalsOfEnd(double end)
{
    constexpr int most = 5;
    int decimals = readsAsOne(end) ? 3 : 2;
    while (decimals > 2 && decimals < most && std::abs(end - 1) < 0.5 * std::pow(10.0, -decimals))
        ++decimals;
    return decimals;
}

/// A number of the interval with up to `most` decimals: the ends decide about more than two, which larger numbers do
/// not need.
std::string partOf(const Interval& ratio, double value, int most)
{
    const bool fine = readsAsOne(ratio.low) || readsAsOne(ratio.high);
    return fine && value < 1.995 ? number(value, std::clamp(decimalsOfEnd(value), 3, std::max(most, 3)))
                                 : threeDigits(value);
}

std::string endsText(const Interval& ratio)
{
    return partOf(ratio, ratio.low, decimalsOfEnd(ratio.low)) + "–" +
           partOf(ratio, ratio.high, decimalsOfEnd(ratio.high));
}

/// One decimal more than usual where the ends are different numbers that would read alike; else nothing.
std::optional<int> finerDecimals(const Interval& ratio)
{
    const std::string low = partOf(ratio, ratio.low, decimalsOfEnd(ratio.low));
    if (!(ratio.low < ratio.high) || endsText(ratio) != low + "–" + low)
        return {};
    const std::size_t point = low.find('.');
    const int decimals = 1 + (point == std::string::npos ? 0 : static_cast<int>(low.size() - point - 1));
    return number(ratio.low, decimals) == number(ratio.high, decimals) ? std::nullopt : std::optional(decimals);
}

} // namespace

std::string threeDigits(double value)
{
    // Chosen by what the rounded text will be, so that 9.997 does not become "10.00".
    return number(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string ratioText(double ratio)
{
    return threeDigits(ratio) + "×";
}

std::string rangeText(const Interval& ratio)
{
    if (const auto decimals = finerDecimals(ratio))
        return number(ratio.low, *decimals) + "–" + number(ratio.high, *decimals);
    return endsText(ratio);
}

std::string estimateText(const Interval& ratio)
{
    if (const auto decimals = finerDecimals(ratio))
        return number(ratio.estimate, *decimals) + "×";
    return partOf(ratio, ratio.estimate, std::max(decimalsOfEnd(ratio.low), decimalsOfEnd(ratio.high))) + "×";
}

std::string ratioText(const Interval& ratio)
{
    return estimateText(ratio) + " (" + rangeText(ratio) + ")";
}

} // namespace cudal1::base
