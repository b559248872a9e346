// SPDX-License-Identifier: GPL-3.0-or-later
// What baselines come to: for each level and kind, how many were correct and how much faster than eager they were.
#pragma once

#include "core/baselines/measured.h"

#include <string>
#include <vector>

namespace cudal1::baselines {

/// Speed-ups by wall of what was correct and timed. Failures are in `measured` and in no statistic.
struct Line {
    int level = 0; ///< 0: single files, or -1 for all levels together
    const Kind* kind = nullptr;
    int measured = 0, correct = 0;
    int timed = 0; ///< in the statistics below, which are 0 for none
    double mean = 0, geometricMean = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, maximum = 0;
    static constexpr int allLevels = -1;
};

/// By level, then kind; of rows of more than one level also all together. Levels and kinds without a measured row are
/// left out.
std::vector<Line> summarise(const std::vector<Row>& rows);

/// A line of column names, then a line a row that was measured; times in milliseconds; numbers with a decimal point,
/// empty where there is none.
std::string csvOf(const std::vector<Row>& rows);

} // namespace cudal1::baselines
