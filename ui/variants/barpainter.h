// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a speed-up bar with its whisker, for tables and the task list.
#pragma once

#include "ui/variants/speedupbar.h"

#include <string>

class QPainter;
class QRectF;

namespace cudal1::ui {

/// In the colour of speedupBarRole().
void paintSpeedupBar(QPainter& painter, const QRectF& area, const SpeedupAxis& axis, const base::Interval& interval,
                     const std::string& marks = {});

} // namespace cudal1::ui
