// SPDX-License-Identifier: GPL-3.0-or-later
// Launch commands of evaluators.
#include "core/farm/launcher.h"

#include "core/base/timetext.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>

namespace cudal1::farm {

namespace {

/// Options of ssh that take a value as the next word.
constexpr QStringView sshOptionsWithValue = u"BbcDEeFIiJLlmOopPQRSWw";

} // namespace

Launcher Launcher::fromText(const QString& text)
{
    return QProcess::splitCommand(text.trimmed());
}

Launcher Launcher::standard()
{
    return standard(QStringLiteral("cudal1-evaluator"), "CUDAL1_EVALUATOR");
}

Launcher Launcher::standard(const QString& program, const char* variable)
{
    Launcher chosen = fromText(qEnvironmentVariable(variable));
    if (!chosen.isEmpty())
        return chosen;
    return {QCoreApplication::applicationDirPath() + QLatin1Char('/') + program};
}

QString Launcher::text() const
{
    QStringList words;
    for (const QString& word : m_words) {
        QString escaped = word;
        // splitCommand reads three quotes in a row as one literal quote.
        escaped.replace(QLatin1Char('"'), QStringLiteral("\"\"\""));
        const bool quote = escaped.isEmpty() || escaped.contains(QLatin1Char(' '));
        words << (quote ? QLatin1Char('"') + escaped + QLatin1Char('"') : escaped);
    }
    return words.join(QLatin1Char(' '));
}

Launcher Launcher::withEnvironment(const QStringList& variables) const
{
    return variables.isEmpty() ? *this : Launcher(QStringList{QStringLiteral("env")} + variables + m_words);
}

Launcher Launcher::withArguments(const QStringList& arguments) const
{
    const bool shell = QFileInfo(m_words.value(programAt())).fileName() == QLatin1String("ssh");
    QStringList words = m_words;
    for (QString word : arguments) {
        if (shell)
            word = QLatin1Char('\'') + word.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
        words << word;
    }
    return words;
}

int Launcher::programAt() const
{
    int at = 0;
    if (QFileInfo(m_words.value(at)).fileName() != QLatin1String("env"))
        return at;
    for (++at; at < m_words.size(); ++at) {
        const QString& word = m_words[at];
        if (word == QLatin1String("-u") || word == QLatin1String("-C"))
            ++at;
        else if (!word.startsWith(QLatin1Char('-')) && !word.contains(QLatin1Char('=')))
            break;
    }
    return at;
}

bool Launcher::mayWait() const
{
    return !isEmpty() && !QFileInfo(m_words.value(programAt())).fileName().startsWith(QLatin1String("cudal1-"));
}

QString Launcher::place() const
{
    if (!mayWait())
        return QStringLiteral("this machine");
    int at = programAt();
    const QString program = QFileInfo(m_words.value(at)).fileName();
    if (program != QLatin1String("ssh"))
        return program;
    for (++at; at < m_words.size(); ++at) {
        const QString& word = m_words[at];
        if (!word.startsWith(QLatin1Char('-')))
            return word.section(QLatin1Char('@'), -1);
        if (word.size() == 2 && sshOptionsWithValue.contains(word[1]))
            ++at;
    }
    return program;
}

QString waitingText(const Launcher& launcher, double seconds)
{
    return QStringLiteral("waiting for %1 for %2")
        .arg(launcher.place(), QString::fromStdString(base::durationText(seconds)));
}

} // namespace cudal1::farm
