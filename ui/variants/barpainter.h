// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a speed-up bar with its whisker, for tables and the task list.
#pragma once

#include "ui/variants/speedupbar.h"

class QPainter;
class QRectF;

namespace cudal1::ui {

void paintSpeedupBar(QPainter& painter, const QRectF& area, const SpeedupAxis& axis, const base::Interval& interval);

} // namespace cudal1::ui
