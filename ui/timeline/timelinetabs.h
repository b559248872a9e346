// SPDX-License-Identifier: GPL-3.0-or-later
// The tables under the timelines, in tabs: what the device did, the operators, the host's CUDA calls, the gaps, and
// what a search found. Work stands in three tables since a kernel, its operator and the wait for it take the same time.
#pragma once

#include "ui/timeline/timelineview.h"

#include <QTabWidget>

#include <vector>

class QSortFilterProxyModel;
class QTableView;

namespace cudal1::ui {

class FoundModel;
class GapTotals;
class GapsModel;
class TimelineLoader;
class TimelineTableModel;
class ViewTools;
class WorkModel;

/// They follow what is picked and measured in the view, and pick there what is chosen in them. Counting and searching
/// are the loader's.
class TimelineTabs : public QTabWidget {
    Q_OBJECT
public:
    TimelineTabs(TimelineView& view, TimelineLoader& loader, QWidget* parent = nullptr);

    ViewTools* table() const;
    /// The view shows others than before.
    void showSides();
    /// A regular expression, or plain text where it is none; nothing is found of an empty one.
    void search(const QString& text);
    void nextFound(int by);

signals:
    /// How much, in words.
    void found(const QString& words);

private:
    enum Tab { Device, Operators, Calls, Gaps, Found };

    /// `rows` are of the model, and the table's. `above`, where there is one, stands over the table.
    QTableView* makeTable(TimelineTableModel* model, QSortFilterProxyModel* rows, const char* name,
                          const QString& title, int sortColumn, Qt::SortOrder order, QWidget* above = nullptr);
    void makeWorkTable(Tab tab, const char* name);
    QString titleOf(Tab tab) const; ///< of work: in the measured span, where there is one
    /// Tables of work without rows have no tab.
    void showWorkTabs();
    void countAgain();
    void unchooseOutside(Tab chosen);
    void follow();
    void rowChosen(TimelineTableModel* model, const QModelIndex& current);

    TimelineView& m_view;
    TimelineLoader& m_loader;
    WorkModel* m_work;
    GapsModel* m_gaps;
    FoundModel* m_found;
    GapTotals* m_gapTotals;
    std::vector<QTableView*> m_tables;
    bool m_picking = false; ///< a table is following the view, or the other way round
};

} // namespace cudal1::ui
