// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of ours for the two tasks that the paper takes apart (its tables 9 and 10, figure 4), with a toggle a
// technique.
#pragma once

#include "core/base/ids.h"
#include "core/store/project.h"

#include <span>
#include <string>
#include <string_view>

namespace cudal1::ablation {

struct Example {
    std::string_view task;  ///< "3/41"
    std::string_view title; ///< "bidirectional GRU, four toggles"
    std::string_view table; ///< "table 9"
    std::string_view file;  ///< name in resources/ablation
};

std::span<const Example> examples();
const Example* exampleFor(const base::TaskId& task); ///< null when there is none

/// The whole program, as a variant of the task that is not stored yet.
store::VariantRecord variantOf(const Example& example, const store::TaskRecord& task);
std::string sourceOf(const Example& example);

} // namespace cudal1::ablation
