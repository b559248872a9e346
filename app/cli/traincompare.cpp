// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 train compare`: checkpoints on held-out tasks at one and at several samples.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/makeexperiment.h"
#include "app/cli/modelpath.h"
#include "app/cli/numberoptions.h"
#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "app/cli/trainingtasks.h"
#include "app/cli/verbs.h"
#include "core/base/sha256.h"
#include "core/collect/collector.h"
#include "core/learning/checkpointscores.h"
#include "core/optimize/samplefacts.h"
#include "core/protocol/reward.h"

#include <algorithm>
#include <filesystem>

namespace cudal1::cli {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using learning::CheckpointScores;
using nlohmann::json;

/// A checkpoint, or all of those in a training's folder, the oldest first.
base::Result<std::vector<std::string>> checkpointsOf(const QString& word)
{
    const auto folder = modelPath(word.toStdString());
    if (!folder)
        return folder.error();
    std::error_code ignored;
    if (fs::exists(fs::path(*folder) / "config.json", ignored))
        return std::vector<std::string>{*folder};
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(*folder, ignored))
        if (entry.path().filename().string().starts_with("step-") && fs::exists(entry.path() / "config.json", ignored))
            out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    if (out.empty())
        return Error{ErrorCode::NotFound, "The folder has no checkpoint", *folder,
                     "Name a Hugging Face folder, or the --out of a training"};
    return out;
}

/// Weights that were written anew under the same name are another model.
std::string nameOf(const std::string& folder, std::size_t number)
{
    std::string what = folder;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".safetensors" && !entry.path().filename().string().starts_with("optimizer"))
            what += " " + std::to_string(fs::file_size(entry.path(), ignored)) + " " +
                    std::to_string(fs::last_write_time(entry.path(), ignored).time_since_epoch().count());
    return "c" + std::to_string(number + 1) + "." + base::sha256Hex(what).substr(0, 8);
}

struct ComparisonAsked {
    experiment::ExperimentPlan plan;
    std::vector<std::string> folders; ///< one a row
    int samples = 8;
};

base::Result<ComparisonAsked> readComparison(Context& context, const QCommandLineParser& parser,
                                             const QStringList& arguments)
{
    ComparisonAsked out;
    int maxTokens = 2048;
    double temperature = 1;
    NumberOptions numbers(parser);
    numbers.readWhole("samples", out.samples);
    numbers.readWhole("max-tokens", maxTokens);
    numbers.read("temperature", temperature);
    if (numbers.wrong())
        return *numbers.wrong();
    if (out.samples < 1 || out.samples > 1024 || maxTokens < 1 || !(temperature > 0))
        return Error{ErrorCode::InvalidArgument,
                     "--samples is from 1 to 1024, --max-tokens from 1, and --temperature above 0",
                     {},
                     {}};
    for (const QString& word : arguments) {
        const auto some = checkpointsOf(word);
        if (!some)
            return some.error();
        for (const std::string& folder : *some)
            if (std::find(out.folders.begin(), out.folders.end(), folder) == out.folders.end())
                out.folders.push_back(folder);
    }
    json asking{{"sampling", {{"temperature", temperature}, {"max_tokens", maxTokens}}}};
    if (parser.isSet("model-device"))
        asking["device"] = parser.value("model-device").toStdString();
    if (parser.isSet("dtype"))
        asking["dtype"] = parser.value("dtype").toStdString();
    experiment::ExperimentPlan& plan = out.plan;
    plan.asking = asking.dump();
    plan.prompts = parser.value("prompts").toStdString();
    plan.confirmsAbove = protocol::certainReward;
    plan.seeds = {context.settings().seed ? context.settings().seed : 1};
    for (std::size_t i = 0; i < out.folders.size(); ++i) {
        const std::string name = nameOf(out.folders[i], i);
        plan.models.push_back({name, out.folders[i], {}, {}});
        plan.rows.push_back({"model:" + name, collect::oneShot(out.samples), out.folders[i]});
        plan.policies.push_back("model:" + name);
    }
    return out;
}

base::Result<CheckpointScores> scoresOf(const store::Project& project, const experiment::ExperimentRecord& record,
                                        const std::vector<experiment::CellResult>& results, std::size_t arm,
                                        int& unknown)
{
    CheckpointScores out;
    for (const experiment::CellResult& cell : results) {
        if (cell.arm != arm || !cell.done)
            continue;
        const auto facts = optimize::sampleFacts(project, cell.run);
        if (!facts)
            return facts.error();
        std::vector<double> rewards;
        std::vector<bool> correct;
        for (const optimize::SampleFacts& one : *facts) {
            correct.push_back(one.correct());
            unknown += one.correct() && !one.reward();
            rewards.push_back(one.correct() ? one.reward().value_or(0) : 0);
        }
        out.add(correct, rewards);
    }
    out.finish(record.plan.seeds.front());
    return out;
}

json intervalJson(const base::Interval& interval)
{
    return {{"estimate", interval.estimate}, {"low", interval.low}, {"high", interval.high}};
}

int printComparison(Context& context, const ComparisonAsked& asked, const std::vector<CheckpointScores>& scores,
                    const base::Status& ended)
{
    const std::string many = " at " + std::to_string(asked.samples);
    TextTable table({{"checkpoint"},
                     {"tasks", TextTable::Align::Right},
                     {"success at 1", TextTable::Align::Right},
                     {"success" + many, TextTable::Align::Right},
                     {"above 1.01 at 1", TextTable::Align::Right},
                     {"above 1.01" + many, TextTable::Align::Right},
                     {"reward", TextTable::Align::Right},
                     {"best" + many, TextTable::Align::Right}});
    json rows = json::array();
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const CheckpointScores& one = scores[i];
        table.add({asked.folders[i], std::to_string(one.tasks), valueText(one.successAtOne),
                   valueText(one.successAtMany), valueText(one.fasterAtOne), valueText(one.fasterAtMany),
                   valueText(one.reward), valueText(one.best)});
        rows.push_back({{"checkpoint", asked.folders[i]},
                        {"tasks", one.tasks},
                        {"success_at_1", intervalJson(one.successAtOne)},
                        {"success_at_n", intervalJson(one.successAtMany)},
                        {"above_1_01_at_1", intervalJson(one.fasterAtOne)},
                        {"above_1_01_at_n", intervalJson(one.fasterAtMany)},
                        {"reward", intervalJson(one.reward)},
                        {"best_reward_at_n", intervalJson(one.best)}});
    }
    if (context.settings().json) {
        json out{{"samples", asked.samples}, {"checkpoints", std::move(rows)}};
        if (!ended)
            out["error"] = cli::toJson(ended.error());
        context.printJson(out);
    }
    context.terminal().print(table.text());
    if (ended)
        return Done;
    context.terminal().complain("cudal1: " + ended.error().text() + ". Run the same command again to go on.");
    return Context::statusOf(ended.error());
}

} // namespace

int compareCheckpoints(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    auto asked = readComparison(context, parser, arguments);
    if (!asked)
        return context.fail(asked.error());
    const auto tasks = parser.isSet("tasks") ? tasksOf(context, parser.value("tasks"))
                                             : context.tasks({}, 0, tasks::Split::HeldOut);
    if (!tasks)
        return context.fail(tasks.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    auto record = experiment::recordOf(asked->plan, "Checkpoints compared", *tasks);
    if (!record)
        return context.fail(record.error());
    record->precision = context.settings().precision;
    record->preset = parser.isSet("preset") ? context.settings().preset : protocol::Preset::Quick;
    auto models = ExperimentModels::of(context, *record, *tasks);
    if (!models)
        return context.fail(models.error());
    Interrupt interrupt;
    Client client(interrupt);
    const auto machine = context.describe(client);
    const auto devices = machine ? context.devicesOfOneModel(*machine) : machine.error();
    if (!devices)
        return context.fail(devices.error(), interrupt, "nothing was begun");
    client.judgeOn(*devices);
    record->device = devices->front().name;
    record->deviceModel = devices->front().model;
    context.terminal().print(std::to_string(asked->folders.size()) + " checkpoints, " + std::to_string(tasks->size()) +
                             " tasks, on " + conditionsText(*devices, record->precision, record->preset));
    const ExperimentOutcome outcome = makeExperiment(context, **project, client, interrupt, *record, *tasks, *models,
                                                     *devices);
    std::vector<CheckpointScores> scores;
    int unknown = 0;
    for (std::size_t arm = 0; arm < asked->folders.size(); ++arm) {
        const auto one = scoresOf(**project, *record, outcome.results, arm, unknown);
        if (!one)
            return context.fail(one.error());
        scores.push_back(*one);
    }
    if (unknown > 0)
        context.terminal().complain("cudal1: the times of " + std::to_string(unknown) +
                                    " correct replies say too little, since other work wanted the cores; their reward "
                                    "counts as 0");
    int status = printComparison(context, *asked, scores, outcome.ended);
    const auto failed = [](const experiment::CellResult& one) { return !one.trouble.empty(); };
    const auto first = std::find_if(outcome.results.begin(), outcome.results.end(), failed);
    if (first != outcome.results.end()) {
        const auto count = std::count_if(outcome.results.begin(), outcome.results.end(), failed);
        context.terminal().complain("cudal1: " + std::to_string(count) +
                                    " questions failed and count nowhere, the first of them for " + first->task.value +
                                    ": " + first->trouble + ". Run the same command again to ask them again.");
        status = status == Done ? int(CannotDoIt) : status;
    }
    return interrupt.caught() ? 128 + interrupt.caught() : status;
}

} // namespace cudal1::cli
