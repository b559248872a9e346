// SPDX-License-Identifier: GPL-3.0-or-later
// Which of some tasks are held out, however they are named.
#pragma once

#include "core/store/project.h"
#include "core/tasks/suite.h"

#include <string>
#include <vector>

namespace cudal1::collect {

/// Held out are tasks of a suite by tasks::splitOf(), files that lie where a held-out task of a suite does
/// (level3/41_Name.py), and any text that is a held-out task's of `bundled`. In the order of `tasks`.
std::vector<base::TaskId> heldOutAmong(const std::vector<store::TaskRecord>& tasks, const tasks::Suite& bundled);

/// "1/3, 1/5 and 12 more"
std::string listedIds(const std::vector<base::TaskId>& ids);

} // namespace cudal1::collect
