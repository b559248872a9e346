// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the parts of a report together.
#include "core/report/report.h"

#include "core/report/cells.h"
#include "core/report/method.h"
#include "core/report/sections.h"

#include <QDateTime>

namespace cudal1::report {

namespace {

QString variantsText(const std::vector<base::VariantId>& variants)
{
    QStringList list;
    for (const base::VariantId id : variants)
        list << QString::number(id.value);
    return list.join(QStringLiteral(", "));
}

void setTitle(const ReportFacts& facts, Document& document)
{
    const auto taskName = [&] {
        return fromUtf8(facts.tasks.front().row.id.value + " " + facts.tasks.front().row.name);
    };
    switch (facts.scope.kind) {
    case ReportScope::Kind::Project:
        document.title = QStringLiteral("Speed-ups of ") + fromUtf8(facts.project);
        document.scope = QStringLiteral("project");
        break;
    case ReportScope::Kind::Task:
        document.title = QStringLiteral("Speed-up of ") + taskName();
        document.scope = QStringLiteral("task ") + fromUtf8(facts.scope.task.value);
        break;
    case ReportScope::Kind::Run:
        document.title = QStringLiteral("Run %1: %2")
                             .arg(QString::number(facts.run->id.value),
                                  fromUtf8(facts.run->kind +
                                           (facts.run->task.empty() ? "" : " of " + facts.run->task.value)));
        document.scope = QStringLiteral("run %1").arg(facts.run->id.value);
        break;
    case ReportScope::Kind::Comparison:
        document.title = QStringLiteral("Variants %1 of %2").arg(variantsText(facts.scope.variants), taskName());
        document.scope = QStringLiteral("compare ") + variantsText(facts.scope.variants);
        break;
    case ReportScope::Kind::Ablation:
        document.title =
            QStringLiteral("Ablation %1 of %2").arg(QString::number(facts.scope.ablation.value), taskName());
        document.scope = QStringLiteral("ablation %1").arg(facts.scope.ablation.value);
        break;
    }
}

} // namespace

const std::vector<ReportPart>& parts()
{
    static const std::vector<ReportPart> all{
        {ReportPart::Everywhere, &addNumbers},
        {ReportPart::Full | ReportPart::Summary | ReportPart::Overview, &addRun},
        {ReportPart::Everywhere, &addDistribution},
        {ReportPart::Everywhere | ReportPart::Claims, &addCharts},
        {ReportPart::Claims, &addClaims},
        {ReportPart::Claims, &addGallery},
        {ReportPart::Full | ReportPart::Summary | ReportPart::Paper, &addAblations},
        {ReportPart::Paper, &addPaperTables},
        {ReportPart::Everywhere, &addComparison},
        {ReportPart::Everywhere, &addTaskTable},
        {ReportPart::Full | ReportPart::Summary | ReportPart::Overview, &addVerdicts},
        {ReportPart::Full | ReportPart::Summary, &addBaselines},
        {ReportPart::Everywhere | ReportPart::Claims, &addPublished},
        {ReportPart::Full, &addRuns},
        {ReportPart::Full | ReportPart::Summary, &addTimelines},
        {ReportPart::Full | ReportPart::Summary, &addKernels},
        {ReportPart::Everywhere, &addTasks},
        {ReportPart::Overview, &addLeftOut},
        {ReportPart::Everywhere, &addEnvironment},
        {ReportPart::Everywhere | ReportPart::Claims, &addMethod},
    };
    return all;
}

base::Result<Document> reportOn(const store::Project& project, const ReportScope& scope)
{
    const auto facts = gather(project, scope);
    if (!facts)
        return facts.error();
    Document document;
    document.project = fromUtf8(facts->project);
    document.created_ms = scope.created_ms ? scope.created_ms : QDateTime::currentMSecsSinceEpoch();
    document.templateName = fromUtf8(toString(scope.shape));
    setTitle(*facts, document);
    document.head = headOf(*facts, document.created_ms);
    const unsigned in = facts->isOverview()              ? ReportPart::Overview
                      : scope.shape == Template::Full    ? ReportPart::Full
                      : scope.shape == Template::Summary ? ReportPart::Summary
                      : scope.shape == Template::Paper   ? ReportPart::Paper
                                                         : ReportPart::Claims;
    for (const ReportPart& part : parts())
        if (part.in & in)
            part.add(*facts, document);
    document.records = scope.kind == ReportScope::Kind::Ablation && !facts->ablations.empty() ? ablationRecords(*facts)
                     : scope.shape == Template::Paper && !facts->single()                     ? paperRecords(*facts)
                                                                                              : variantRecords(*facts);
    return document;
}

} // namespace cudal1::report
