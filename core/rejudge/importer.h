// SPDX-License-Identifier: GPL-3.0-or-later
// Files a publication's rows in a project: each under its task, as a variant with the claim beside it.
#pragma once

#include "core/base/result.h"
#include "core/store/project.h"
#include "core/tasks/published.h"
#include "core/tasks/suite.h"

#include <string>
#include <vector>

namespace cudal1::rejudge {

/// Something irregular about a row, under the row's name.
struct Named {
    std::string key;
    int line = 0; ///< 0 for a file of its own
    std::string code;
    std::string text;
};

struct ImportReport {
    int rows = 0;     ///< that could be told apart from noise
    int withCode = 0; ///< of them, without those that stand there twice
    int repeated = 0;
    int noCode = 0;
    int noTask = 0;     ///< not stored: no reference came with them, and the suite has none
    int suiteTasks = 0; ///< rows judged against the suite's text of the task
    int ownTasks = 0;   ///< rows judged against the text that came with them
    store::ImportCounts stored;
    std::vector<Named> named;                      ///< in the order of the rows
    std::vector<tasks::PublishedProblem> problems; ///< what was no row at all
};

/// A row goes to the task LEVEL/ID of the project or of `suite` when both texts give the same sizes, or when no
/// reference came with it; otherwise, and always with `ownTasks`, to a task of its own: "LEVEL/ID@HASH", so that
/// results of different versions of a dataset are never mixed. Doing it again changes nothing.
base::Result<ImportReport> importPublication(store::Project& project, const tasks::Suite& suite,
                                             const tasks::Publication& publication, bool ownTasks);

} // namespace cudal1::rejudge
