// SPDX-License-Identifier: GPL-3.0-or-later
// Text that comes in small pieces, told in larger ones.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <utility>

namespace cudal1::ui {

/// A model writes a hundred pieces a second and more; a person reads ten.
class GatheredText : public QObject {
    Q_OBJECT
public:
    GatheredText()
    {
        m_timer.setSingleShot(true);
        m_timer.setInterval(100);
        connect(&m_timer, &QTimer::timeout, this, &GatheredText::flush);
    }

    void add(const QString& text)
    {
        m_text += text;
        if (!m_timer.isActive())
            m_timer.start();
    }
    /// Tells what has come, if anything has.
    void flush()
    {
        m_timer.stop();
        if (!m_text.isEmpty())
            emit gathered(std::exchange(m_text, {}));
    }

signals:
    void gathered(const QString& text);

private:
    QTimer m_timer;
    QString m_text;
};

} // namespace cudal1::ui
