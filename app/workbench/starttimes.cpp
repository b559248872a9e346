// SPDX-License-Identifier: GPL-3.0-or-later
// The event after a paint event: by then the frame is composed and handed to the platform.
#include "app/workbench/starttimes.h"

#include "ui/shell/mainwindow.h"

#include <QApplication>
#include <QEvent>

#include <cstdio>

namespace cudal1::workbench {

StartTimes::StartTimes(ui::MainWindow& window, QElapsedTimer sinceStart)
    : QObject(&window), m_window(window), m_sinceStart(sinceStart)
{
    window.installEventFilter(this);
    // The browser's rows are there when this is told; what repaints them need not be an event of the window itself.
    connect(
        &window.project(), &ui::ProjectModel::tasksChanged, &window, [&window] { window.update(); },
        Qt::QueuedConnection);
}

bool StartTimes::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint && !m_pending) {
        m_pending = true;
        QMetaObject::invokeMethod(this, &StartTimes::painted, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

void StartTimes::painted()
{
    m_pending = false;
    const double now_ms = double(m_sinceStart.nsecsElapsed()) / 1e6;
    if (m_first)
        std::printf("first-paint %.1f\n", now_ms);
    m_first = false;
    if (!m_window.project().tasks()->empty()) {
        std::printf("tasks-listed %.1f\n", now_ms);
        QApplication::exit(0);
    }
    std::fflush(stdout);
}

} // namespace cudal1::workbench
