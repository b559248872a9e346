// SPDX-License-Identifier: GPL-3.0-or-later
// What tables of rows have in common.
#include "ui/kit/rowtable.h"

#include "ui/kit/theme.h"

#include <QHeaderView>
#include <QTableView>

namespace cudal1::ui {

void setUpRows(QTableView& table, int units)
{
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::ExtendedSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(Theme::instance().unit(units));
    table.horizontalHeader()->setHighlightSections(false);
}

void setUpRows(QTableView& table, const QString& name, const QString& label, int units)
{
    table.setObjectName(name);
    table.setAccessibleName(label);
    setUpRows(table, units);
}

} // namespace cudal1::ui
