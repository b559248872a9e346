// SPDX-License-Identifier: GPL-3.0-or-later
// Finds out what kind of suite a folder is and which version.
#pragma once

#include "core/tasks/suite.h"

namespace cudal1::tasks {

/// Fills kind, version and digest of a suite whose tasks are read, and the pin of its tasks that have a level.
void stampVersion(Suite& suite);

} // namespace cudal1::tasks
