// SPDX-License-Identifier: GPL-3.0-or-later
// The effect of one toggle of a variant, looked up in the ablations that the project has.
#pragma once

#include "core/base/ids.h"
#include "core/base/statistics.h"
#include "core/store/project.h"

#include <optional>
#include <string>

namespace cudal1::ablation {

/// The main effect of `toggle` by the wall clock, a factor, in the newest ablation of `variant` or with it as one of the
/// combinations. Empty where none measured it, or where the project cannot be read. Reads columns only.
std::optional<base::Interval> measuredEffect(const store::Project& project, base::VariantId variant, const std::string& toggle);

} // namespace cudal1::ablation
