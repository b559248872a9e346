// SPDX-License-Identifier: GPL-3.0-or-later
// A project, or one of its tasks, as one HTML file that needs nothing else.
#pragma once

#include "core/base/result.h"
#include "core/store/project.h"

#include <QString>

#include <cstdint>
#include <set>
#include <string>

namespace cudal1::report {

struct ReportScope {
    base::TaskId task;            ///< empty: the whole project
    std::int64_t created_ms = 0;  ///< stands in the head; 0: now
    std::set<std::string> texts;  ///< hashes of the tasks of the suite to report on; empty: see oneVersion()
};

/// UTF-8 text that is well-formed both as HTML and as XML. It loads nothing, and its one script (sorting of tables) is the
/// only one that a browser will run in it. NotFound when the project does not have the task. Reads raw samples: takes
/// milliseconds a task, so call it on a worker thread, with a Project of that thread.
base::Result<QString> htmlReport(const store::Project& project, const ReportScope& scope = {});

} // namespace cudal1::report
