// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and JSON of published claims.
#include "app/cli/claimstable.h"

#include "app/cli/rejudgetable.h"
#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "core/base/percenttext.h"
#include "core/base/ratiotext.h"
#include "core/optimize/outcometext.h"
#include "core/store/storedjson.h"

#include <map>

namespace cudal1::cli {

using base::ratioText;
using nlohmann::json;
using Align = TextTable::Align;

namespace {

constexpr std::size_t mostRanked = 10; ///< as the paper's table 8 has

std::string shareText(int part, int of)
{
    return std::to_string(part) + (of > 0 ? " (" + base::percentText(double(part) / of) + ")" : "");
}

/// Mean, geometric mean, maximum and quartiles.
std::vector<std::string> statistics(const std::optional<rejudge::ClockSummary>& of)
{
    if (!of)
        return std::vector<std::string>(6);
    return {ratioText(of->mean),          ratioText(of->geometricMean), ratioText(of->maximum),
            ratioText(of->upperQuartile), ratioText(of->median),        ratioText(of->lowerQuartile)};
}

void append(std::vector<std::string>& cells, const std::vector<std::string>& more)
{
    cells.insert(cells.end(), more.begin(), more.end());
}

std::vector<TextTable::Column> columns(std::vector<TextTable::Column> first)
{
    for (const char* title : {"rows", "success", "above 1.01", "mean", "geometric", "max", "75 %", "50 %", "25 %"})
        first.push_back({title, Align::Right});
    return first;
}

std::string claimedTable(const std::vector<rejudge::ClaimLine>& lines, const char* second, bool byLevel)
{
    TextTable table(columns({{"published"}, {"device"}, {second}}));
    for (const rejudge::ClaimLine& line : lines) {
        std::vector<std::string> cells{line.source,
                                       line.device.text(),
                                       byLevel ? levelText(line.level) : line.over,
                                       std::to_string(line.rows),
                                       shareText(line.success, line.rows),
                                       shareText(line.above, line.rows)};
        append(cells, statistics(line.claimed));
        table.add(std::move(cells));
    }
    return table.text();
}

std::string hereTable(const std::vector<rejudge::ClaimLine>& lines)
{
    TextTable table({{"published"},
                     {"level"},
                     {"judged", Align::Right},
                     {"correct", Align::Right},
                     {"above 1.01", Align::Right},
                     {"mean", Align::Right},
                     {"geometric", Align::Right},
                     {"max", Align::Right},
                     {"75 %", Align::Right},
                     {"50 %", Align::Right},
                     {"25 %", Align::Right}});
    for (const rejudge::ClaimLine& line : lines) {
        if (line.judged == 0)
            continue;
        std::vector<std::string> cells{line.source, levelText(line.level), std::to_string(line.judged),
                                       shareText(line.correct, line.judged),
                                       line.here ? base::percentText(line.here->above) : std::string()};
        append(cells, statistics(line.here));
        table.add(std::move(cells));
    }
    return table.empty() ? std::string() : table.text();
}

std::string rankedTable(const rejudge::PublishedClaims& claims)
{
    TextTable table({{"task"},
                     {"name"},
                     {"variant", Align::Right},
                     {"claimed", Align::Right},
                     {"device"},
                     {"found here", Align::Right},
                     {"techniques"}});
    for (std::size_t at = 0; at < std::min(mostRanked, claims.ranked.size()); ++at) {
        const rejudge::RankedClaim& one = claims.ranked[at];
        std::string found;
        if (one.found)
            found = one.found->verdict == protocol::Verdict::Correct
                      ? optimize::speedupText(one.found->wall, one.found->marks)
                      : optimize::verdictText(one.found->verdict);
        table.add({one.claim.task.value, one.name,
                   one.claim.variant ? std::to_string(one.claim.variant.value) : "no code",
                   ratioText(*one.claim.speedup), rejudge::claimedDevice(one.claim).text(), std::move(found),
                   optimize::techniquesText(one.techniques, "")});
    }
    return table.text();
}

json rankedJson(const rejudge::RankedClaim& one)
{
    json out = rejudge::claimJson(one.claim);
    out["task"] = one.claim.task.value;
    out["name"] = one.name;
    out["level"] = one.level;
    out["techniques"] = one.techniques;
    out["verdict"] = one.found ? json(protocol::toString(one.found->verdict)) : json(nullptr);
    out["found"] = one.found ? store::toJson(one.found->wall) : json(nullptr);
    return out;
}

json statisticsJson(const std::optional<rejudge::ClockSummary>& of)
{
    if (!of)
        return nullptr;
    return {{"count", of->count},
            {"mean", of->mean},
            {"geometric_mean", of->geometricMean},
            {"maximum", of->maximum},
            {"upper_quartile", of->upperQuartile},
            {"median", of->median},
            {"lower_quartile", of->lowerQuartile},
            {"above_1_01", of->above}};
}

json lineJson(const rejudge::ClaimLine& line)
{
    return {{"source", line.source},
            {"device", line.device.name.empty() ? json(nullptr) : json(line.device.name)},
            {"device_from", line.device.from()},
            {"level", line.level ? json(*line.level) : json(nullptr)},
            {"over", line.over},
            {"rows", line.rows},
            {"success", line.success},
            {"above_1_01", line.above},
            {"claimed", statisticsJson(line.claimed)},
            {"judged", line.judged},
            {"correct", line.correct},
            {"wall", statisticsJson(line.here)}};
}

} // namespace

std::string claimsText(const Terminal& terminal, const rejudge::PublishedClaims& claims)
{
    const auto heading = [&](const char* text) { return terminal.toned(Terminal::Tone::Strong, text) + "\n"; };
    std::string out = heading("Claimed, over eager") + claimedTable(claims.levels, "level", true);
    if (std::any_of(claims.others.begin(), claims.others.end(),
                    [](const rejudge::ClaimLine& line) { return line.over != "eager"; }))
        out += "\n\n" + heading("Claimed, over each program") + claimedTable(claims.others, "over", false);
    const std::string here = hereTable(claims.levels);
    if (here.empty())
        out += "\n\nNone of these rows was judged here yet: `cudal1 rejudge` does.";
    else
        out += "\n\n" + heading(("Found here on " + claims.deviceModel + ", by the wall clock").c_str()) + here;
    if (!claims.ranked.empty())
        out += "\n\n" + heading("The highest claims, a row a task") + rankedTable(claims) + "\n" +
               "`cudal1 report --template claims` has the code of these before and after.";
    if (!claims.uses.empty()) {
        TextTable table({{"technique"}, {"variants", Align::Right}});
        for (const rejudge::TechniqueUse& use : claims.uses)
            table.add({use.technique, shareText(use.variants, claims.variants)});
        out += "\n\n" + heading("Techniques that the sources are seen to use") + table.text();
    }
    return out +
           "\n\nClaims are by the publisher's clock on the publisher's device. A row without a speed-up is a failure; "
           "here " +
           ruleText(claims.rule) + ": --failures one, zero or left-out chooses.";
}

json toJson(const rejudge::PublishedClaims& claims)
{
    json levels = json::array(), others = json::array(), uses = json::array(), ranked = json::array();
    for (const rejudge::RankedClaim& one : claims.ranked)
        ranked.push_back(rankedJson(one));
    for (const rejudge::ClaimLine& line : claims.levels)
        levels.push_back(lineJson(line));
    for (const rejudge::ClaimLine& line : claims.others)
        others.push_back(lineJson(line));
    for (const rejudge::TechniqueUse& use : claims.uses)
        uses.push_back({{"technique", use.technique}, {"variants", use.variants}});
    return {{"device_model", claims.deviceModel.empty() ? json(nullptr) : json(claims.deviceModel)},
            {"failures_as", rejudge::toString(claims.rule)},
            {"levels", std::move(levels)},
            {"over", std::move(others)},
            {"variants", claims.variants},
            {"ranked", std::move(ranked)},
            {"techniques", std::move(uses)}};
}

std::string claimsTable(const std::vector<store::ClaimRecord>& claims)
{
    std::vector<std::string> programs;
    for (const store::ClaimRecord& claim : claims)
        for (const rejudge::ClaimedOver& one : rejudge::claimedOver(claim))
            if (std::find(programs.begin(), programs.end(), one.over) == programs.end())
                programs.push_back(one.over);
    std::vector<TextTable::Column> titles{{"variant", Align::Right}, {"device"}};
    for (const std::string& program : programs)
        titles.push_back({"over " + program, Align::Right});
    titles.push_back({"published"});
    TextTable table(titles);
    for (const store::ClaimRecord& claim : claims) {
        std::vector<std::string> cells{claim.variant ? std::to_string(claim.variant.value) : "no code",
                                       rejudge::claimedDevice(claim).text()};
        std::map<std::string, double> over;
        for (const rejudge::ClaimedOver& one : rejudge::claimedOver(claim))
            over[one.over] = one.speedup;
        for (const std::string& program : programs)
            cells.push_back(over.contains(program) ? ratioText(over[program]) : std::string());
        cells.push_back(claim.source + ", row " + claim.key);
        table.add(std::move(cells));
    }
    return table.text();
}

json toJson(const std::vector<store::ClaimRecord>& claims)
{
    json out = json::array();
    for (const store::ClaimRecord& claim : claims)
        out.push_back(rejudge::claimJson(claim));
    return out;
}

} // namespace cudal1::cli
