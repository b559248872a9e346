// SPDX-License-Identifier: GPL-3.0-or-later
// Paints pages, on a screen or into a PDF.
#pragma once

#include "core/pages/sheet.h"

class QPainter;

namespace cudal1::pages {

/// Without the paper itself, in units of the page from the painter's origin. On the thread of the painter.
void paint(QPainter& painter, const Paged& paged, std::size_t page);

} // namespace cudal1::pages
