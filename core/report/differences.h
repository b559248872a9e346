// SPDX-License-Identifier: GPL-3.0-or-later
// Two sources as a unified difference, equal stretches folded.
#pragma once

#include "core/report/document.h"

#include <string>

namespace cudal1::report {

/// Three equal lines stay around each difference. `from` and `to` name the sides.
CodeDifference differenceOf(const QString& from, const std::string& a, const QString& to, const std::string& b,
                            bool open);

} // namespace cudal1::report
