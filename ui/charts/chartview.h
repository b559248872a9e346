// SPDX-License-Identifier: GPL-3.0-or-later
// A chart on the screen: painted from the same drawing as its files, with values under the pointer and marks to click.
#pragma once

#include "core/pages/chartpainter.h"

#include <QWidget>

#include <memory>
#include <set>

namespace cudal1::ui {

/// The theme's colours for the inks of charts.
charts::Colors chartColors();

/// Left and Right walk the marks (where they stand in rows, Up and Down too), Enter and Space click the one that was
/// reached, Esc lets go. The accessible description is the chart in words, then what the reached mark says.
class ChartView : public QWidget {
    Q_OBJECT
public:
    explicit ChartView(QWidget* parent = nullptr);

    void setChart(std::shared_ptr<const charts::Chart> chart);
    const charts::Chart& chart() const { return *m_chart; }
    const charts::Drawing& drawing() const { return m_drawing; }
    /// The size of text that it is drawn in.
    charts::ChartStyle drawnIn() const;
    /// Keys of the marks that filter now; the others are painted pale. Levels have marks in the legend alone: with
    /// those, marks that have a task which stays are not pale either.
    void setChosen(const std::set<std::string>& keys, const std::function<bool(const base::TaskId&)>& leaves);
    /// What the mark under the pointer, or reached by keys, says; empty for none.
    QString hoverText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void clicked(const cudal1::charts::Mark& mark);
    /// Double click, or Ctrl+Enter: go to what the mark stands for.
    void activated(const cudal1::charts::Mark& mark);
    void released();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void arrange();
    void reach(int mark);
    bool isNoteCut() const;
    QPointF margin() const;
    const charts::Mark& at(int mark) const { return m_chart->marks[std::size_t(mark)]; }

    std::shared_ptr<const charts::Chart> m_chart;
    charts::Drawing m_drawing;
    std::set<std::string> m_chosen;
    int m_reached = -1; ///< mark under the pointer, or that the keys reached
};

} // namespace cudal1::ui
