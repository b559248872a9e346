// SPDX-License-Identifier: GPL-3.0-or-later
// The tables under the timelines: what took the time, the gaps, and what a search found.
#pragma once

#include "ui/timeline/timelineview.h"

#include <QAbstractTableModel>

namespace cudal1::ui {

/// A table of read-only cells with a title, tool tip and alignment for each column. A row is of one event or gap.
class TimelineTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum { SortRole = Qt::UserRole + 1 };
    struct Column {
        QString title, tip;
        bool right = false;
    };

    TimelineTableModel(std::vector<Column> columns, QObject* parent);

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    virtual TimelineView::Picked pickedOf(int row) const = 0;

protected:
    virtual QString text(int row, int column) const = 0;
    virtual QVariant sortKey(int row, int column) const = 0;
    virtual QString tip(int row, int column) const;

    TimelineView::Sides m_sides;

private:
    std::vector<Column> m_columns;
};

/// Rows of tableOf() of every side.
class WorkModel : public TimelineTableModel {
    Q_OBJECT
public:
    enum { Side, What, Name, Count, Total, Share, Grid, Block, Registers, Shared, Rate };
    struct Row {
        int side = 0;
        timeline::TableRow row;
    };
    using Rows = std::vector<Row>;
    /// On any thread.
    static Rows rowsOf(const TimelineView::Sides& sides, const std::optional<timeline::Span>& span);

    explicit WorkModel(QObject* parent = nullptr);
    void setRows(TimelineView::Sides sides, Rows rows);
    const Row& at(int row) const { return m_rows[std::size_t(row)]; }
    /// The row that an event is counted in; -1 for none.
    int rowOf(const TimelineView::Picked& picked) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    TimelineView::Picked pickedOf(int row) const override; ///< the longest of its events

protected:
    QString text(int row, int column) const override;
    QVariant sortKey(int row, int column) const override;
    QString tip(int row, int column) const override;

private:
    Rows m_rows;
};

/// The longest gaps of all sides, at most `most`.
class GapsModel : public TimelineTableModel {
    Q_OBJECT
public:
    enum { Side, Cause, Duration, Start, Why };
    static constexpr std::size_t most = 10'000;

    explicit GapsModel(QObject* parent = nullptr);
    void setSides(TimelineView::Sides sides);
    int rowOf(const TimelineView::Picked& picked) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    TimelineView::Picked pickedOf(int row) const override;

protected:
    QString text(int row, int column) const override;
    QVariant sortKey(int row, int column) const override;
    QString tip(int row, int column) const override;

private:
    std::vector<TimelineView::Picked> m_rows;
};

/// Events that were found, side by side, each by begin.
class FoundModel : public TimelineTableModel {
    Q_OBJECT
public:
    enum { Name, What, Side, Track, Start, Duration };
    using Found = std::vector<std::pair<int, timeline::EventIndex>>;

    explicit FoundModel(QObject* parent = nullptr);
    void setFound(TimelineView::Sides sides, Found found);

    int rowCount(const QModelIndex& parent = {}) const override;
    TimelineView::Picked pickedOf(int row) const override;

protected:
    QString text(int row, int column) const override;
    QVariant sortKey(int row, int column) const override;

private:
    Found m_found;
};

} // namespace cudal1::ui
