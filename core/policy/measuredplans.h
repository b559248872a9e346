// SPDX-License-Identifier: GPL-3.0-or-later
// Plans of convolutions that were the fastest of those that were timed on an H200, so that planConvolution() need not
// rely on its model there. `tests/policy/plans_on_gpu.py best` writes the list from timings.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cudal1::policy {

struct MeasuredPlan {
    std::string_view convolution; ///< as nameOf() in convolutionplan.h tells it
    int placeTiles = 1, channelTiles = 1, warpsAlongPlaces = 1, warpsAlongChannels = 1;
    std::int64_t chunk = 4;
    std::array<std::int64_t, 3> tile{}; ///< depth, height, width
    int residentBlocks = 0;
    double time_us = 0; ///< the least of six calls, each after the device's cache was emptied
};

/// Null where no plan for `convolution` was timed.
const MeasuredPlan* measuredPlan(std::string_view convolution);

} // namespace cudal1::policy
