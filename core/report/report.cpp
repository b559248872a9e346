// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the parts of a report together.
#include "core/report/report.h"

#include "core/report/facts.h"
#include "core/report/look.h"
#include "core/report/sections.h"
#include "core/report/text.h"

#include <QCryptographicHash>
#include <QDateTime>

namespace cudal1::report {

namespace {

/// What a browser may do with the page: apply its styles and run its one script, known by its hash, and nothing else.
/// So text from a candidate could not act even if it slipped past the escaping.
QString policy()
{
    const QByteArray hash = QCryptographicHash::hash(QByteArrayView(sortScript), QCryptographicHash::Sha256).toBase64();
    return QStringLiteral("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%1'; base-uri 'none'; form-action 'none'")
        .arg(QLatin1String(hash));
}

} // namespace

base::Result<QString> htmlReport(const store::Project& project, const ReportScope& scope)
{
    const auto facts = gather(project, scope);
    if (!facts)
        return facts.error();
    const std::int64_t created = scope.created_ms ? scope.created_ms : QDateTime::currentMSecsSinceEpoch();

    QString html = QStringLiteral("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n");
    html += QStringLiteral("<meta http-equiv=\"Content-Security-Policy\" content=\"%1\" />\n").arg(policy());
    html += QStringLiteral("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n");
    html += QStringLiteral("<title>%1 – CUDA-L1 Workbench</title>\n<style>%2</style>\n</head>\n<body>\n")
                .arg(escaped(facts->single ? scope.task.value : facts->project), QString::fromUtf8(styleSheet));
    html += headSection(*facts, created);
    html += cardsSection(*facts);
    html += chartsSection(*facts);
    if (!facts->single && !facts->tasks.empty())
        html += taskTable(*facts);
    for (const TaskFacts& task : facts->tasks)
        html += taskSection(task);
    html += methodSection(*facts);
    html += QStringLiteral("<footer>Made by CUDA-L1 Workbench. Times in UTC.</footer>\n<script>%1</script>\n</body>\n</html>\n")
                .arg(QString::fromUtf8(sortScript));
    return html;
}

} // namespace cudal1::report
