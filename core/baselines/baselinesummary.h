// SPDX-License-Identifier: GPL-3.0-or-later
// Summaries of baselines: for each level and kind, how many were correct and how much faster than eager they were.
#pragma once

#include "core/baselines/baselinerows.h"

#include <string>
#include <vector>

namespace cudal1::baselines {

/// One level and kind. The statistics are of the speed-ups by the wall clock of those baselines that were timed. A
/// baseline that failed counts in `measured` and enters no statistic.
struct BaselineSummary {
    int level = 0; ///< 0 for single files, `allLevels` for all levels together
    const BaselineKind* kind = nullptr;
    int measured = 0, correct = 0;
    int timed = 0; ///< how many enter the statistics below, which are 0 when there is none
    double mean = 0, geometricMean = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, maximum = 0;
    static constexpr int allLevels = -1;
};

/// The lines by level, and within a level by kind; single files come after the levels. When the rows are of more than
/// one level, lines for all levels together follow. Levels and kinds without a measured row are left out.
std::vector<BaselineSummary> summarise(const std::vector<BaselineRow>& rows);

/// The rows as comma-separated values: a line of column names, then one line for each row that was measured. Times are
/// in milliseconds and numbers have a decimal point. A field without a value is empty.
std::string csvOf(const std::vector<BaselineRow>& rows);

} // namespace cudal1::baselines
