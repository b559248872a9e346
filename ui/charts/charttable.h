// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a chart, for those who want its numbers.
#pragma once

#include "core/report/charts/chart.h"

#include <QAbstractTableModel>

#include <memory>

namespace cudal1::ui {

class ChartTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum { SortRole = Qt::UserRole + 1 };

    explicit ChartTable(QObject* parent = nullptr);

    void setChart(std::shared_ptr<const charts::Chart> chart);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const charts::Chart> m_chart;
};

} // namespace cudal1::ui
