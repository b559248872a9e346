// SPDX-License-Identifier: GPL-3.0-or-later
// What the panes of the ablation page have in common: titles, columns of panes, and dense tables.
#pragma once

#include <QString>

#include <initializer_list>
#include <utility>

class QLabel;
class QTableView;
class QWidget;

namespace cudal1::ui {

// Whoever puts a widget into a layout owns it.

QLabel* paneTitle(const QString& text);

/// Panes one under the other; the number is the stretch.
QWidget* paneColumn(std::initializer_list<std::pair<QWidget*, int>> panes);

/// Without grid and row numbers, and as high as its rows where there is room.
void makeDense(QTableView& view);

} // namespace cudal1::ui
