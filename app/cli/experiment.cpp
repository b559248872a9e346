// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 experiment FILE.json`: policies by methods over tasks and seeds, a run each.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/runlimits.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/base/ratiotext.h"
#include "core/experiment/experimentrun.h"

#include <QEventLoop>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using experiment::Arm;
using experiment::CellResult;
using experiment::ExperimentRow;
using language::PolicyChoice;
using store::RunState;

std::string costText(const std::map<std::string, double>& costs)
{
    std::string out;
    for (const auto& [unit, cost] : costs)
        out += (out.empty() ? "" : ", ") + QString::number(cost, 'g', 4).toStdString() + " " + unit;
    return out;
}

std::string ofAll(int part, int all)
{
    return all > 0 ? std::to_string(part) + "/" + std::to_string(all) : "";
}

std::string tableOf(const std::vector<Arm>& arms, const std::vector<ExperimentRow>& rows)
{
    using Align = TextTable::Align;
    TextTable table({{"policy"},
                     {"method"},
                     {"level"},
                     {"success", Align::Right},
                     {"without repair", Align::Right},
                     {"above 1.01", Align::Right},
                     {"mean", Align::Right},
                     {"by seed", Align::Right},
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
        table.add({arms[row.arm].policy, arms[row.arm].methodName(), row.level ? std::to_string(*row.level) : "all",
                   ofAll(row.success, row.runs), row.repairs > 0 ? ofAll(row.successWithoutRepair, row.runs) : "",
                   ofAll(row.improved, row.runs), ratio(row, row.mean), bySeed(row), ratio(row, row.geometricMean),
                   ratio(row, row.maximum), ratio(row, row.upperQuartile), ratio(row, row.median),
                   ratio(row, row.lowerQuartile), std::to_string(row.samples), ofAll(row.mended, row.repairs),
                   row.promptTokens + row.replyTokens > 0 ? std::to_string(row.promptTokens + row.replyTokens) : "",
                   costText(row.costs)});
    return table.text();
}

nlohmann::json toJson(const Arm& arm)
{
    return {{"policy", arm.policy},
            {"method", arm.method ? nlohmann::json::parse(language::toJson(*arm.method)) : nlohmann::json(nullptr)}};
}

nlohmann::json toJson(const std::vector<experiment::CellStep>& steps)
{
    nlohmann::json out = nlohmann::json::array();
    for (const experiment::CellStep& step : steps)
        out.push_back(
            {{"samples", step.samples}, {"tokens", step.tokens}, {"costs", step.costs}, {"score", step.score}});
    return out;
}

nlohmann::json toJson(const std::vector<Arm>& arms, const CellResult& cell)
{
    nlohmann::json out = toJson(arms[cell.arm]);
    out.update({{"task", cell.task.value},
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
                {"steps", toJson(cell.steps)}});
    return out;
}

nlohmann::json toJson(const std::vector<Arm>& arms, const ExperimentRow& row)
{
    nlohmann::json out = toJson(arms[row.arm]);
    out.update({{"level", row.level ? nlohmann::json(*row.level) : nlohmann::json(nullptr)},
                {"planned", row.planned},
                {"runs", row.runs},
                {"success", row.success},
                {"success_without_repair", row.successWithoutRepair},
                {"above_1_01", row.improved},
                {"mean", row.mean},
                {"seeds", row.seeds},
                {"lowest_seed_mean", row.lowestMean},
                {"highest_seed_mean", row.highestMean},
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

/// What an experiment came to, as far as it went.
struct Outcome {
    std::vector<Arm> arms;
    std::vector<CellResult> results;
    base::Status ended;            ///< why it did not come to its end
    models::Ledger::Totals ledger; ///< of all processes that have worked at it

    std::int64_t done() const
    {
        return std::count_if(results.begin(), results.end(), [](const CellResult& one) { return one.done; });
    }
};

int print(Context& context, const Outcome& all, int signal)
{
    const auto rows = experiment::rowsOf(all.results, all.arms.size());
    if (context.settings().json) {
        nlohmann::json cells = nlohmann::json::array(), lines = nlohmann::json::array();
        for (const CellResult& cell : all.results)
            cells.push_back(toJson(all.arms, cell));
        for (const ExperimentRow& row : rows)
            lines.push_back(toJson(all.arms, row));
        nlohmann::json out{{"planned", all.results.size()},
                           {"done", all.done()},
                           {"ledger", ledgerJson(all.ledger)},
                           {"rows", std::move(lines)},
                           {"runs", std::move(cells)}};
        if (!all.ended)
            out["error"] = cli::toJson(all.ended.error());
        context.printJson(out);
    }
    Terminal& terminal = context.terminal();
    terminal.print({});
    terminal.print(tableOf(all.arms, rows));
    if (all.ledger.requests > 0)
        terminal.print(ledgerText(all.ledger));
    const auto failed = [](const CellResult& one) { return !one.trouble.empty(); };
    const auto first = std::find_if(all.results.begin(), all.results.end(), failed);
    const auto count = std::count_if(all.results.begin(), all.results.end(), failed);
    if (count > 0)
        context.terminal().complain("cudal1: " + std::to_string(count) + (count == 1 ? " run" : " runs") +
                                    " failed and count nowhere, the first of them for " + first->task.value + ": " +
                                    first->trouble);
    if (!all.ended) {
        context.terminal().complain("cudal1: " + all.ended.error().text() + ". " + std::to_string(all.done()) + " of " +
                                    std::to_string(all.results.size()) +
                                    " runs are done. Run the same command again to go on.");
        return signal ? 128 + signal : Context::statusOf(all.ended.error());
    }
    return count > 0 ? CannotDoIt : Done;
}

base::Result<experiment::ExperimentPlan> readPlan(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::NotFound,
                     "The experiment cannot be read: " + file.errorString().toStdString(),
                     path.toStdString(),
                     {}};
    return experiment::ExperimentPlan::read(file.readAll().toStdString());
}

/// What the command line says goes before the file.
base::Status takeLimits(const QCommandLineParser& parser, models::RunLimits& limits)
{
    const auto given = readLimits(parser);
    if (!given)
        return given.error();
    if (given->seconds)
        limits.seconds = given->seconds;
    if (given->tokens)
        limits.tokens = given->tokens;
    if (given->cost) {
        limits.cost = given->cost;
        limits.costUnit = given->costUnit;
    }
    return {};
}

/// Makes what is not done.
Outcome make(Context& context, store::Project& project, Client& client, Interrupt& interrupt,
             const experiment::ExperimentRecord& record, const std::vector<store::TaskRecord>& tasks)
{
    Terminal& terminal = context.terminal();
    experiment::ExperimentRun run(project, client.crew());
    RunState state = RunState::Failed;
    QEventLoop loop;
    bool over = false;
    QObject::connect(&run, &experiment::ExperimentRun::log, &loop,
                     [&](const QString& line) { terminal.print(line.toStdString()); });
    QObject::connect(&run, &experiment::ExperimentRun::progress, &loop, [&](const experiment::ExperimentProgress& now) {
        terminal.live(std::to_string(now.done) + " of " + std::to_string(now.planned) +
                      (now.text.empty() ? "" : " · " + now.text));
    });
    QObject::connect(&run, &experiment::ExperimentRun::finished, &loop, [&](RunState how) {
        state = how;
        over = true;
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        run.stop();
    });
    run.start(record, tasks);
    if (interrupt.caught())
        run.stop();
    if (!over)
        loop.exec();
    terminal.clearLive();
    Outcome out{record.plan.arms(), run.results(), {}, run.spent()};
    if (state == RunState::Stopped)
        out.ended = run.error().message.empty() ? Error{ErrorCode::Cancelled, "Stopped", {}, {}} : run.error();
    if (state == RunState::Failed)
        out.ended = run.error();
    return out;
}

} // namespace

int experiment(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    auto plan = readPlan(arguments[0]);
    if (!plan)
        return context.fail(plan.error());
    if (const auto status = takeLimits(parser, plan->limits); !status)
        return context.fail(status.error());
    std::optional<tasks::Split> split;
    if (!plan->split.empty() && !(split = tasks::splitFromText(plan->split)))
        return context.fail({ErrorCode::InvalidArgument,
                             "\"split\" is train or held-out, not \"" + plan->split + "\"",
                             arguments[0].toStdString(),
                             {}});
    QStringList names;
    for (const std::string& name : plan->tasks)
        names << QString::fromStdString(name);
    const auto tasks = context.tasks(names, plan->level, split);
    if (!tasks)
        return context.fail(tasks.error());
    auto record = experiment::recordOf(*plan, QFileInfo(arguments[0]).completeBaseName().toStdString(), *tasks);
    if (!record)
        return context.fail(record.error());
    if (!parser.isSet("show"))
        for (const Arm& arm : plan->arms()) { // before anything is started
            const auto choice = PolicyChoice::of(arm.policy, arm.method.value_or(language::AskMethod()));
            if (!choice)
                return context.fail(choice.error());
            if (const auto policy = choice->make(); !policy)
                return context.fail(policy.error());
        }
    const auto project = parser.isSet("show") ? context.storedProject() : context.project();
    if (!project)
        return context.fail(project.error());
    Interrupt interrupt;
    Client client(interrupt);
    const auto device = context.device(client);
    if (!device)
        return context.fail(device.error(), interrupt, "nothing was begun");
    record->device = device->name;
    record->deviceModel = device->model;
    record->precision = context.settings().precision;
    record->preset = context.settings().preset;
    auto found = experiment::resultsOf(**project, *record);
    if (!found)
        return context.fail(found.error());
    Outcome all{plan->arms(), std::move(*found), {}, {}};
    context.terminal().print(std::to_string(all.results.size()) + " runs on " +
                             conditionsText(*device, record->precision, record->preset) + ", " +
                             std::to_string(all.done()) + " of them done before");
    if (!parser.isSet("show")) {
        all = make(context, **project, client, interrupt, *record, *tasks);
    } else if (const auto kept = experiment::knownAs(**project, *record); kept && *kept) {
        all.ledger = models::spendingOf(**project, models::spendingKey(*kept)).all;
    }
    return print(context, all, interrupt.caught());
}

} // namespace cudal1::cli
