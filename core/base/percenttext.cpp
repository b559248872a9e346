// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of percentages.
#include "core/base/percenttext.h"

#include <cstdio>

namespace cudal1::base {

namespace {

std::string text(double share, int decimals)
{
    char out[512]; // the largest double has 309 digits
    std::snprintf(out, sizeof out, "%.*f %%", decimals, 100 * share);
    return out;
}

} // namespace

std::string percentText(double share)
{
    return text(share, 0);
}

std::string finePercentText(double share)
{
    if (share > 0 && share < 0.00005)
        return "<0.01 %"; // with more decimals it would seem to be exact
    return text(share, share == 0 || share >= 0.0995 ? 0 : share > 0 && share < 0.00095 ? 2 : 1);
}

std::string tenthsText(double share)
{
    return text(share, 1);
}

std::string percentRangeText(const Interval& share)
{
    char low[512];
    std::snprintf(low, sizeof low, "%.0f–", 100 * share.low);
    return low + percentText(share.high);
}

} // namespace cudal1::base
