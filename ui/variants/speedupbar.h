// SPDX-License-Identifier: GPL-3.0-or-later
// Where a speed-up lies on a bar with a logarithmic axis.
#pragma once

#include "core/base/statistics.h"

#include <QString>

#include <algorithm>
#include <cmath>

namespace cudal1::ui {

/// The axis that all bars of one view share. Always holds 1; at least a factor of two long.
struct SpeedupAxis {
    double low = 1, high = 2;
    QString badge; ///< the longest of the view: bars end before its place in all rows, so that they can be compared

    /// `word`: of the badge behind this bar.
    void include(const base::Interval& interval, const QString& word = {})
    {
        if (!interval.valid())
            return;
        low = std::min(low, std::max(interval.low, 1e-3));
        high = std::max(high, interval.high);
        if (word.size() > badge.size())
            badge = word;
    }
    /// 0 at `low`, 1 at `high`; clamped.
    double at(double speedup) const
    {
        return std::clamp(std::log(std::max(speedup, 1e-9) / low) / std::log(high / low), 0.0, 1.0);
    }
    bool operator==(const SpeedupAxis&) const = default;
};

/// Fractions of the bar's width.
struct SpeedupBar {
    double one = 0;           ///< where 1× is
    double from = 0, to = 0;  ///< the filled part: between 1× and the estimate
    double low = 0, high = 0; ///< the whisker
};

inline SpeedupBar speedupBar(const SpeedupAxis& axis, const base::Interval& interval)
{
    const double one = axis.at(1), estimate = axis.at(interval.estimate);
    return {one, std::min(one, estimate), std::max(one, estimate), axis.at(interval.low), axis.at(interval.high)};
}

} // namespace cudal1::ui
