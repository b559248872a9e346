// SPDX-License-Identifier: GPL-3.0-or-later
// A frame around what has the focus, for who works by the keyboard: the same for every control, in both themes.
#pragma once

#include <QFocusFrame>
#include <QPointer>

class QApplication;

namespace cudal1::ui {

/// There is one for the program. It is seen once the focus moves by a key, and goes when the mouse is pressed.
class FocusRing : public QObject {
    Q_OBJECT
public:
    static void install(QApplication& application);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    explicit FocusRing(QApplication& application);
    void show(QWidget* widget);

    QPointer<QFocusFrame> m_frame; ///< which is a child of the window that it is in
    bool m_byKeys = false;         ///< the last thing that a person did was to press a key
};

} // namespace cudal1::ui
