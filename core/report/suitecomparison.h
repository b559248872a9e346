// SPDX-License-Identifier: GPL-3.0-or-later
// Our best variants of a whole suite beside the baselines and what others published, all judged here: by level, with
// the tasks where others win. Everything is of one device model and one precision.
#pragma once

#include "core/charts/oneversion.h"
#include "core/report/suiterow.h"

#include <functional>
#include <string>
#include <vector>

namespace cudal1::report {

struct SuiteQuestion {
    std::string deviceModel; ///< or a part of it that only one has; empty: the one with results for most tasks
    protocol::Precision precision = protocol::Precision::Kernelbench;
    std::function<bool(const store::TaskRow&)> preferred = {}; ///< see oneVersion()
};

/// A task where a baseline or a publication is faster than ours by the whole interval of the ratio.
struct SuiteLoss {
    std::size_t task = 0; ///< of SuiteComparison::tasks
    std::size_t row = 0;  ///< who is faster, of SuiteComparison::rows
    base::Interval ratio; ///< of theirs over ours
};

struct SuiteComparison {
    std::string deviceModel;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    std::vector<store::TaskRow> tasks; ///< those of the project that count: of one version, without single files
    charts::OneVersion version;
    int files = 0; ///< single files that were judged so, which belong to no level
    /// Ours, the baselines, the best of them for each task with and without `tf32`, which has another precision, the
    /// best of torch.compile, publications; then what ours is over each of them, and over the better of torch.compile's
    /// best and the reference.
    std::vector<SuiteRow> rows;
    std::vector<SuiteLoss> losses; ///< in the order of tasks; of one task the largest ratio first
    int unclear = 0;               ///< tasks without a loss where one is ahead of ours by less than its interval
    std::vector<store::MeasuredOn> elsewhere; ///< what else the project has

    const SuiteRow& ours() const { return rows.front(); }
};

/// NotFound, with what the project has, where it has nothing of this device at this precision; InvalidArgument for a
/// part of a name that several devices have.
base::Result<SuiteComparison> compareSuite(const store::Project& project, const SuiteQuestion& question);

} // namespace cudal1::report
