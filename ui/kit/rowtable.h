// SPDX-License-Identifier: GPL-3.0-or-later
// A table of whole rows, as all pages show them.
#pragma once

#include <QString>

class QTableView;

namespace cudal1::ui {

/// Sets up a table for reading: whole rows are chosen, several at a time, nothing is edited, lines are not wrapped, no
/// grid and no row numbers are drawn, and Tab leaves the table. `units` is the height of a row (Theme::unit). Its model
/// comes before sorting.
void setUpRows(QTableView& table, int units = 7);

/// The same for a table that has a name, for tests and styles, and what a screen reader calls it.
void setUpRows(QTableView& table, const QString& name, const QString& label, int units = 7);

} // namespace cudal1::ui
