// SPDX-License-Identifier: GPL-3.0-or-later
// Style::drawControl paints the frame.
#include "ui/kit/focusring.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace cudal1::ui {

FocusRing::FocusRing(QApplication& application) : QObject(&application)
{
    application.installEventFilter(this);
    connect(&application, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { show(now); });
}

void FocusRing::install(QApplication& application)
{
    static QPointer<FocusRing> ring;
    if (!ring)
        ring = new FocusRing(application);
}

void FocusRing::show(QWidget* widget)
{
    // Menus and other popups mark what is current in them.
    const bool wanted = m_byKeys && widget && !(widget->windowFlags() & Qt::Popup) &&
                        !(widget->window()->windowFlags().testFlag(Qt::Popup));
    if (!wanted) {
        if (m_frame)
            m_frame->setWidget(nullptr);
        return;
    }
    if (!m_frame)
        m_frame = new QFocusFrame(widget->parentWidget());
    m_frame->setWidget(widget);
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::KeyPress:
    case QEvent::ShortcutOverride: m_byKeys = true; break;
    case QEvent::MouseButtonPress:
        m_byKeys = false;
        show(nullptr);
        break;
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace cudal1::ui
