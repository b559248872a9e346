// SPDX-License-Identifier: GPL-3.0-or-later
// What is planned, done and left.
#include "core/crew/pace.h"

#include <algorithm>

namespace cudal1::crew {

void Pace::go()
{
    if (!m_clock.isValid())
        m_clock.start();
}

void Pace::pause(double took_s)
{
    m_spent_s = took_s > 0 ? m_spent_s + took_s : spent_s();
    m_clock.invalidate();
}

void Pace::pass(double units)
{
    m_done += units;
    m_passed += units;
}

double Pace::fraction() const
{
    return m_planned > 0 ? std::min(1.0, (m_done + m_part) / m_planned) : 0;
}

double Pace::unit_s() const
{
    if (isGuess())
        return m_expected_s;
    const double worked = m_done - m_passed + m_part;
    return m_expected_s > 0 ? (spent_s() + m_expected_s) / (worked + 1) : spent_s() / worked;
}

double Pace::left_s() const
{
    const double one = unit_s();
    return one < 0 ? -1 : one * std::max(0.0, m_planned - m_done - m_part);
}

double Pace::spent_s() const
{
    return m_spent_s + (m_clock.isValid() ? double(m_clock.elapsed()) / 1000 : 0);
}

} // namespace cudal1::crew
