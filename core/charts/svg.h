// SPDX-License-Identifier: GPL-3.0-or-later
// A drawing as SVG text.
#pragma once

#include "core/charts/chartlayout.h"
#include "core/charts/drawing.h"

#include <array>

namespace cudal1::charts {

/// A colour as #rrggbb for each Ink, in its order.
using Palette = std::array<const char*, 13>;
const Palette& lightPalette();
const Palette& darkPalette();

struct SvgOptions {
    const Palette* palette = nullptr; ///< null: light
    bool background = true;           ///< paint the surface
    QString font = QStringLiteral("system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif");
};

/// Well-formed, without references to anything outside it, with `chart` in words as its title and description and the
/// hover text of each mark as its tool tip. What is filled, text too, has the class "ink-<name>" ("ink-level1"), what
/// has a stroke "line-<name>", so that the style sheet of a page may give them other colours (`.ink-text { fill: … }`).
QString svgOf(const Drawing& drawing, const Chart& chart, const SvgOptions& options = {});
/// Laid out and written: the picture of a chart for a report.
QString svgOf(const Chart& chart, const QSizeF& size, const ChartStyle& style = {}, const SvgOptions& options = {});

/// "level1"
const char* nameOf(Ink ink);

} // namespace cudal1::charts
