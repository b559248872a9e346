// SPDX-License-Identifier: GPL-3.0-or-later
// Table, effects and JSON of an ablation.
#include "app/cli/ablationtext.h"

#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "core/ablation/findingstext.h"
#include "core/ablation/measured.h"
#include "core/base/spelled.h"
#include "core/base/timetext.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/marks.h"

#include <algorithm>

namespace cudal1::cli {

using ablation::Effect;
using ablation::EffectClock;
using ablation::Effects;
using nlohmann::json;

namespace {

Effects effectsBy(std::size_t toggles, const std::vector<ablation::CombinationRow>& rows, EffectClock clock)
{
    return ablation::effectsOf(toggles, ablation::measuredOf(rows, clock));
}

std::string factorText(const std::vector<Effect>& effects, std::uint32_t toggles)
{
    const auto found = std::find_if(effects.begin(), effects.end(),
                                    [&](const Effect& one) { return one.toggles == toggles; });
    return found == effects.end() ? std::string() : optimize::speedupText(found->factor);
}

json namesOf(const std::vector<std::string>& toggles, std::uint32_t on)
{
    json out = json::array();
    for (std::size_t i = 0; i < toggles.size(); ++i)
        if (on >> i & 1U)
            out.push_back(toggles[i]);
    return out;
}

json effectsJson(const std::vector<std::string>& toggles, const std::vector<Effect>& effects)
{
    json out = json::array();
    for (const Effect& one : effects)
        out.push_back({{"toggles", namesOf(toggles, one.toggles)},
                       {"factor", toJson(one.factor)},
                       {"backgrounds", one.backgrounds}});
    return out;
}

json rowJson(const std::vector<std::string>& toggles, const ablation::CombinationRow& row)
{
    json out = {{"on", namesOf(toggles, row.on)},
                {"variant", row.variant ? json(row.variant.value) : json(nullptr)},
                {"verdict", row.word()}};
    if (const auto& found = row.found) {
        out["evaluation"] = found->id.value;
        out["speedup"] = toJson(protocol::Speedup{found->wall, found->event, found->gpuBusy});
        out["bottleneck"] = found->bottleneck;
        out["reason"] = found->reason.code.empty() ? json(nullptr)
                                                   : json{{"code", found->reason.code}, {"text", found->reason.text}};
        out["labels"] = found->labels;
        out["seconds"] = found->seconds;
    }
    return out;
}

json effectsJson(const std::vector<std::string>& toggles, const Effects& effects)
{
    json gates = json::array();
    for (const ablation::Gate& gate : effects.gates)
        gates.push_back({{"toggle", toggles[std::size_t(gate.toggle)]},
                         {"gate", toggles[std::size_t(gate.gate)]},
                         {"with", cli::toJson(gate.with)},
                         {"without", cli::toJson(gate.without)},
                         {"mutual", gate.mutual},
                         {"text", ablation::gateText(toggles, gate)}});
    return {{"main", effectsJson(toggles, effects.mains)},
            {"interactions", effectsJson(toggles, effects.interactions)},
            {"shapley", effectsJson(toggles, effects.shapley)},
            {"total", cli::toJson(effects.total)},
            {"gatekeepers", std::move(gates)}};
}

} // namespace

std::string ablationTable(const Terminal& terminal, const std::vector<std::string>& toggles,
                          const std::vector<ablation::CombinationRow>& rows)
{
    std::vector<TextTable::Column> columns;
    columns.reserve(toggles.size() + 6); // those below
    for (const std::string& toggle : toggles)
        columns.push_back({base::spelled(policy::techniqueOf(toggle))});
    for (const TextTable::Column& column : {TextTable::Column{"speed-up (wall)"},
                                            {"by events"},
                                            {"call", TextTable::Align::Right},
                                            {"verdict"},
                                            {"variant", TextTable::Align::Right},
                                            {"bottleneck"}})
        columns.push_back(column);
    TextTable table(columns);
    std::string marks;
    for (const ablation::CombinationRow& row : rows) {
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < toggles.size(); ++i)
            cells.push_back(row.on >> i & 1U ? terminal.toned(Terminal::Tone::Good, "✓")
                                             : terminal.toned(Terminal::Tone::Dim, "✗"));
        const ablation::CombinationResult found = row.found.value_or(ablation::CombinationResult{});
        cells.push_back(found.wall.valid() ? optimize::speedupText(found.wall.speedup, found.marks) : "");
        marks += found.marks;
        cells.push_back(found.event.valid() ? optimize::speedupText(found.event.speedup) : "");
        cells.push_back(found.wall.valid() ? base::timeText(found.wall.candidate_ns) : "");
        cells.push_back(row.found ? tonedVerdict(terminal, found.verdict)
                                  : terminal.toned(Terminal::Tone::Dim, "not judged"));
        cells.push_back(row.variant ? std::to_string(row.variant.value) : "");
        cells.push_back(found.bottleneck.empty() ? elided(found.reason.text.substr(0, found.reason.text.find('\n')), 80)
                                                 : found.bottleneck);
        table.add(std::move(cells));
    }
    return table.text() + (marks.empty() ? "" : "\n" + protocol::marksText(marks));
}

std::string findingsText(const Terminal& terminal, const std::vector<std::string>& toggles,
                         const std::vector<ablation::CombinationRow>& rows)
{
    const Effects wall = effectsBy(toggles.size(), rows, EffectClock::Wall),
                  event = effectsBy(toggles.size(), rows, EffectClock::Event);
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
    const auto title = [&](const std::string& text) {
        add((out.empty() ? "" : "\n") + terminal.toned(Terminal::Tone::Strong, text));
    };
    if (!wall.mains.empty()) {
        title("What each does, as a factor of speed");
        TextTable table({{"toggle"}, {"effect (wall)"}, {"by events"}, {"Shapley value (wall)"}, {"by events"}});
        for (std::size_t i = 0; i < toggles.size(); ++i)
            table.add({base::spelled(policy::techniqueOf(toggles[i])), factorText(wall.mains, 1U << i),
                       factorText(event.mains, 1U << i), factorText(wall.shapley, 1U << i),
                       factorText(event.shapley, 1U << i)});
        add(table.text());
    }
    if (!wall.interactions.empty()) {
        title("What two do beyond the product of each");
        TextTable table({{"pair"}, {"factor (wall)"}, {"by events"}});
        for (const Effect& effect : wall.interactions)
            table.add({base::spelled(ablation::togglesText(toggles, effect.toggles)),
                       optimize::speedupText(effect.factor), factorText(event.interactions, effect.toggles)});
        add(table.text());
    }
    for (const ablation::Topic& topic : ablation::findingsOf(toggles, rows, wall, event)) {
        title(topic.title);
        if (!topic.aside.empty())
            add(topic.aside);
        for (const std::string& sentence : topic.sentences)
            add(sentence);
    }
    return out;
}

json ablationJson(const std::vector<std::string>& toggles, const std::vector<ablation::CombinationRow>& rows)
{
    json list = json::array();
    for (const ablation::CombinationRow& row : rows)
        list.push_back(rowJson(toggles, row));
    return {{"toggles", toggles},
            {"rows", std::move(list)},
            {"effects",
             {{"wall", effectsJson(toggles, effectsBy(toggles.size(), rows, EffectClock::Wall))},
              {"event", effectsJson(toggles, effectsBy(toggles.size(), rows, EffectClock::Event))}}},
            {"findings", ablation::breakingTexts(toggles, rows)}};
}

} // namespace cudal1::cli
