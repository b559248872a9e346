// SPDX-License-Identifier: GPL-3.0-or-later
// Ablations: the table of combinations by both clocks, and what each toggle does as picture, table and sentences.
#include "core/report/sections.h"

#include "core/ablation/ablationtable.h"
#include "core/ablation/findingstext.h"
#include "core/ablation/measured.h"
#include "core/base/spelled.h"
#include "core/charts/ablationeffects.h"
#include "core/charts/chartlayout.h"
#include "core/charts/numbertext.h"
#include "core/report/cells.h"
#include "core/report/chartblock.h"

namespace cudal1::report {

namespace {

using ablation::Effect;
using ablation::Effects;

QString toggleText(const std::string& name)
{
    return fromUtf8(base::spelled(policy::techniqueOf(name)));
}

Table combinations(const ReportedAblation& facts)
{
    const std::vector<std::string> toggles = facts.plan.names();
    Table table{QStringLiteral("ablation-%1-table").arg(facts.record.id.value), {}, {}, {}};
    for (const std::string& toggle : toggles)
        table.columns.push_back(
            {fromUtf8(toggle), toggleText(toggle).replace(
                                   QLatin1Char('_'), QLatin1Char(' '))}); // in narrow columns its words stand in lines
    for (const Column& column : {Column{"verdict", "Verdict"},
                                 {"wall", "Speed-up (wall)", true},
                                 {"event", "By events", true},
                                 {"call", "Call", true},
                                 {"variant", "Variant", true},
                                 {"bottleneck", "Bottleneck"}})
        table.columns.push_back(column);
    std::vector<ablation::CombinationRow> rows = facts.rows;
    ablation::sort(rows, ablation::Order::Rank);
    for (const ablation::CombinationRow& row : rows) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        for (std::size_t i = 0; i < toggles.size(); ++i) {
            Cell cell = textCell(row.on >> i & 1U ? QStringLiteral("✓") : QStringLiteral("✗"));
            cell.value = row.on >> i & 1U;
            cells.push_back(cell);
        }
        const ablation::CombinationResult found = row.found.value_or(ablation::CombinationResult{});
        cells.push_back(row.found ? textCell(charts::verdictText(found.verdict))
                                  : textCell(QStringLiteral("not judged")));
        cells.push_back(speedupCell(found.wall.speedup, found.marks));
        cells.push_back(eventCell(found.event.speedup, found.wall.speedup));
        cells.push_back(found.wall.valid() ? timeCell(found.wall.candidate_ns) : noCell());
        cells.push_back(row.variant ? numberCell(double(row.variant.value)) : noCell());
        cells.push_back(textCell(found.bottleneck.empty() ? found.reason.text : found.bottleneck));
    }
    return table;
}

Cell factorCell(const std::vector<Effect>& effects, std::uint32_t toggles)
{
    for (const Effect& one : effects)
        if (one.toggles == toggles)
            return speedupCell(one.factor);
    return noCell();
}

Table effectsTable(const ReportedAblation& facts, const Effects& wall, const Effects& event)
{
    const std::vector<std::string> toggles = facts.plan.names();
    Table table{
        QStringLiteral("ablation-%1-effects").arg(facts.record.id.value),
        QStringLiteral(
            "What each toggle does, as a factor of speed; of two, what they do together beyond the product of each."),
        {{"toggle", "Toggle"},
         {"effect_wall", "Effect (wall)", true},
         {"effect_event", "By events", true},
         {"shapley_wall", "Shapley value (wall)", true},
         {"shapley_event", "By events", true}},
        {}};
    for (std::size_t i = 0; i < toggles.size(); ++i)
        table.rows.push_back({textCell(toggleText(toggles[i])), factorCell(wall.mains, 1U << i),
                              factorCell(event.mains, 1U << i), factorCell(wall.shapley, 1U << i),
                              factorCell(event.shapley, 1U << i)});
    for (const Effect& pair : wall.interactions) {
        std::string both;
        for (std::size_t i = 0; i < toggles.size(); ++i)
            if (pair.toggles >> i & 1U)
                both += (both.empty() ? "" : " with ") + base::spelled(policy::techniqueOf(toggles[i]));
        table.rows.push_back({textCell(both), factorCell(wall.interactions, pair.toggles),
                              factorCell(event.interactions, pair.toggles), noCell(), noCell()});
    }
    return table;
}

QString judgedShareText(const ReportedAblation& facts)
{
    const auto waiting = std::count_if(facts.rows.begin(), facts.rows.end(),
                                       [](const ablation::CombinationRow& row) { return !row.found; });
    return waiting == 0
             ? QStringLiteral("Each combination was judged in full.")
             : QStringLiteral("%1 of %2 combinations are not judged yet.").arg(waiting).arg(facts.rows.size());
}

} // namespace

void addAblations(const ReportFacts& facts, Document& document)
{
    for (const ReportedAblation& one : facts.ablations) {
        const std::vector<std::string> toggles = one.plan.names();
        const Effects wall = ablation::effectsOf(toggles.size(),
                                                 ablation::measuredOf(one.rows, ablation::EffectClock::Wall));
        const Effects event = ablation::effectsOf(toggles.size(),
                                                  ablation::measuredOf(one.rows, ablation::EffectClock::Event));
        Section section{QStringLiteral("ablation-%1").arg(one.record.id.value),
                        QStringLiteral("Ablation of variant %1 of %2")
                            .arg(QString::number(one.record.variant.value), fromUtf8(one.record.task.value)),
                        {}};
        section.blocks.emplace_back(
            Paragraph{{},
                      QStringLiteral("Design %1, on %2, precision %3, preset %4. %5")
                          .arg(fromUtf8(one.record.design), fromUtf8(one.record.deviceModel),
                               fromUtf8(protocol::toString(one.record.precision)),
                               fromUtf8(protocol::toString(one.record.preset)), judgedShareText(one)),
                      {},
                      Tone::Soft,
                      false});
        section.blocks.emplace_back(combinations(one));
        if (!wall.mains.empty()) {
            const charts::Chart chart = charts::ablationEffects(toggles, wall, event);
            section.blocks.emplace_back(Heading{chart.title, {}});
            Figure& drawing = std::get<Figure>(
                section.blocks.emplace_back(chartBlock(chart, charts::comfortableHeight(chart))));
            drawing.id = QStringLiteral("ablation-%1-plot").arg(one.record.id.value);
            drawing.data = {}; // the table has them
            section.blocks.emplace_back(effectsTable(one, wall, event));
        }
        const auto say = [&](const std::string& text, Tone tone) {
            section.blocks.emplace_back(Paragraph{{}, fromUtf8(text), {}, tone, false});
        };
        for (const ablation::Topic& topic : ablation::findingsOf(toggles, one.rows, wall, event)) {
            section.blocks.emplace_back(Heading{fromUtf8(topic.title), {}});
            if (!topic.aside.empty())
                say(topic.aside, Tone::Soft);
            for (const std::string& sentence : topic.sentences)
                say(sentence, Tone::Plain);
        }
        document.sections.push_back(std::move(section));
    }
}

} // namespace cudal1::report
