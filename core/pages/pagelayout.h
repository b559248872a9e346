// SPDX-License-Identifier: GPL-3.0-or-later
// A report's document as pages.
#pragma once

#include "core/pages/sheet.h"
#include "core/report/document.h"

#include <functional>

namespace cudal1::pages {

/// Needs fonts (QGuiApplication), on any thread. Folded code is left to formats that can unfold it, and long evidence
/// is cut with a line that says so. `progress` gets the share that is done; false ends it early with the pages made so
/// far.
Paged layOut(const report::Document& document, const std::function<bool(double)>& progress = {});

} // namespace cudal1::pages
