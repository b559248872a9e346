// SPDX-License-Identifier: GPL-3.0-or-later
// Reports how long the window took from the start of main to its first painted frame, and to the one that lists the
// tasks.
#pragma once

#include <QElapsedTimer>
#include <QObject>

namespace cudal1::ui {
class MainWindow;
}

namespace cudal1::workbench {

/// Prints "first-paint MILLISECONDS" and "tasks-listed MILLISECONDS" to standard output, then ends the program.
class StartTimes : public QObject {
    Q_OBJECT
public:
    StartTimes(ui::MainWindow& window, QElapsedTimer sinceStart);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void painted();

    ui::MainWindow& m_window;
    QElapsedTimer m_sinceStart;
    bool m_first = true, m_pending = false;
};

} // namespace cudal1::workbench
