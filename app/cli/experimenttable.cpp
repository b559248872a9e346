// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of experiments as a table and as JSON.
#include "app/cli/experimenttable.h"

#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "core/base/ratiotext.h"
#include "core/language/askmethod.h"

namespace cudal1::cli {

using experiment::Arm;
using experiment::CellResult;
using experiment::ExperimentRow;

namespace {

std::string costsText(const std::map<std::string, double>& costs)
{
    std::string out;
    for (const auto& [unit, cost] : costs)
        out += (out.empty() ? "" : ", ") + costText(cost, unit);
    return out;
}

std::string ofAll(int part, int all)
{
    return all > 0 ? std::to_string(part) + "/" + std::to_string(all) : "";
}

nlohmann::json armJson(const Arm& arm)
{
    nlohmann::json out{
        {"policy", arm.policy},
        {"method", arm.method ? nlohmann::json::parse(language::toJson(*arm.method)) : nlohmann::json(nullptr)}};
    if (!arm.name.empty())
        out["name"] = arm.name;
    return out;
}

nlohmann::json stepsJson(const std::vector<experiment::CellStep>& steps)
{
    nlohmann::json out = nlohmann::json::array();
    for (const experiment::CellStep& step : steps)
        out.push_back(
            {{"samples", step.samples}, {"tokens", step.tokens}, {"costs", step.costs}, {"score", step.score}});
    return out;
}

nlohmann::json boundsJson(const base::Interval& interval)
{
    return {interval.low, interval.high};
}

/// "0.62 (0.51–0.73)"; empty where one seed says nothing of the others.
std::string overSeeds(const ExperimentRow& row, const base::Interval& interval)
{
    return row.seeds > 1 ? valueText(interval) : std::string();
}

std::string splitText(const ExperimentRow& row)
{
    return !row.heldOut ? "" : *row.heldOut ? "held-out" : "train";
}

} // namespace

std::string experimentTable(const std::vector<Arm>& arms, const std::vector<ExperimentRow>& rows)
{
    using Align = TextTable::Align;
    TextTable table({{"row"},
                     {"policy"},
                     {"method"},
                     {"split"},
                     {"level"},
                     {"success", Align::Right},
                     {"without repair", Align::Right},
                     {"share, 95 % over seeds", Align::Right},
                     {"above 1.01", Align::Right},
                     {"share, 95 %", Align::Right},
                     {"mean", Align::Right},
                     {"by seed", Align::Right},
                     {"mean, 95 %", Align::Right},
                     {"geometric", Align::Right},
                     {"max", Align::Right},
                     {"75 %", Align::Right},
                     {"50 %", Align::Right},
                     {"25 %", Align::Right},
                     {"samples", Align::Right},
                     {"repairs", Align::Right},
                     {"tokens", Align::Right},
                     {"cost", Align::Right}});
    const auto ratio = [](const ExperimentRow& row, double value) {
        return row.runs > 0 ? base::threeDigits(value) : std::string();
    };
    const auto bySeed = [](const ExperimentRow& row) {
        return row.seeds > 1 ? base::threeDigits(row.lowestMean) + "–" + base::threeDigits(row.highestMean)
                             : std::string();
    };
    for (const ExperimentRow& row : rows)
        table.add({arms[row.arm].name,
                   arms[row.arm].policy,
                   arms[row.arm].methodName(),
                   splitText(row),
                   row.level ? std::to_string(*row.level) : "all",
                   ofAll(row.success, row.runs),
                   row.repairs > 0 ? ofAll(row.successWithoutRepair, row.runs) : "",
                   overSeeds(row, row.successBySeed),
                   ofAll(row.improved, row.runs),
                   overSeeds(row, row.improvedBySeed),
                   ratio(row, row.mean),
                   bySeed(row),
                   overSeeds(row, row.meanBySeed),
                   ratio(row, row.geometricMean),
                   ratio(row, row.maximum),
                   ratio(row, row.upperQuartile),
                   ratio(row, row.median),
                   ratio(row, row.lowerQuartile),
                   std::to_string(row.samples),
                   ofAll(row.mended, row.repairs),
                   row.promptTokens + row.replyTokens > 0 ? std::to_string(row.promptTokens + row.replyTokens) : "",
                   costsText(row.costs)});
    return table.text();
}

nlohmann::json jsonOf(const std::vector<Arm>& arms, const CellResult& cell)
{
    nlohmann::json out = armJson(arms[cell.arm]);
    out.update({{"task", cell.task.value},
                {"held_out", cell.heldOut},
                {"seed", cell.seed},
                {"run", cell.run ? nlohmann::json(cell.run.value) : nlohmann::json(nullptr)},
                {"done", cell.done},
                {"trouble", cell.trouble.empty() ? nlohmann::json(nullptr) : nlohmann::json(cell.trouble)},
                {"correct", cell.correct},
                {"correct_without_repair", cell.correctWithoutRepair},
                {"score", cell.score},
                {"best", cell.best ? nlohmann::json(cell.best.value) : nlohmann::json(nullptr)},
                {"samples", cell.samples},
                {"unusable", cell.unusable},
                {"repairs", cell.repairs},
                {"mended", cell.mended},
                {"prompt_tokens", cell.promptTokens},
                {"completion_tokens", cell.replyTokens},
                {"costs", cell.costs},
                {"steps", stepsJson(cell.steps)}});
    return out;
}

nlohmann::json jsonOf(const std::vector<Arm>& arms, const ExperimentRow& row)
{
    nlohmann::json out = armJson(arms[row.arm]);
    out.update({{"level", row.level ? nlohmann::json(*row.level) : nlohmann::json(nullptr)},
                {"split", row.heldOut ? nlohmann::json(*row.heldOut ? "held_out" : "train") : nlohmann::json(nullptr)},
                {"planned", row.planned},
                {"runs", row.runs},
                {"success", row.success},
                {"success_without_repair", row.successWithoutRepair},
                {"above_1_01", row.improved},
                {"mean", row.mean},
                {"seeds", row.seeds},
                {"lowest_seed_mean", row.lowestMean},
                {"highest_seed_mean", row.highestMean},
                {"success_share", row.successBySeed.estimate},
                {"success_interval", boundsJson(row.successBySeed)},
                {"above_1_01_share", row.improvedBySeed.estimate},
                {"above_1_01_interval", boundsJson(row.improvedBySeed)},
                {"mean_interval", boundsJson(row.meanBySeed)},
                {"geometric_mean", row.geometricMean},
                {"max", row.maximum},
                {"p75", row.upperQuartile},
                {"p50", row.median},
                {"p25", row.lowerQuartile},
                {"samples", row.samples},
                {"unusable", row.unusable},
                {"repairs", row.repairs},
                {"mended", row.mended},
                {"prompt_tokens", row.promptTokens},
                {"completion_tokens", row.replyTokens},
                {"costs", row.costs}});
    return out;
}

} // namespace cudal1::cli
