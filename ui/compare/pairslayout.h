// SPDX-License-Identifier: GPL-3.0-or-later
// Where the pairs of an evaluation lie on a strip chart: pure arithmetic.
#pragma once

#include "core/base/statistics.h"
#include "core/protocol/pairs.h"

#include <QRectF>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cudal1::ui {

/// x: pairs in the order of measurement, a gap between processes of the candidate. y: logarithm of the speed-up.
class PairsLayout {
public:
    PairsLayout() = default;
    PairsLayout(const std::vector<protocol::PairPoint>& points, bool events, const base::Interval& interval,
                const QRectF& plot)
        : m_plot(plot)
    {
        double low = 0, high = 0;
        const auto include = [&](double ratio) {
            if (ratio <= 0)
                return;
            low = low > 0 ? std::min(low, ratio) : ratio;
            high = std::max(high, ratio);
        };
        double used = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (i > 0 && points[i].instance != points[i - 1].instance) {
                m_borders.push_back(used + 0.5);
                used += 1;
            }
            m_slots.push_back(used + 0.5);
            used += 1;
            m_ratios.push_back(events ? points[i].event() : points[i].wall());
            if (!points[i].dropped)
                include(m_ratios.back());
        }
        m_width = std::max(used, 1.0);
        if (interval.valid()) {
            include(interval.low);
            include(interval.high);
        }
        if (low <= 0) // only pairs that were thrown away
            for (const double ratio : m_ratios)
                include(ratio);
        if (low <= 0)
            return;
        // A little air, and never less than half a percent: noise of a thousandth shall not look like a storm.
        const double air = std::max((std::log(high) - std::log(low)) * 0.08, 0.0025);
        m_low = std::log(low) - air;
        m_high = std::log(high) + air;
        // 1 is what the eye looks for, where it costs little room.
        if (m_low > 0 && m_low < m_high - m_low)
            m_low = -air;
        if (m_high < 0 && -m_high < m_high - m_low)
            m_high = air;
    }

    bool empty() const { return m_high <= m_low; }
    const QRectF& plot() const { return m_plot; }
    double low() const { return std::exp(m_low); }
    double high() const { return std::exp(m_high); }
    double yOf(double ratio) const
    {
        return m_plot.bottom() - std::clamp((std::log(ratio) - m_low) / (m_high - m_low), 0.0, 1.0) * m_plot.height();
    }
    bool inside(double ratio) const { return ratio > 0 && std::log(ratio) >= m_low && std::log(ratio) <= m_high; }
    bool has(int point) const { return m_ratios[std::size_t(point)] > 0; }
    QPointF at(int point) const
    {
        return {m_plot.left() + m_slots[std::size_t(point)] / m_width * m_plot.width(),
                yOf(m_ratios[std::size_t(point)])};
    }
    /// x between two processes.
    std::vector<double> borders() const
    {
        std::vector<double> out;
        for (const double slot : m_borders)
            out.push_back(m_plot.left() + slot / m_width * m_plot.width());
        return out;
    }
    /// The point nearest to `position` within `reach`; -1 when there is none.
    int nearest(const QPointF& position, double reach) const
    {
        int best = -1;
        double distance = reach * reach;
        for (int i = 0; i < int(m_ratios.size()); ++i) {
            if (!has(i))
                continue;
            const QPointF away = at(i) - position;
            if (const double d = QPointF::dotProduct(away, away); d <= distance) {
                distance = d;
                best = i;
            }
        }
        return best;
    }
    /// Round speed-ups for the axis, at most `most` of them.
    std::vector<double> ticks(int most) const
    {
        const double low = this->low(), high = this->high();
        double step = 0.001;
        for (int i = 0; (high - low) / step > most; ++i)
            step *= i % 3 == 1 ? 2.5 : 2; // 1, 2, 5, 10
        std::vector<double> out;
        for (double n = std::ceil(low / step); n * step <= high; ++n)
            out.push_back(n * step);
        return out;
    }

private:
    QRectF m_plot;
    double m_low = 0, m_high = 0; ///< of the logarithm
    double m_width = 1;           ///< in places of one pair
    std::vector<double> m_slots, m_ratios, m_borders;
};

} // namespace cudal1::ui
