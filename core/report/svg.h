// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram of speed-ups as inline SVG that takes its colours from the page.
#pragma once

#include "core/report/histogram.h"

#include <QString>
#include <QStringList>

namespace cudal1::report {

/// Bars stacked by group on a ln axis, with 1x and the quartiles marked. `groups` names the groups, in order; group i is
/// drawn in the page's class "g<i>". `what` is what is counted ("tasks"). Empty for an empty histogram.
QString histogramSvg(const Histogram& histogram, const QStringList& groups, const QString& what);

} // namespace cudal1::report
