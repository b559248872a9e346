// SPDX-License-Identifier: GPL-3.0-or-later
// Small charts beside and below each other, as many in a row as the width has room for.
#pragma once

#include "core/charts/chart.h"

#include <QScrollArea>

#include <memory>
#include <vector>

class QGridLayout;
class QLabel;

namespace cudal1::ui {

class ChartView;

class CurvesGrid : public QScrollArea {
    Q_OBJECT
public:
    explicit CurvesGrid(QWidget* parent = nullptr);

    /// `note` stands in place of charts where there are none.
    void setCharts(const std::vector<std::shared_ptr<const charts::Chart>>& charts, const QString& note);
    const std::vector<ChartView*>& views() const { return m_views; }
    QString csv() const; ///< of all, one table after the other

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    QWidget* m_inside;
    QGridLayout* m_grid;
    QLabel* m_note;
    std::vector<ChartView*> m_views;
    std::size_t m_shown = 0;
    int m_columns = 0;
};

} // namespace cudal1::ui
