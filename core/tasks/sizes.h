// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes that a task's text gives outside of its classes: what tells two versions of a dataset apart.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace cudal1::tasks {

/// The distinct whole numbers from 8 on that stand outside of strings, comments and module-level classes. KernelBench's
/// tasks give their shapes there, and its versions differ in them; smaller numbers are mostly axes, strides and
/// factors.
std::set<std::uint64_t> sizesOf(std::string_view source);

} // namespace cudal1::tasks
