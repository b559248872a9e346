// SPDX-License-Identifier: GPL-3.0-or-later
// Where the bars of a speed-up histogram lie in a plot, and which one is at a point: pure arithmetic.
#pragma once

#include "core/report/histogram.h"

#include <QRectF>

namespace cudal1::ui {

class HistogramLayout {
public:
    HistogramLayout() = default;
    /// `gap` is between neighbouring bars.
    HistogramLayout(const report::Histogram& histogram, const QRectF& plot, double gap)
        : m_plot(plot), m_bins(int(histogram.bins.size())), m_gap(gap), m_top(report::axisTop(std::max(1, histogram.highest)))
    {
    }

    const QRectF& plot() const { return m_plot; }
    int top() const { return m_top; } ///< tasks at the upper end of the vertical axis

    double yOf(double count) const { return m_plot.bottom() - m_plot.height() * count / m_top; }
    double xOf(const report::Histogram& histogram, double speedup) const
    {
        return m_plot.left() + m_plot.width() * histogram.position(speedup);
    }

    /// The whole height of a bin: what can be pointed at.
    QRectF column(int bin) const
    {
        const double width = m_plot.width() / std::max(1, m_bins);
        return {m_plot.left() + bin * width, m_plot.top(), width, m_plot.height()};
    }
    /// The part of a bin's bar from `below` tasks on, `count` tall.
    QRectF bar(int bin, int below, int count) const
    {
        const QRectF whole = column(bin);
        const double gap = std::min(m_gap, whole.width() / 3);
        return {whole.left() + gap / 2, yOf(below + count), whole.width() - gap, yOf(below) - yOf(below + count)};
    }
    /// -1 outside of the plot.
    int binAt(const QPointF& point) const
    {
        if (m_bins == 0 || !m_plot.contains(point))
            return -1;
        return std::min(m_bins - 1, int((point.x() - m_plot.left()) / m_plot.width() * m_bins));
    }

private:
    QRectF m_plot;
    int m_bins = 0;
    double m_gap = 0;
    int m_top = 1;
};

} // namespace cudal1::ui
