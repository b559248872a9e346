// SPDX-License-Identifier: GPL-3.0-or-later
// An ablation as one table for spreadsheets: a row a combination with a column a toggle, then a row an effect.
#include "core/ablation/ablationtable.h"
#include "core/ablation/measured.h"
#include "core/report/cells.h"
#include "core/report/sections.h"

#include <algorithm>
#include <utility>

namespace cudal1::report {

namespace {

using ablation::Effect;

void addTo(std::vector<Cell>& row, const base::Interval& interval)
{
    for (const double value : {interval.estimate, interval.low, interval.high})
        row.push_back(interval.valid() ? numberCell(value) : Cell{});
}

void append(std::vector<Cell>& row, std::vector<Cell> more)
{
    row.insert(row.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Column named(const QString& key)
{
    return {key, key};
}

/// What the report's table says of a combination.
Table shortRecords(const std::vector<ablation::CombinationRow>& rows)
{
    Table table{QStringLiteral("records"), {}, {}, {}, false};
    for (const char* key : {"variant", "verdict", "wall", "wall_low", "wall_high", "event", "event_low", "event_high"})
        table.columns.push_back(named(QLatin1String(key)));
    for (const ablation::CombinationRow& row : rows) {
        const ablation::CombinationResult found = row.found.value_or(ablation::CombinationResult{});
        std::vector<Cell>& cells = table.rows.emplace_back();
        cells.push_back(row.variant ? numberCell(double(row.variant.value)) : Cell{});
        cells.push_back(textCell(row.word()));
        addTo(cells, found.wall.speedup);
        addTo(cells, found.event.speedup);
    }
    return table;
}

/// Every number of the evaluations, a row a combination; of one that was not judged its name alone.
Table fullRecords(const ReportFacts& facts, const std::vector<ablation::CombinationRow>& rows)
{
    Table table = variantRecords(facts);
    const auto column = [&](const char* key) {
        return std::size_t(std::ranges::find(table.columns, QLatin1String(key), &Column::key) - table.columns.begin());
    };
    const std::size_t variant = column("variant"), verdict = column("verdict");
    const std::vector<std::vector<Cell>> records = std::exchange(table.rows, {});
    for (const ablation::CombinationRow& row : rows) {
        const auto record = std::ranges::find_if(records, [&](const auto& cells) {
            return row.variant && cells[variant].value == double(row.variant.value);
        });
        std::vector<Cell>& cells = table.rows.emplace_back(
            record == records.end() ? std::vector<Cell>(table.columns.size()) : *record);
        if (!row.found)
            cells[verdict] = textCell(row.word());
    }
    return table;
}

} // namespace

Table ablationRecords(const ReportFacts& facts)
{
    const ReportedAblation& ablation = facts.ablations.front();
    const std::vector<std::string> toggles = ablation.plan.names();
    std::vector<ablation::CombinationRow> rows = ablation.rows;
    ablation::sort(rows, ablation::Order::Rank);
    const Table found = facts.scope.shape == Template::Paper ? shortRecords(rows) : fullRecords(facts, rows);

    Table table{found.id, {}, {named(QStringLiteral("kind"))}, {}, false};
    for (const std::string& toggle : toggles)
        table.columns.push_back(named(fromUtf8(toggle)));
    table.columns.insert(table.columns.end(), found.columns.begin(), found.columns.end());
    for (const char* key : {"bottleneck", "clock", "factor", "factor_low", "factor_high", "backgrounds"})
        table.columns.push_back(named(QLatin1String(key)));

    for (std::size_t at = 0; at < rows.size(); ++at) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        cells.push_back(textCell(QStringLiteral("combination")));
        for (std::size_t i = 0; i < toggles.size(); ++i)
            cells.push_back(numberCell(rows[at].on >> i & 1U));
        append(cells, found.rows[at]);
        cells.push_back(rows[at].found ? textCell(rows[at].found->bottleneck) : Cell{});
    }
    const auto addEffects = [&](const char* kind, ablation::EffectClock clock, const std::vector<Effect>& effects) {
        for (const Effect& effect : effects) {
            std::vector<Cell>& cells = table.rows.emplace_back();
            cells.push_back(textCell(QLatin1String(kind)));
            for (std::size_t i = 0; i < toggles.size(); ++i)
                cells.push_back(effect.toggles >> i & 1U ? numberCell(1) : Cell{});
            cells.resize(cells.size() + found.columns.size() + 1);
            cells.push_back(
                textCell(clock == ablation::EffectClock::Wall ? QStringLiteral("wall") : QStringLiteral("event")));
            addTo(cells, effect.factor);
            cells.push_back(effect.backgrounds > 0 ? numberCell(effect.backgrounds) : Cell{});
        }
    };
    for (const ablation::EffectClock clock : {ablation::EffectClock::Wall, ablation::EffectClock::Event}) {
        const ablation::Effects effects = ablation::effectsOf(toggles.size(),
                                                              ablation::measuredOf(ablation.rows, clock));
        addEffects("effect", clock, effects.mains);
        addEffects("interaction", clock, effects.interactions);
        addEffects("shapley", clock, effects.shapley);
    }
    for (std::vector<Cell>& cells : table.rows)
        cells.resize(table.columns.size());
    return table;
}

} // namespace cudal1::report
