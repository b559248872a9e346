// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a report says, read from a project before a line of it is written.
#pragma once

#include "core/report/oneversion.h"
#include "core/report/report.h"
#include "core/report/summary.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::report {

/// One task with its variants. `shown` is the variant whose code stands in the report: the best one, or the latest
/// judged one when none is correct.
struct TaskFacts {
    store::TaskRow row;
    std::string source;
    std::vector<store::VariantRow> variants; ///< best first
    std::optional<store::VariantRecord> shown;
    std::optional<protocol::Evaluation> shownEvaluation;
};

struct Facts {
    std::string project; ///< file name
    bool single = false; ///< one task, not the project
    std::vector<TaskFacts> tasks; ///< those with variants
    int untried = 0;
    OneVersion version;  ///< what the tasks were chosen by, unless single
    Summary summary;
    // Distinct values over the evaluations shown; a report over two machines has to say so.
    std::set<std::string> devices, environments, precisions, presets;
    std::int64_t firstMeasured_ms = 0, lastMeasured_ms = 0;
};

base::Result<Facts> gather(const store::Project& project, const ReportScope& scope);

} // namespace cudal1::report
