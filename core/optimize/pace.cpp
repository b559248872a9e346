// SPDX-License-Identifier: GPL-3.0-or-later
// Means of evaluations.
#include "core/optimize/pace.h"

#include <algorithm>

namespace cudal1::optimize {

void Pace::beginEvaluation()
{
    m_seen = {};
    m_clock.start();
}

void Pace::endEvaluation(double total_s)
{
    ++m_done;
    m_seconds += total_s > 0 ? total_s : double(m_clock.elapsed()) / 1000;
    m_seen = {};
    m_clock.invalidate();
}

double Pace::fraction() const
{
    const double part = m_clock.isValid() ? std::clamp(m_seen.fraction, 0.0, 1.0) : 0;
    return m_planned > 0 ? (m_done + part) / m_planned : 0;
}

double Pace::left_s() const
{
    if (m_done == 0)
        return -1;
    const double each = m_seconds / m_done;
    const double running = m_clock.isValid() ? std::min(each, double(m_clock.elapsed()) / 1000) : 0;
    return std::max(0.0, each * (m_planned - m_done) - running);
}

} // namespace cudal1::optimize
