// SPDX-License-Identifier: GPL-3.0-or-later
// The clocks of a run: news of its progress, the heartbeat of its owner, and its budget of time.
#pragma once

#include "core/crew/throttle.h"
#include "core/optimize/heartbeat.h"

#include <QElapsedTimer>

#include <algorithm>

namespace cudal1::optimize {

/// How long a run has worked: the time since it began, without that in which it waited for a device that another
/// program had, or for an evaluator.
class WorkClock {
public:
    void start()
    {
        m_clock.start();
        m_waited_ms = 0;
        m_waitsSince_ms = -1;
    }
    void wait(bool waits)
    {
        if (waits == (m_waitsSince_ms >= 0))
            return;
        if (!waits)
            m_waited_ms += m_clock.elapsed() - m_waitsSince_ms;
        m_waitsSince_ms = waits ? m_clock.elapsed() : -1;
    }
    double worked_s() const
    {
        return double((m_waitsSince_ms >= 0 ? m_waitsSince_ms : m_clock.elapsed()) - m_waited_ms) / 1000;
    }

private:
    QElapsedTimer m_clock;
    qint64 m_waited_ms = 0;      ///< without the wait that goes on
    qint64 m_waitsSince_ms = -1; ///< -1 while it works
};

/// Of one thread with an event loop.
class RunTimers {
public:
    /// `progress` tells how far the run is, `beat` is Heartbeat's, `over` says that its time is up.
    RunTimers(std::function<void()> progress, std::function<base::Status()> beat, std::function<void()> over)
        : m_progress(std::move(progress)), m_heartbeat(std::move(beat))
    {
        m_budget.setSingleShot(true);
        QObject::connect(&m_budget, &QTimer::timeout, &m_budget, std::move(over));
    }

    void beat() { m_heartbeat.start(); }
    void askProgress() { m_progress.ask(); }
    void limit(double left_s) { m_budget.start(int(std::min(std::max(0.0, left_s) * 1000, 2e9))); }
    void unlimit() { m_budget.stop(); }
    void stop()
    {
        m_progress.stop();
        m_heartbeat.stop();
        m_budget.stop();
    }

private:
    crew::Throttle m_progress;
    Heartbeat m_heartbeat;
    QTimer m_budget;
};

} // namespace cudal1::optimize
