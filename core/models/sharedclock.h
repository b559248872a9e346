// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a device that several replies share.
#pragma once

#include <QElapsedTimer>

#include <cstddef>

namespace cudal1::models {

/// At any time each of the replies at work gets its part of the time that passes.
class SharedClock {
public:
    SharedClock() { m_timer.start(); }

    /// Seconds that a reply would have got which has been at work since the beginning.
    double now()
    {
        const double passed_s = double(m_timer.nsecsElapsed()) / 1e9;
        m_timer.start();
        if (m_atWork > 0)
            m_now += passed_s / double(m_atWork);
        return m_now;
    }
    void begin(std::size_t replies)
    {
        now();
        m_atWork += replies;
    }
    void end(std::size_t replies)
    {
        now();
        m_atWork -= replies;
    }
    void endAll() { end(m_atWork); }

private:
    QElapsedTimer m_timer;
    double m_now = 0;
    std::size_t m_atWork = 0;
};

} // namespace cudal1::models
