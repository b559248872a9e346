// SPDX-License-Identifier: GPL-3.0-or-later
// A report as PDF: text stays text, charts stay vectors.
#pragma once

#include "core/pages/sheet.h"

#include <QByteArray>

#include <functional>

namespace cudal1::pages {

/// Empty when `progress`, which gets the share that is done, says false.
QByteArray pdfOf(const Paged& paged, const std::function<bool(double)>& progress = {});

} // namespace cudal1::pages
