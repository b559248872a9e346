// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a laid-out chart with QPainter: the window and PNG files show the shapes that SVG files hold.
#pragma once

#include "core/charts/drawing.h"
#include "core/charts/svg.h"

#include <QColor>
#include <QFont>
#include <QImage>

#include <array>
#include <functional>

class QPainter;

namespace cudal1::charts {

/// A colour for each Ink, in its order.
using Colors = std::array<QColor, 13>;
Colors colorsOf(const Palette& palette);

/// `isPale` says of a mark whether its shapes are drawn pale, because others were chosen. Text gets the family of
/// `font`.
void paint(QPainter& painter, const Drawing& drawing, const Colors& colors, const QFont& font,
           const std::function<bool(int)>& isPale = {});

inline constexpr double imageMargin = 12; ///< around a drawing, on each side
/// A picture on the surface's colour, `scale` pixels a unit. Needs a QGuiApplication, for fonts.
QImage imageOf(const Drawing& drawing, const Colors& colors, const QFont& font, double scale);

} // namespace cudal1::charts
