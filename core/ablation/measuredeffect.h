// SPDX-License-Identifier: GPL-3.0-or-later
// The effects of a variant's toggles, looked up in the ablations that the project has.
#pragma once

#include "core/base/ids.h"
#include "core/base/statistics.h"
#include "core/store/project.h"

#include <map>
#include <string>

namespace cudal1::ablation {

/// By toggle: its main effect by the wall clock, a factor, in the newest ablation of `variant`, or with it as one of
/// the combinations, that measured it. Empty where the project cannot be read. Reads samples, a millisecond or two a
/// combination.
std::map<std::string, base::Interval> measuredEffects(const store::Project& project, base::VariantId variant);

} // namespace cudal1::ablation
