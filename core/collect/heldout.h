// SPDX-License-Identifier: GPL-3.0-or-later
// Which of some tasks are held out, however they are named.
#pragma once

#include "core/base/result.h"
#include "core/store/project.h"
#include "core/tasks/suite.h"

#include <string>
#include <vector>

namespace cudal1::collect {

/// Held out are tasks of a suite by tasks::splitOf(), files that lie where a held-out task of a suite does
/// (level3/41_Name.py), any text that is a held-out task's of `bundled`, and those of `besides`, by id or text. In the
/// order of `tasks`.
std::vector<base::TaskId> heldOutAmong(const std::vector<store::TaskRecord>& tasks, const tasks::Suite& bundled,
                                       const std::vector<store::TaskRecord>& besides = {});
/// InvalidArgument, with the first ids, where there are any. `where`: what has the tasks; `hint`: what to do.
base::Status refuseHeldOut(const std::vector<base::TaskId>& heldOut, const std::string& where, const std::string& hint);

/// "1/3, 1/5 and 12 more"
std::string listedIds(const std::vector<base::TaskId>& ids);

} // namespace cudal1::collect
