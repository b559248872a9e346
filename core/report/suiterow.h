// SPDX-License-Identifier: GPL-3.0-or-later
// What one contender has of each task of a suite, as numbers that can be put together and set against another's.
#pragma once

#include "core/base/ids.h"
#include "core/report/levels.h"
#include "core/store/project.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::report {

/// One task of one contender. Who has no correct and timed candidate keeps the reference, so that it counts as 1; so
/// does a gain that a label puts in question (protocol::gainInQuestion()).
struct Standing {
    base::VariantId variant; ///< that the rest is about; none where nothing was judged
    bool correct = false;
    bool inQuestion = false; ///< a gain that counts as 1
    bool kept = false;       ///< see keptWhereSlower()
    base::Interval counted{1, 1, 1};
    std::optional<store::EvaluationSummary> measured; ///< where `counted` is what was measured of `variant`

    bool isMeasured() const { return bool(variant); }
};

/// Of a row with an evaluation, which is on the device and at the precision that are meant.
Standing standingOf(const store::VariantRow& row);
/// The one that counts of two: a measured one, a correct one, the higher low end of what counts, in this order.
const Standing& better(const Standing& a, const Standing& b);
/// Where a correct candidate is not faster by its whole interval, the reference is kept in its place, and counts as 1
/// (protocol::countedInMeans()).
Standing keptWhereSlower(Standing standing);
/// How many times as fast `a` is as `b`: at one speed of the host (protocol/hostspeed.h) where both count as they were
/// measured, else of what counts.
base::Interval ratioOf(const Standing& a, const Standing& b);

/// A contender: ours, a baseline, a publication, or the best of several for each task; or what ours is over another.
struct SuiteRow {
    enum class Kind { Ours, Baseline, BestOf, Import, Ratio };
    Kind kind = Kind::Ours;
    std::string name;                              ///< "ours", "compile", "best baseline", "cuda-l1: h100.jsonl"
    std::vector<Standing> standings;               ///< one a task, in the order of the tasks; none of a ratio
    std::vector<LevelLine> lines;                  ///< of all levels together, then of each
    int notMeasured = 0, inQuestion = 0, kept = 0; ///< tasks
};

} // namespace cudal1::report
