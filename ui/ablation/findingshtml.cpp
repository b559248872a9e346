// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of core/ablation/text.h under headings.
#include "ui/ablation/findingshtml.h"

#include "core/ablation/measured.h"
#include "core/ablation/text.h"
#include "ui/variants/infoview.h"

#include <QCoreApplication>

namespace cudal1::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("cudal1::ui::Findings", text);
}

QString paragraph(const std::string& text)
{
    return QStringLiteral("<p>%1</p>").arg(InfoView::escaped(text));
}

} // namespace

QString findingsHtml(const AblationView& view)
{
    const std::vector<std::string> names = view.plan.names();
    QString gates, wrong, effects, shares;
    for (const ablation::Gate& gate : view.wall.gates)
        gates += paragraph(ablation::gateText(names, gate));
    for (const ablation::Gate& gate : view.event.gates)
        gates += paragraph("By events: " + ablation::gateText(names, gate));
    for (const std::string& text : ablation::breakingTexts(names, view.rows))
        wrong += paragraph(text);
    for (const ablation::Effect& effect : view.wall.mains)
        effects += paragraph(ablation::mainText(names, effect));
    for (const ablation::Effect& effect : view.wall.interactions)
        effects += paragraph(ablation::interactionText(names, effect));
    for (const ablation::Effect& effect : view.wall.shapley)
        shares += paragraph(ablation::shapleyText(names, effect, view.wall.total));
    if (const std::string drift = ablation::driftText(view.rows); !drift.empty() && !effects.isEmpty())
        effects.prepend(QStringLiteral("<p class=muted>%1</p>").arg(InfoView::escaped(drift)));
    if (effects.isEmpty() && gates.isEmpty() && wrong.isEmpty())
        return QStringLiteral("<p class=muted>%1</p>").arg(tr("What each toggle does, alone and with others, is said here when combinations are judged."));
    if (shares.isEmpty() && names.size() > 1)
        shares = QStringLiteral("<p class=muted>%1</p>").arg(InfoView::escaped(ablation::shapleyMissingText(names.size(), view.wall)));
    QString out;
    for (const auto& [title, body] : {std::pair(tr("Gatekeepers"), gates), std::pair(tr("What makes results wrong"), wrong), std::pair(tr("Effects, by the wall clock"), effects),
                                      std::pair(tr("Shares in the whole"), shares)})
        if (!body.isEmpty())
            out += InfoView::heading(title) + body;
    return out;
}

} // namespace cudal1::ui
