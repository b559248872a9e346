// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals of means over a few independent values, by Student's distribution.
#pragma once

#include "core/base/statistics.h"

#include <span>

namespace cudal1::base {

/// The 97.5 % quantile of Student's t distribution, from one degree of freedom.
double studentT(int degrees);

/// Mean of independent values with its 95 % interval. The interval of a single value is the value alone, which says
/// that nothing is known of its spread. Zeros for none.
Interval meanWithInterval(std::span<const double> values);

} // namespace cudal1::base
