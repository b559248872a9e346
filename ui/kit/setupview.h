// SPDX-License-Identifier: GPL-3.0-or-later
// What every table and tree of the window can do: copy, copy as CSV, find, filter by regular expression, export.
#pragma once

#include <QObject>
#include <QString>

class QAbstractItemView;
class QAction;
class QKeySequence;

namespace cudal1::ui {

class FilterChips;
class TableFindBar;

/// Item data role with the text for copying and CSV, for cells whose DisplayRole is short or empty (painted by a
/// delegate). Falls back to DisplayRole.
inline constexpr int CopyRole = 0x0100 + 0x1000; // Qt::UserRole + 0x1000

/// The tools of one view; a child of it. A cell whose CopyRole text holds tabs is several columns of CSV, and the
/// header's CopyRole names them; rows that have children are headings and are left out when all rows are taken.
class ViewTools : public QObject {
    Q_OBJECT
public:
    /// Ctrl+C / Ctrl+Shift+C: the selected rows, or all when none is selected, tab separated or as CSV with a header.
    void copy();
    void copyCsv();
    /// What exportCsv() writes: the same with the columns that are hidden.
    QString csv() const;
    /// Opens the find bar of the view (Ctrl+F): Enter and F3 walk the matches; its Filter switch hides rows that do not
    /// match the regular expression, when the view's model is a QSortFilterProxyModel.
    void find();
    void setFilter(const QString& pattern);
    /// Opens the find bar with its Filter switch on (Ctrl+Shift+L).
    void filterRows();
    bool canFilter() const;
    QString filter() const { return m_filter; }
    /// Asks for a file and writes the CSV.
    void exportCsv();

    /// Shows the filter as a removable chip; for views whose page has no other place for it.
    FilterChips* makeChips();

    /// The tools of the view that `widget` is or is part of; null when there are none.
    static ViewTools* around(QWidget* widget);

signals:
    void filterChanged(const QString& pattern);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    friend ViewTools* setupView(QAbstractItemView* view, const QString& name);
    ViewTools(QAbstractItemView* view, const QString& name);
    QString text(bool csv, bool hiddenColumns) const;
    QAction* addTool(const QString& text, const QString& icon, const QKeySequence& shortcut, void (ViewTools::*tool)());
    void keepHeader();

    QAbstractItemView* m_view;
    QString m_name;
    QString m_filter;
    TableFindBar* m_bar = nullptr;
};

/// Installs the tools on `view`: shortcuts, and actions that appear in its context menu when that policy is
/// Qt::ActionsContextMenu (set here unless the view has a custom one). Call after setModel(). `name` is stable and
/// lower case: header widths and sorting are kept under it. The filter matches any column of a row.
ViewTools* setupView(QAbstractItemView* view, const QString& name);

} // namespace cudal1::ui
