// SPDX-License-Identifier: GPL-3.0-or-later
// The event after the first expose: by then the frame is composed and handed to the platform.
#include "app/workbench/firstpaint.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

#include <cstdio>

namespace cudal1::workbench {

FirstPaint::FirstPaint(QWidget& window, QElapsedTimer sinceStart) : QObject(&window), m_sinceStart(sinceStart)
{
    window.installEventFilter(this);
}

bool FirstPaint::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint && !m_seen) {
        m_seen = true;
        QMetaObject::invokeMethod(
            this,
            [this] {
                std::printf("first-paint %.1f\n", double(m_sinceStart.nsecsElapsed()) / 1e6);
                std::fflush(stdout);
                QApplication::exit(0);
            },
            Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

} // namespace cudal1::workbench
