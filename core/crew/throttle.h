// SPDX-License-Identifier: GPL-3.0-or-later
// Something that is asked for often, and done at most every 50 ms: telling of progress.
#pragma once

#include <QTimer>

#include <functional>
#include <utility>

namespace cudal1::crew {

/// Of one thread with an event loop.
class Throttle {
public:
    explicit Throttle(std::function<void()> tell)
    {
        m_timer.setSingleShot(true);
        m_timer.setInterval(50);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, std::move(tell));
    }
    void ask()
    {
        if (!m_timer.isActive())
            m_timer.start();
    }
    void stop() { m_timer.stop(); }

private:
    QTimer m_timer;
};

} // namespace cudal1::crew
