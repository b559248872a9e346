// SPDX-License-Identifier: GPL-3.0-or-later
// What a report is about, and how much of it it tells.
#pragma once

#include "core/base/ids.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::report {

enum class Template {
    Full,    ///< everything: code, differences, every verdict with its reasons
    Summary, ///< numbers, charts and tables
    Paper,   ///< tables as in the paper: mean, quartiles, success by level, under both clocks
    Claims,  ///< what imported publications claim, and the code of the highest claims before and after
};

std::string_view toString(Template value);
/// False, and `out` untouched, for an unknown word.
bool fromString(std::string_view word, Template& out);

struct ReportScope {
    enum class Kind { Project, Task, Run, Comparison, Ablation } kind = Kind::Project;
    base::TaskId task;         ///< Task
    base::RunId run;           ///< Run
    base::AblationId ablation; ///< Ablation
    std::vector<base::VariantId>
        variants; ///< Comparison: at least two of one task; the first is compared with the others
    Template shape = Template::Full;
    std::int64_t created_ms = 0; ///< stands in the head; 0: now
    std::set<std::string> texts; ///< hashes of the tasks of the suite to report on; empty: see oneVersion()
    /// Called with the share of the reading that is done, 0 to 1; false cancels. May be empty.
    std::function<bool(double)> progress;

    static ReportScope ofTask(base::TaskId id)
    {
        ReportScope scope;
        scope.kind = Kind::Task;
        scope.task = std::move(id);
        return scope;
    }
};

} // namespace cudal1::report
