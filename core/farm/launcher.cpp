// SPDX-License-Identifier: GPL-3.0-or-later
// Launch commands of evaluators.
#include "core/farm/launcher.h"

#include <QCoreApplication>
#include <QProcess>

namespace cudal1::farm {

QStringList commandFromText(const QString& text)
{
    return QProcess::splitCommand(text.trimmed());
}

QString commandText(const QStringList& command)
{
    QStringList words;
    for (const QString& word : command) {
        QString escaped = word;
        // splitCommand reads three quotes in a row as one literal quote.
        escaped.replace(QLatin1Char('"'), QStringLiteral("\"\"\""));
        const bool quote = escaped.isEmpty() || escaped.contains(QLatin1Char(' '));
        words << (quote ? QLatin1Char('"') + escaped + QLatin1Char('"') : escaped);
    }
    return words.join(QLatin1Char(' '));
}

QStringList defaultEvaluatorCommand()
{
    const QStringList chosen = commandFromText(qEnvironmentVariable("CUDAL1_EVALUATOR"));
    if (!chosen.isEmpty())
        return chosen;
    return {QCoreApplication::applicationDirPath() + QStringLiteral("/cudal1-evaluator")};
}

} // namespace cudal1::farm
