// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT and SIGTERM as a Qt signal. A second one ends the process at once, unless it is the same one half a second
// later or sooner: then both are one.
#pragma once

#include <QObject>

class QSocketNotifier;

namespace cudal1::cli {

/// One at a time. The handlers of before come back with its end.
class Interrupt : public QObject {
    Q_OBJECT
public:
    explicit Interrupt(QObject* parent = nullptr);
    ~Interrupt() override;

    /// The number of the signal that came, 0 for none. The exit status is then 128 + it.
    int caught() const;

signals:
    void requested();

private:
    QSocketNotifier* m_notifier = nullptr;
};

} // namespace cudal1::cli
