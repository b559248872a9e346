// SPDX-License-Identifier: GPL-3.0-or-later
// What a task is handed over with: its fastest correct variant, or the reference where none is faster for certain.
#pragma once

#include "core/base/ids.h"
#include "core/base/statistics.h"
#include "core/store/project.h"

#include <string>
#include <vector>

namespace cudal1::optimize {

/// Whether the reference is the best there is of a task whose fastest correct variant has this speed-up: it is faster
/// only where its whole interval lies above 1. So also where there is none, or it was not timed.
bool referenceIsBest(const base::Interval& fastest);

/// The first of `rows` (of one task, best first) that is correct, timed and not stale; null when there is none.
const store::VariantRow* fastestOf(const std::vector<store::VariantRow>& rows);

/// "The reference is best: no variant is faster by its whole interval. The fastest is variant 12, 0.61× (0.60–0.62)."
/// `fastest` is none where no variant is correct.
std::string referenceIsBestText(base::VariantId fastest, const base::Interval& speedup);

/// The reference as a program that has a ModelNew, with that sentence at its head.
std::string referenceProgram(const store::TaskRecord& task, base::VariantId fastest, const base::Interval& speedup);

} // namespace cudal1::optimize
