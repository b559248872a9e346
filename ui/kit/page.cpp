// SPDX-License-Identifier: GPL-3.0-or-later
// A page's two faces: its content, or a centred sentence with the one action that fills it.
#include "ui/kit/page.h"

#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace cudal1::ui {

Page::Page(const QString& name, const QString& title, const QString& icon, QWidget* parent)
    : QWidget(parent), m_title(title), m_icon(icon), m_stack(new QStackedLayout(this)), m_empty(new QWidget),
      m_emptyIcon(new QLabel), m_emptyTitle(new QLabel), m_emptyText(new QLabel), m_emptyButton(new QPushButton)
{
    setObjectName(name);
    setAccessibleName(title);
    setFocusPolicy(Qt::NoFocus);
    m_stack->setContentsMargins(0, 0, 0, 0);

    const Theme& theme = Theme::instance();
    m_emptyIcon->setAlignment(Qt::AlignCenter);
    m_emptyTitle->setAlignment(Qt::AlignCenter);
    m_emptyTitle->setWordWrap(true);
    m_emptyTitle->setFont(theme.titleFont(1));
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setWordWrap(true);
    m_emptyText->setProperty("class", QStringLiteral("muted"));
    m_emptyText->setMaximumWidth(theme.unit(120));
    m_emptyText->setMinimumWidth(theme.unit(60));
    m_emptyButton->setProperty("class", QStringLiteral("primary"));
    m_emptyButton->setObjectName(QStringLiteral("emptyAction"));

    auto* layout = new QVBoxLayout(m_empty);
    layout->setSpacing(theme.unit(3));
    layout->addStretch(2);
    layout->addWidget(m_emptyIcon, 0, Qt::AlignHCenter);
    // Both without an alignment in the layout: an aligned label is given the height of its text unwrapped.
    layout->addWidget(m_emptyTitle);
    auto* words = new QHBoxLayout;
    words->addStretch(1);
    words->addWidget(m_emptyText, 100);
    words->addStretch(1);
    layout->addLayout(words);
    layout->addSpacing(theme.unit(1));
    layout->addWidget(m_emptyButton, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    m_stack->addWidget(m_empty);

    const auto drawIcon = [this] {
        const Theme& now = Theme::instance();
        m_emptyIcon->setPixmap(
            now.icon(m_icon, Role::Disabled).pixmap(QSize(now.unit(12), now.unit(12)), devicePixelRatioF()));
    };
    drawIcon();
    connect(&Theme::instance(), &Theme::changed, this, drawIcon);
    connect(m_emptyButton, &QPushButton::clicked, this, [this] {
        if (m_action)
            m_action();
    });
    m_emptyButton->hide();
}

void Page::setContent(QWidget* content)
{
    m_content = content;
    m_stack->addWidget(content);
    m_stack->setCurrentWidget(content);
}

void Page::showEmpty(const QString& title, const QString& text, const QString& actionText, std::function<void()> action)
{
    m_emptyTitle->setText(title);
    m_emptyText->setText(text);
    m_emptyButton->setText(actionText);
    m_emptyButton->setVisible(!actionText.isEmpty());
    m_action = std::move(action);
    m_stack->setCurrentWidget(m_empty);
}

void Page::showContent()
{
    if (m_content)
        m_stack->setCurrentWidget(m_content);
}

bool Page::isEmpty() const
{
    return m_stack->currentWidget() == m_empty;
}

void Page::setRoomy(bool) {}

void Page::find() {}

} // namespace cudal1::ui
