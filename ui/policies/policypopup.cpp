// SPDX-License-Identifier: GPL-3.0-or-later
// Size and place of the popup.
#include "ui/policies/policypopup.h"

#include "ui/kit/theme.h"
#include "ui/policies/policypanel.h"

#include <QCheckBox>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

PolicyPopup::PolicyPopup(PolicyPanel* panel, QWidget* parent) : QFrame(parent, Qt::Popup), m_panel(panel)
{
    setObjectName(QStringLiteral("policyPopup"));
    setProperty("class", QStringLiteral("popup"));
    setAccessibleName(tr("Policies"));
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(panel);
    panel->setAttribute(Qt::WA_StyledBackground);
    panel->setProperty("class", QStringLiteral("pane"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->addWidget(scroll);
    connect(panel, &PolicyPanel::resized, this, [this] {
        if (isVisible())
            QMetaObject::invokeMethod(this, &PolicyPopup::fit, Qt::QueuedConnection); // once the rows are laid out
    });
    for (const auto wanted :
         {&PolicyPanel::addModelRequested, &PolicyPanel::modelsRequested, &PolicyPanel::promptRequested})
        connect(panel, wanted, this, &QWidget::close);
}

void PolicyPopup::openBelow(QWidget* button)
{
    m_button = button;
    fit();
    show();
    fit();
    if (auto* first = m_panel->findChild<QCheckBox*>())
        first->setFocus(Qt::PopupFocusReason);
}

void PolicyPopup::fit()
{
    if (!m_button)
        return;
    const QRect room = m_button->screen()->availableGeometry();
    const QPoint below = m_button->mapToGlobal(QPoint(0, m_button->height() + 2));
    const int wanted = m_panel->heightForWidth(m_panel->width()) > 0 ? m_panel->heightForWidth(m_panel->width())
                                                                     : m_panel->sizeHint().height();
    const int height = std::min(wanted + Theme::instance().unit(2), std::max(200, room.bottom() - below.y() - 8));
    setFixedSize(m_panel->width() + 2, height);
    move(std::clamp(below.x(), room.left(), std::max(room.left(), room.right() - width())), below.y());
}

} // namespace cudal1::ui
