// SPDX-License-Identifier: GPL-3.0-or-later
// Records at a fixed interval that the owner of a run is alive.
#pragma once

#include "core/base/result.h"
#include "core/optimize/owner.h"

#include <QTimer>

#include <functional>
#include <utility>

namespace cudal1::optimize {

/// Used from one thread, which has an event loop.
class Heartbeat {
public:
    /// `write` writes the notes of the run (RunNotes). It may fail: the next heartbeat may find the project free.
    explicit Heartbeat(std::function<base::Status()> write)
    {
        m_timer.setInterval(heartbeatEvery_s * 1000);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [write = std::move(write)] { (void)write(); });
    }
    void start() { m_timer.start(); }
    void stop() { m_timer.stop(); }

private:
    QTimer m_timer;
};

} // namespace cudal1::optimize
