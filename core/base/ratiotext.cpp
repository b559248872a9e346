// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of ratios.
#include "core/base/ratiotext.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cudal1::base {

namespace {

constexpr int mostDecimals = 4;

std::string number(double ratio, int decimals)
{
    char out[512]; // the largest double has 309 digits
    std::snprintf(out, sizeof out, "%.*f", decimals, ratio);
    return out;
}

int decimalsOf(double ratio)
{
    // Chosen by what the rounded text will be, so that 9.997 does not become "10.00".
    return ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0;
}

/// How many decimals tell an end from 1, where two do not.
int decimalsNearOne(double end)
{
    const double distance = std::abs(end - 1);
    int decimals = 2;
    while (distance > 0 && decimals < mostDecimals && distance < 0.5 * std::pow(10.0, -decimals))
        ++decimals;
    return decimals;
}

} // namespace

std::string ratioText(double ratio)
{
    return number(ratio, decimalsOf(ratio)) + "×";
}

std::string rangeText(const Interval& ratio)
{
    const int more = std::max(decimalsNearOne(ratio.low), decimalsNearOne(ratio.high));
    const auto end = [more](double value) { return number(value, value < 9.995 ? more : decimalsOf(value)); };
    return end(ratio.low) + "–" + end(ratio.high);
}

std::string ratioText(const Interval& ratio)
{
    return ratioText(ratio.estimate) + " (" + rangeText(ratio) + ")";
}

} // namespace cudal1::base
