// SPDX-License-Identifier: GPL-3.0-or-later
// The message bar's stack and its one visible row.
#include "ui/kit/messagebar.h"

#include "ui/kit/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace cudal1::ui {

Message Message::fromError(const base::Error& error, std::vector<Action> actions)
{
    Message message;
    message.cause = QString::fromStdString(error.message);
    if (!error.context.empty() && error.context.find('\n') == std::string::npos)
        message.cause += QStringLiteral(" (%1)").arg(QString::fromStdString(error.context));
    if (error.hint.find('\n') == std::string::npos) // else it is what was printed, for the details
        message.nextStep = QString::fromStdString(error.hint);
    message.details = QString::fromStdString(error.text());
    message.actions = std::move(actions);
    return message;
}

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), m_icon(new QLabel), m_text(new QLabel), m_more(new QLabel), m_actions(new QWidget),
      m_copy(new QPushButton(tr("Copy details"))), m_close(new QToolButton)
{
    setObjectName(QStringLiteral("messageBar"));
    setAccessibleName(tr("Messages"));
    const Theme& theme = Theme::instance();
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    m_text->setTextFormat(Qt::RichText);
    m_more->setProperty("class", QStringLiteral("muted"));
    m_copy->setProperty("class", QStringLiteral("quiet"));
    m_copy->setToolTip(tr("Copy the whole message with its context"));
    m_close->setIcon(theme.icon(QStringLiteral("close"), Role::Muted));
    m_close->setToolTip(tr("Dismiss (Esc)"));
    m_close->setAccessibleName(tr("Dismiss message"));

    auto* actions = new QHBoxLayout(m_actions);
    actions->setContentsMargins(0, 0, 0, 0);
    actions->setSpacing(theme.unit(1));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), theme.unit(1));
    layout->setSpacing(theme.unit(2));
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_more);
    layout->addWidget(m_actions);
    layout->addWidget(m_copy);
    layout->addWidget(m_close);

    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (!m_messages.empty())
            QApplication::clipboard()->setText(m_messages.back().details);
    });
    connect(&Theme::instance(), &Theme::changed, this, &MessageBar::showNewest);
    hide();
}

void MessageBar::add(Message message)
{
    std::erase_if(m_messages, [&](const Message& other) { return other.cause == message.cause; });
    m_messages.push_back(std::move(message));
    showNewest();
}

void MessageBar::dismiss()
{
    if (!m_messages.empty())
        m_messages.pop_back();
    showNewest();
}

void MessageBar::retract(const QString& cause)
{
    if (std::erase_if(m_messages, [&](const Message& message) { return message.cause == cause; }) > 0)
        showNewest();
}

void MessageBar::clear()
{
    m_messages.clear();
    showNewest();
}

QString MessageBar::text() const
{
    if (m_messages.empty())
        return {};
    const Message& message = m_messages.back();
    return message.nextStep.isEmpty() ? message.cause : message.cause + QLatin1Char(' ') + message.nextStep;
}

void MessageBar::showNewest()
{
    setVisible(!m_messages.empty());
    if (m_messages.empty())
        return;
    const Message& message = m_messages.back();
    const Theme& theme = Theme::instance();
    const bool error = message.kind == Message::Kind::Error;
    const bool info = message.kind == Message::Kind::Info;
    const Role role = error ? Role::Loss : info ? Role::Variant : Role::Warning;
    const QString icon = error ? QStringLiteral("error") : info ? QStringLiteral("info") : QStringLiteral("warning");
    m_icon->setPixmap(theme.icon(icon, role).pixmap(QSize(theme.unit(5), theme.unit(5)), devicePixelRatioF()));
    QString text = QStringLiteral("<b>%1</b>").arg(message.cause.toHtmlEscaped());
    if (!message.nextStep.isEmpty())
        text += QStringLiteral("<br><span style='color:%1'>%2</span>")
                    .arg(theme.color(Role::Muted).name(), message.nextStep.toHtmlEscaped());
    m_text->setText(text);
    setStyleSheet(
        QStringLiteral(
            "#messageBar { background: %1; border: none; border-left: %2px solid %3; border-bottom: 1px solid %4; }")
            .arg(theme.color(Role::Surface).name())
            .arg(theme.unit(1))
            .arg(theme.color(role).name(), theme.color(Role::Border).name()));
    m_copy->setVisible(!message.details.isEmpty());
    m_more->setText(m_messages.size() > 1 ? tr("+%1 more").arg(m_messages.size() - 1) : QString());
    m_more->setVisible(m_messages.size() > 1);
    // Later, since it may be one of these that was clicked.
    for (QPushButton* old : m_actions->findChildren<QPushButton*>(QString(), Qt::FindDirectChildrenOnly)) {
        old->hide();
        old->deleteLater();
    }
    for (const Message::Action& action : message.actions) {
        auto* button = new QPushButton(action.text, m_actions);
        m_actions->layout()->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, cause = message.cause, run = action.run] {
            std::erase_if(m_messages, [&](const Message& other) { return other.cause == cause; });
            showNewest();
            run();
        });
    }
}

} // namespace cudal1::ui
