// SPDX-License-Identifier: GPL-3.0-or-later
// A chart of core/charts as a block of a report.
#pragma once

#include "core/charts/chart.h"
#include "core/report/document.h"

namespace cudal1::report {

/// The picture for formats that draw, the table for those that do not, the note as caption. The chart's title is not in
/// the picture: put it above. Id "chart-<kind>".
Figure chartBlock(const charts::Chart& chart, double height = 420);

} // namespace cudal1::report
