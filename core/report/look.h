// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet and the script that stand inside a report.
#pragma once

#include <QString>

namespace cudal1::report {

/// Light and dark, narrow and wide, screen and paper. Contains neither '<' nor '&'.
QString styleSheet();
/// Sorts tables by a click on a heading. Contains neither '<' nor '&', so that the page stays well-formed XML.
extern const char* const sortScript;

/// An SVG of the page with the colours of white paper inside, for what knows no style sheet of a page.
QString printable(const QString& svg);

} // namespace cudal1::report
