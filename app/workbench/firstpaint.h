// SPDX-License-Identifier: GPL-3.0-or-later
// Reports how long the window took from the start of main to its first painted frame.
#pragma once

#include <QElapsedTimer>
#include <QObject>

class QWidget;

namespace cudal1::workbench {

/// Prints "first-paint MILLISECONDS" to standard output after the first frame of `window`, then ends the program.
class FirstPaint : public QObject {
    Q_OBJECT
public:
    FirstPaint(QWidget& window, QElapsedTimer sinceStart);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QElapsedTimer m_sinceStart;
    bool m_seen = false;
};

} // namespace cudal1::workbench
