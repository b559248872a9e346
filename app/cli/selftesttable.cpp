// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a self-test.
#include "app/cli/selftesttable.h"

#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "core/optimize/outcometext.h"

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

namespace {

using selftest::CheckRow;
using selftest::Grade;
using selftest::TestSection;
using Tone = Terminal::Tone;

std::string title(TestSection section)
{
    switch (section) {
    case TestSection::Canaries: return "Canaries: what nobody can miss";
    case TestSection::Same: return "The same work on both sides";
    case TestSection::Slower: return "Work that is slower by a known share";
    case TestSection::Exploits: return "Planted cheats";
    case TestSection::Lookalikes: break;
    }
    return "Honest code that looks like a cheat";
}

/// Speed-ups near 1 need the fourth digit.
std::string preciseText(const base::Interval& interval)
{
    if (!interval.valid())
        return {};
    char out[96];
    std::snprintf(out, sizeof out, interval.estimate < 10 ? "%.3f (%.3f–%.3f)" : "%.1f (%.1f–%.1f)", interval.estimate,
                  interval.low, interval.high);
    return out;
}

std::string verdictOf(const CheckRow& row)
{
    if (!row.answer.evaluation)
        return "no verdict";
    std::string out = optimize::verdictText(row.answer.evaluation->verdict);
    if (!row.answer.evaluation->reasons.empty())
        out += ": " + row.answer.evaluation->reasons.front().code;
    return out;
}

std::string checkName(const CheckRow& row)
{
    return row.check.percent > 0 ? std::to_string(row.check.percent) + " %, " + row.check.name : row.check.name;
}

std::string markText(const Terminal& terminal, Grade mark)
{
    return mark == Grade::Good ? terminal.toned(Tone::Good, "✓")
         : mark == Grade::Off  ? terminal.toned(Tone::Warn, "~")
                               : terminal.toned(Tone::Bad, "✗");
}

} // namespace

std::string sectionText(const Terminal& terminal, const selftest::SectionReport& section, bool brief)
{
    TextTable table({{""}, {"what"}, {"expected"}, {"verdict"}, {"speed-up"}, {"found"}});
    std::set<std::string> codes;
    for (const CheckRow* row : section.rows) {
        if (brief && section.passed && row->finding.mark == Grade::Good)
            continue;
        table.add({markText(terminal, row->finding.mark), checkName(*row), row->check.expected, verdictOf(*row),
                   preciseText(row->answer.wall()), row->finding.why});
        if (const auto& evaluation = row->answer.evaluation; evaluation && !evaluation->reasons.empty())
            codes.insert(evaluation->reasons.front().code);
    }
    std::string out = terminal.toned(Tone::Strong, title(section.section)) + "  " + std::to_string(section.good) +
                      " of " + std::to_string(section.checks) + " as expected " +
                      terminal.toned(Tone::Dim, "(" + section.rule + ")") + " " +
                      (section.passed ? terminal.toned(Tone::Good, "passed") : terminal.toned(Tone::Bad, "failed"));
    if (!table.empty())
        out += "\n" + table.text();
    return out + codesLegend(terminal, codes);
}

std::string meaningText(const Terminal& terminal, const selftest::Report& report)
{
    std::string out;
    for (const selftest::SectionReport& section : report.sections)
        if (!section.passed)
            out += (out.empty() ? "" : "\n") +
                   terminal.toned(Tone::Bad, std::string(selftest::toString(section.section))) + ": " + section.meaning;
    return out;
}

nlohmann::json toJson(const selftest::SectionReport& section)
{
    nlohmann::json checks = nlohmann::json::array();
    for (const CheckRow* row : section.rows) {
        nlohmann::json one = {{"name", row->check.name},
                              {"expected", row->check.expected},
                              {"ok", row->finding.good()},
                              {"mark", row->finding.mark == Grade::Good  ? "good"
                                       : row->finding.mark == Grade::Off ? "off"
                                                                         : "bad"},
                              {"found", row->finding.why},
                              {"speedup", {{"wall", toJson(row->answer.wall())}}},
                              {"evaluations", row->evaluations},
                              {"seconds", row->seconds}};
        if (!row->check.group.empty())
            one["class"] = row->check.group;
        if (row->check.percent > 0)
            one["slower_percent"] = row->check.percent;
        if (row->answer.evaluation) {
            one["verdict"] = protocol::toString(row->answer.evaluation->verdict);
            one["reasons"] = row->answer.evaluation->reasons;
            one["labels"] = row->answer.evaluation->labels;
            one["seed"] = row->answer.evaluation->seed;
        } else {
            one["verdict"] = nullptr;
            one["error"] = row->answer.error.text();
        }
        checks.push_back(std::move(one));
    }
    return {{"section", selftest::toString(section.section)},
            {"passed", section.passed},
            {"rule", section.rule},
            {"meaning", section.meaning},
            {"as_expected", section.good},
            {"beside", section.off},
            {"wrong", section.bad},
            {"checks", std::move(checks)}};
}

} // namespace cudal1::cli
