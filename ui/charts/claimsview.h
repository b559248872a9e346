// SPDX-License-Identifier: GPL-3.0-or-later
// The claims of others as a list: a row opens the code before and after.
#pragma once

#include "core/rejudge/publishedclaims.h"

#include <QFrame>

#include <vector>

class QModelIndex;
class QSortFilterProxyModel;
class QTableView;

namespace cudal1::ui {

class ClaimsModel;
class ProjectModel;
class Selection;
class ViewTools;

class ClaimsView : public QFrame {
    Q_OBJECT
public:
    ClaimsView(ProjectModel& project, Selection& selection, QWidget* parent = nullptr);

    void setClaims(const std::vector<rejudge::RankedClaim>& claims);
    QTableView* view() const { return m_table; }
    ViewTools* tools() const { return m_tools; }

private:
    void open(const QModelIndex& index);

    Selection& m_selection;
    ClaimsModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QTableView* m_table;
    ViewTools* m_tools = nullptr;
};

} // namespace cudal1::ui
