// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and foreign text as they stand in a report.
#pragma once

#include "core/base/statistics.h"
#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <QString>

#include <string>
#include <string_view>

namespace cudal1::charts {

/// Text from outside, safe in elements and quoted attributes of HTML and XML. Control characters and those that reorder
/// text, which could make code look like other code, become visible signs.
QString escaped(const QString& text);
QString escaped(std::string_view text);
/// The same for a format that gives '<' and '&' no meaning: only what cannot be seen is made visible.
QString visible(const QString& text);

/// Three significant digits with a sign: "1.04×", "19.8×", "449×". Never more precise than what can be measured.
QString speedupText(double speedup);
/// The estimate, with the decimals of intervalText().
QString speedupText(const base::Interval& interval);
/// "3.83–3.89", empty for an invalid interval.
QString intervalText(const base::Interval& interval);
/// "3.50 ms"; empty for no time.
QString timeText(double nanoseconds);
/// "1 min 10 s"; empty for a negative number.
QString durationText(double seconds);
/// "1.50 MiB"
QString bytesText(double bytes);
/// "1 task", "3,000 tasks"
QString counted(qsizetype number, const char* one, const char* many);
/// UTC, "2025-07-11 14:05".
QString dateText(std::int64_t milliseconds);

QString verdictText(protocol::Verdict verdict); ///< "does not build"
/// "improved"; "questioned" or "other precision" where that is said of the gain; "slower" where isSlower().
QString stateText(const store::TaskRow& row);
/// "▲", "▼", "=", "?": stands beside the colour of a comparison.
QString comparisonSign(base::Comparison comparison);

} // namespace cudal1::charts
