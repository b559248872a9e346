// SPDX-License-Identifier: GPL-3.0-or-later
// Messages with their times.
#include "ui/training/traininglog.h"

#include "ui/kit/theme.h"

#include <QDateTime>
#include <QScrollBar>

namespace cudal1::ui {

namespace {

constexpr std::size_t mostLines = 10'000;

}

TrainingLog::TrainingLog(QWidget* parent) : QPlainTextEdit(parent)
{
    setObjectName(QStringLiteral("trainingLog"));
    setAccessibleName(tr("Log of the training"));
    setReadOnly(true);
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setProperty("class", QStringLiteral("flat"));
    applyTheme();
    connect(&Theme::instance(), &Theme::changed, this, &TrainingLog::applyTheme);
}

void TrainingLog::applyTheme()
{
    setFont(Theme::instance().monoFont());
}

void TrainingLog::setMessages(const std::vector<learning::LoggedMessage>& messages, const QString& note)
{
    setPlaceholderText(note);
    QString text;
    const std::size_t first = messages.size() > mostLines ? messages.size() - mostLines : 0;
    for (std::size_t i = first; i < messages.size(); ++i)
        text += QDateTime::fromMSecsSinceEpoch(messages[i].time_ms).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss  ")) +
                QString::fromStdString(messages[i].text) + QLatin1Char('\n');
    text.chop(1);
    if (text == toPlainText())
        return;
    QScrollBar* bar = verticalScrollBar();
    const int before = bar->value();
    const bool isAtEnd = before == bar->maximum();
    setPlainText(text);
    bar->setValue(isAtEnd ? bar->maximum() : before);
}

} // namespace cudal1::ui
