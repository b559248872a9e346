// SPDX-License-Identifier: GPL-3.0-or-later
// Speed-ups of tasks put together by level: means, quartiles, successes, under a named rule for failures.
#pragma once

#include "core/report/document.h"
#include "core/report/facts.h"

#include <optional>
#include <string_view>
#include <vector>

namespace cudal1::report {

/// How a task without a speed-up enters means and quartiles.
enum class FailureRule {
    One,     ///< as 1×: one would keep the reference
    Zero,    ///< as 0
    LeftOut, ///< not at all
};
std::string_view toString(FailureRule rule); ///< "1×", "0", "left out"

/// One task's number: level, and its speed-up where it has one.
struct Score {
    int level = 0;
    std::optional<double> speedup;
};

struct LevelLine {
    static constexpr int allLevels = -1;
    int level = allLevels;
    int tasks = 0;     ///< tried ones
    int successes = 0; ///< with a speed-up
    int above = 0;     ///< of more than 1.01
    int counted = 0;   ///< in what follows, which is 0 for none
    double mean = 0, geometricMean = 0, highest = 0, upper = 0, median = 0, lower = 0;
};

/// A line a level, and one of all when there is more than one level; single files last.
std::vector<LevelLine> levelLines(const std::vector<Score>& scores, FailureRule rule);

/// One line of them; 0 tasks where the level has none.
LevelLine levelLine(const std::vector<Score>& scores, int level, FailureRule rule);

/// Of tried tasks, by the clock of `event` or wall; with several devices or precisions it is still the best variant's.
std::vector<Score> scoresOf(const ReportFacts& facts, bool event);

/// Quartiles and the like of the tasks by level, or of the correct variants of a single task.
Table percentileTable(const ReportFacts& facts);

QString lineName(int level); ///< "all", "level 1", "files"

} // namespace cudal1::report
