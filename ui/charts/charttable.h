// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a chart, for those who want its numbers.
#pragma once

#include "core/charts/chart.h"
#include "ui/kit/tablemodel.h"

#include <memory>

namespace cudal1::ui {

class ChartTable : public TableModel {
    Q_OBJECT
public:
    explicit ChartTable(QObject* parent = nullptr);

    void setChart(std::shared_ptr<const charts::Chart> chart);

private:
    int rows() const override;
    QVariant cell(int row, int column, int role) const override;

    std::shared_ptr<const charts::Chart> m_chart;
};

} // namespace cudal1::ui
