// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram of the best speed-ups of the project's tasks, coloured by level; a click chooses a bin.
#pragma once

#include "ui/charts/histogramlayout.h"

#include <QWidget>

#include <array>
#include <vector>

namespace cudal1::ui {

/// Left and Right walk the bins that hold something, Esc lets go.
class HistogramView : public QWidget {
    Q_OBJECT
public:
    /// Levels 0 (files) to 3.
    static constexpr int groups = 4;

    explicit HistogramView(QWidget* parent = nullptr);

    /// Groups are levels. A chosen bin is let go when the bins change. `quartiles` are marked; they may be of more tasks
    /// than have a sample.
    void setSamples(std::vector<report::Sample> samples, std::array<double, 3> quartiles = {});
    const report::Histogram& histogram() const { return m_histogram; }
    const HistogramLayout& arrangement() const { return m_layout; }
    int chosen() const { return m_chosen; } ///< -1 for none
    void choose(int bin);
    /// "1.25× to 1.56×: 3 tasks (level 1: 2, level 2: 1)"
    QString describe(int bin) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosenChanged(int bin);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void arrange();
    void paintAxes(QPainter& painter) const;
    void paintBars(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;

    std::vector<report::Sample> m_samples;
    std::array<double, 3> m_quartiles{};
    report::Histogram m_histogram;
    HistogramLayout m_layout;
    int m_chosen = -1;
    int m_hovered = -1;
};

} // namespace cudal1::ui
