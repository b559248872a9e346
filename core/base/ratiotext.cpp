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

int decimalsOf(double ratio)
{
    // Chosen by what the rounded text will be, so that 9.997 does not become "10.00".
    return ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0;
}

/// Two decimals would hide on which side of 1 it lies.
bool readsAsOne(double end)
{
    return end != 1 && std::abs(end - 1) < 0.005;
}

} // namespace

std::string ratioText(double ratio)
{
    return number(ratio, decimalsOf(ratio)) + "×";
}

std::string rangeText(const Interval& ratio)
{
    const int small = readsAsOne(ratio.low) || readsAsOne(ratio.high) ? 3 : 2;
    const auto end = [small](double value) { return number(value, value < 9.995 ? small : decimalsOf(value)); };
    return end(ratio.low) + "–" + end(ratio.high);
}

std::string ratioText(const Interval& ratio)
{
    return ratioText(ratio.estimate) + " (" + rangeText(ratio) + ")";
}

} // namespace cudal1::base
