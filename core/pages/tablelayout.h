// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of a table's columns on a page, and the largest type in which it fits.
#pragma once

#include "core/pages/sheet.h"
#include "core/report/document.h"

#include <vector>

namespace cudal1::pages {

struct TableLook {
    Style style = Style::Small, strong = Style::SmallBold, small = Style::Tiny;
    std::vector<double> widths; ///< of the columns, with the gaps; they fill the page
};

inline constexpr double cellGap = 60; ///< to the right of each column

TableLook lookOf(const report::Table& table, double width);

} // namespace cudal1::pages
