// SPDX-License-Identifier: GPL-3.0-or-later
// The column of a table that has the names of kernels: it takes the room that is left, and its names differ.
#pragma once

#include <QFont>
#include <QHash>
#include <QStyledItemDelegate>

class QTableView;

namespace cudal1::ui {

/// Paints names by distinctNames(); the model's text stays whole. The other columns take their content's width; the
/// name's takes what the table has left, at first beside the columns up to `last`: those behind it are scrolled to
/// where there is little room.
class NameDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// Of the table, which has its model.
    NameDelegate(QTableView& table, int column, int last);

    bool eventFilter(QObject* watched, QEvent* event) override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

private:
    void fit();
    /// For names in this many pixels.
    void shorten(int room, const QFont& font) const;

    QTableView& m_table;
    int m_column, m_last;
    mutable QHash<QString, QString> m_shown; ///< by name; empty until they are painted
    mutable int m_room = 0;
    mutable QFont m_font;
};

} // namespace cudal1::ui
