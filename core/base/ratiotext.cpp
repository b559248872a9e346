// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of ratios.
#include "core/base/ratiotext.h"

#include <cmath>
#include <cstdio>

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

/// A number of the interval: its ends decide about a third decimal, which larger numbers do not need.
std::string partOf(const Interval& ratio, double value)
{
    return (readsAsOne(ratio.low) || readsAsOne(ratio.high)) && value < 1.995 ? number(value, 3) : threeDigits(value);
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
    return partOf(ratio, ratio.low) + "–" + partOf(ratio, ratio.high);
}

std::string ratioText(const Interval& ratio)
{
    return partOf(ratio, ratio.estimate) + "× (" + rangeText(ratio) + ")";
}

} // namespace cudal1::base
