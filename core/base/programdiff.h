// SPDX-License-Identifier: GPL-3.0-or-later
// Differences between two programs of a task: without those in which every candidate differs from its task.
#pragma once

#include "core/base/diff.h"

namespace cudal1::base {

/// sideBySide(), in which two things are no difference: that a class is named Model on one side and ModelNew on the
/// other, and that one side alone has get_inputs(), get_init_inputs() and the constants that stand between such
/// functions. Rows of the latter are Same, with filler on the other side.
SideBySide programsSideBySide(std::string_view a, std::string_view b, WhiteSpace space = WhiteSpace::Counts);

} // namespace cudal1::base
