// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 experiment FILE.json`: policies by methods over tasks and seeds, a run each.
#include "app/cli/context.h"
#include "app/cli/experimentexample.h"
#include "app/cli/experimentmodels.h"
#include "app/cli/experimenttable.h"
#include "app/cli/interrupt.h"
#include "app/cli/makeexperiment.h"
#include "app/cli/runlimits.h"
#include "app/cli/verbs.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using experiment::Arm;
using experiment::CellResult;
using language::PolicyChoice;

int printExperiment(Context& context, const ExperimentOutcome& all, int signal)
{
    const auto rows = experiment::rowsOf(all.results, all.arms.size());
    const auto bySplit = experiment::rowsBySplit(all.results, all.arms.size());
    if (context.settings().json) {
        nlohmann::json cells = nlohmann::json::array(), lines = nlohmann::json::array();
        for (const CellResult& cell : all.results)
            cells.push_back(jsonOf(all.arms, cell));
        for (const auto* some : {&rows, &bySplit})
            for (const experiment::ExperimentRow& row : *some)
                lines.push_back(jsonOf(all.arms, row));
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
    terminal.print(experimentTable(all.arms, bySplit.empty() ? rows : bySplit));
    terminal.print("A failed run counts as 0, as in the paper; the geometric mean is of the correct runs. The window "
                   "counts a run without a gain as 1×.");
    if (all.ledger.requests > 0)
        terminal.print(ledgerText(all.ledger));
    const auto failed = [](const CellResult& one) { return !one.trouble.empty(); };
    const auto first = std::find_if(all.results.begin(), all.results.end(), failed);
    const auto count = std::count_if(all.results.begin(), all.results.end(), failed);
    if (count > 0)
        context.terminal().complain("cudal1: " + std::to_string(count) + (count == 1 ? " run" : " runs") +
                                    " failed and count nowhere, the first of them for " + first->task.value + ": " +
                                    first->trouble);
    if (const auto unknown = std::count_if(
            all.results.begin(), all.results.end(),
            [](const CellResult& one) { return one.done && one.correct && one.score == 0; });
        unknown > 0)
        terminal.complain("cudal1: " + std::to_string(unknown) +
                          " runs found correct programs whose times say too little, since other work wanted the cores; "
                          "their score counts as 0");
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
        return Error{ErrorCode::NotFound, "The experiment cannot be read: " + file.errorString().toStdString(),
                     path.toStdString(),
                     "Give the JSON file of an experiment; `cudal1 experiment --example` makes one, and runs it"};
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

/// The plan with its tasks: those to learn from and, behind them, the held-out ones that the file names.
struct Read {
    experiment::ExperimentRecord record;
    std::vector<store::TaskRecord> tasks;
};

base::Result<Read> readExperiment(Context& context, const QCommandLineParser& parser, const QString& path)
{
    auto plan = readPlan(path);
    if (!plan)
        return plan.error();
    if (const auto status = takeLimits(parser, plan->limits); !status)
        return status.error();
    std::optional<tasks::Split> split;
    if (!plan->split.empty() && plan->split != "all" && !(split = tasks::splitFromText(plan->split)))
        return Error{ErrorCode::InvalidArgument,
                     "\"split\" is train, held-out or all, not \"" + plan->split + "\"",
                     path.toStdString(),
                     {}};
    QStringList names, heldOutNames;
    for (const std::string& name : plan->tasks)
        names << QString::fromStdString(name);
    for (const std::string& name : plan->heldOut)
        heldOutNames << QString::fromStdString(name);
    auto tasks = context.tasks(names, plan->level, split);
    if (!tasks)
        return tasks.error();
    std::vector<base::TaskId> heldOut;
    if (!heldOutNames.isEmpty()) {
        auto more = context.tasks(heldOutNames, 0);
        if (!more)
            return more.error();
        for (store::TaskRecord& task : *more) {
            heldOut.push_back(task.id);
            tasks->push_back(std::move(task));
        }
    }
    auto record = experiment::recordOf(std::move(*plan), QFileInfo(path).completeBaseName().toStdString(), *tasks,
                                       heldOut);
    if (!record)
        return record.error();
    return Read{std::move(*record), std::move(*tasks)};
}

/// Before anything is started.
base::Status checkPolicies(const experiment::ExperimentPlan& plan)
{
    for (const Arm& arm : plan.arms()) {
        if (!arm.model().empty())
            continue;
        const auto choice = PolicyChoice::of(arm.policy, arm.method.value_or(language::AskMethod()));
        if (!choice)
            return choice.error();
        if (const auto policy = choice->make(); !policy)
            return policy.error();
    }
    return {};
}

int runExperiment(Context& context, Interrupt& interrupt, Client& client, const QCommandLineParser& parser,
                  const QString& path)
{
    const bool shows = parser.isSet("show");
    auto read = readExperiment(context, parser, path);
    if (!read)
        return context.fail(read.error());
    experiment::ExperimentRecord& record = read->record;
    record.precision = context.settings().precision;
    record.preset = context.settings().preset;
    if (const auto status = shows ? base::Status() : checkPolicies(record.plan); !status)
        return context.fail(status.error());
    auto models = shows ? ExperimentModels() : ExperimentModels::of(context, record, read->tasks);
    if (!models)
        return context.fail(models.error());
    const auto project = shows ? context.storedProject() : context.project();
    if (!project)
        return context.fail(project.error());
    const auto machine = context.describe(client);
    const auto devices = machine ? context.devicesOfOneModel(*machine) : machine.error();
    if (!devices)
        return context.fail(devices.error(), interrupt, "nothing was begun");
    client.judgeOn(*devices);
    record.device = devices->front().name;
    record.deviceModel = devices->front().model;
    auto found = experiment::resultsOf(**project, record);
    if (!found)
        return context.fail(found.error());
    ExperimentOutcome all{record.plan.arms(), std::move(*found), {}, {}};
    context.terminal().print(std::to_string(all.results.size()) + " runs on " +
                             conditionsText(*devices, record.precision, record.preset) + ", " +
                             std::to_string(all.done()) + " of them done before");
    if (!shows) {
        all = makeExperiment(context, **project, client, interrupt, record, read->tasks, *models, *devices);
    } else if (const auto kept = experiment::knownAs(**project, record); kept && *kept) {
        all.ledger = models::spendingOf(**project, models::spendingKey(*kept)).all;
    }
    return printExperiment(context, all, interrupt.caught());
}

} // namespace

int experiment(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    if (parser.isSet("example") != arguments.isEmpty())
        return context.fail(
            {ErrorCode::InvalidArgument,
             arguments.isEmpty() ? "The file of the experiment is missing" : "--example has a file of its own",
             {},
             "`cudal1 experiment FILE.json`, or `cudal1 experiment --example`"});
    Interrupt interrupt;
    Client client(interrupt);
    if (!arguments.isEmpty())
        return runExperiment(context, interrupt, client, parser, arguments[0]);
    const auto file = makeExperimentExample(
        context, interrupt, client, parser.isSet("out") ? parser.value("out") : QStringLiteral("experiment-example"));
    if (!file)
        return context.fail(file.error(), interrupt, "the example is not complete; run the same command again");
    return runExperiment(context, interrupt, client, parser, *file);
}

} // namespace cudal1::cli
