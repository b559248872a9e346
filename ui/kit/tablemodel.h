// SPDX-License-Identifier: GPL-3.0-or-later
// What the models of tables have in common: columns with title, tool tip and alignment, and cells that each fills.
#pragma once

#include <QAbstractTableModel>

#include <utility>
#include <vector>

namespace cudal1::ui {

/// A model says how many rows it has and what is in a cell, and tells of changes. Cells and headers are aligned as
/// their column; all cells are painted anew when the theme changes.
class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum { SortRole = Qt::UserRole + 1, OwnRole }; ///< a model's own roles begin with OwnRole

    struct Column {
        QString title;
        QString tip = {};
        Qt::Alignment alignment = Qt::AlignLeft;
        QString copied = {}; ///< its title in what is copied, where that is another
    };

    int rowCount(const QModelIndex& parent = {}) const final { return parent.isValid() ? 0 : rows(); }
    int columnCount(const QModelIndex& parent = {}) const final { return parent.isValid() ? 0 : int(m_columns.size()); }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const final;

protected:
    TableModel(std::vector<Column> columns, QObject* parent);

    virtual int rows() const = 0;
    /// What data() gives, but for the alignment; nothing for a role that the cell says nothing to. Row and column are
    /// valid.
    virtual QVariant cell(int row, int column, int role) const = 0;

    bool isRight(int column) const { return m_columns[std::size_t(column)].alignment == Qt::AlignRight; }
    /// Between beginResetModel() and endResetModel(); where their number stays, headerDataChanged() may be told
    /// instead.
    void setColumns(std::vector<Column> columns) { m_columns = std::move(columns); }
    /// Tells dataChanged() of every cell, or of every cell of a column; of all roles where none is named.
    void cellsChanged(const QList<int>& roles = {});
    void columnChanged(int column, const QList<int>& roles = {});

private:
    std::vector<Column> m_columns;
};

} // namespace cudal1::ui
