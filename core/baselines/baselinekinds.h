// SPDX-License-Identifier: GPL-3.0-or-later
// What a task can be had for without writing a kernel: the framework's own switches, as programs that the judge takes.
#pragma once

#include "core/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::baselines {

/// Seconds that a first call may take where nobody says otherwise: max-autotune times some twenty kernels for each
/// product.
inline constexpr double buildLimit_s = 900;

struct BaselineKind {
    std::string_view id;    ///< "compile-max-autotune"
    std::string_view name;  ///< "torch.compile, max-autotune"
    bool needsCuda = false; ///< it would be eager on a CPU
    std::string_view code;  ///< Python that makes `ModelNew` of `Model`, behind `import torch`
};

/// Eager first, which is the reference itself: what it differs from 1 by is the judge's own error.
std::span<const BaselineKind> kinds();
const BaselineKind* find(std::string_view id); ///< null for an unknown one

/// The kinds of a list such as "eager,compile", in the order of kinds(); of an empty list all that this device can do.
/// InvalidArgument for an unknown one, Unavailable for one that needs a GPU where there is none.
base::Result<std::vector<const BaselineKind*>> choose(const std::string& list, bool cuda);

/// A whole candidate program: the task's source with the kind's code behind it. None of them calls a compiler that can
/// run without the GPU that it compiles for, so building ahead (core/judge/supervisor/buildlane.h) has nothing to do
/// for them.
std::string sourceOf(const BaselineKind& kind, const std::string& taskSource);

} // namespace cudal1::baselines
