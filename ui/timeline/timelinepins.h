// SPDX-License-Identifier: GPL-3.0-or-later
// Pins of a timeline: lines over all tracks, with numbered flags on the ruler.
#pragma once

#include "core/timeline/blocks.h"

#include <QRect>

#include <vector>

class QPainter;

namespace cudal1::ui {

/// `tracks` is where events are drawn; the ruler is above it, from the top of the painter.
void paintPins(QPainter& painter, const std::vector<double>& pins, const timeline::Scale& scale, const QRect& tracks);

} // namespace cudal1::ui
