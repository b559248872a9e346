// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of kernels: the roofline of two sides in one, and where the time of the one went in the other.
#pragma once

#include "core/charts/chart.h"
#include "core/counters/kernelchange.h"
#include "core/counters/kernelfacts.h"

#include <span>

namespace cudal1::charts {

struct KernelSide {
    QString name; ///< "reference", "variant 14"
    counters::SideFacts facts;
};

/// Rate over intensity, under the roofs of memory and of the pipes; at most two sides, the first being what the second
/// is set against. A point for each kernel that was counted, and one for each call as a whole. The table has the
/// kernels of all sides with everything that is known of them.
Chart roofline(std::span<const KernelSide> sides, const counters::Roofs& roofs);

/// What each kernel of A and of B takes of a call, the largest differences first; the last line is the host's. The
/// table has all of them, with their share of the gain.
Chart kernelChanges(std::span<const counters::KernelChange> changes, const QString& a, const QString& b);

} // namespace cudal1::charts
