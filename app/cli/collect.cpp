// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 collect`: correct programs of policies, as a data set to learn from.
#include "app/cli/collect.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/numberoptions.h"
#include "app/cli/output.h"
#include "app/cli/policies.h"
#include "app/cli/progresstext.h"
#include "app/cli/runlimits.h"
#include "app/cli/texttable.h"
#include "app/cli/trainingtasks.h"
#include "app/cli/verbs.h"
#include "core/base/sha256.h"
#include "core/collect/collector.h"
#include "core/collect/dataset.h"
#include "core/collect/shingles.h"
#include "core/language/templatefolders.h"
#include "core/models/spending.h"
#include "core/optimize/options.h"

#include <QCoreApplication>
#include <QEventLoop>

#include <algorithm>
#include <deque>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using collect::CollectYield;
using store::RunState;

base::Result<collect::CollectOptions> readCollect(Context& context, const QCommandLineParser& parser)
{
    collect::CollectOptions out;
    out.policies.clear();
    for (const QString& name : parser.value("policy").split(QLatin1Char(','), Qt::SkipEmptyParts))
        out.policies.push_back(name.trimmed().toStdString());
    NumberOptions numbers(parser);
    numbers.readWhole("per-task", out.perTask);
    numbers.readWhole("successes", out.successes);
    out.together = out.perTask % 2 == 0 ? 2 : 1;
    numbers.readWhole("samples", out.together);
    numbers.readWhole("longest", out.run.longest);
    if (numbers.wrong())
        return *numbers.wrong();
    out.run.precision = context.settings().precision;
    out.run.preset = context.settings().preset;
    out.run.seed = context.settings().seed;
    if (const auto status = collect::check(out); !status)
        return status.error();
    return out;
}

/// The same for the same command, whatever its limits.
std::string spendingKeyOf(const collect::CollectOptions& options, const std::vector<store::TaskRecord>& tasks)
{
    std::string text = std::to_string(options.perTask) + " " + std::to_string(options.successes);
    if (options.run.longest > 0)
        text += " " + std::to_string(options.run.longest);
    for (const std::string& policy : options.policies)
        text += "\n" + policy;
    for (const store::TaskRecord& task : tasks)
        text += "\n" + task.id.value + " " + task.hash;
    return "collect/" + base::sha256Hex(text) + "/spending";
}

/// Returns when it has ended, by itself, at a limit or by a signal.
RunState runCollector(Context& context, Interrupt& interrupt, collect::Collector& collector,
                      const collect::CollectOptions& options, const std::vector<store::TaskRecord>& tasks,
                      const std::vector<protocol::DeviceInfo>& devices)
{
    std::deque<crew::Crew> crews; // which do not move
    std::vector<optimize::SearchPlace> places;
    for (const protocol::DeviceInfo& device : devices) {
        crews.emplace_back().add(farm::Launcher::standard());
        places.push_back({&crews.back(), device.name, {}, device.name});
    }
    Terminal& terminal = context.terminal();
    RunState state = RunState::Failed;
    QEventLoop loop;
    QObject::connect(&collector, &collect::Collector::log, &loop,
                     [&](const QString& line) { terminal.print(line.toStdString()); });
    QObject::connect(&collector, &collect::Collector::progress, &loop, [&](const collect::CollectProgress& seen) {
        terminal.live(progressText(seen, " · " + std::to_string(seen.successes) + " correct"));
    });
    QObject::connect(
        &collector, &collect::Collector::finished, &loop,
        [&](RunState how) {
            state = how;
            loop.quit();
        },
        Qt::QueuedConnection);
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        collector.stop();
    });
    collector.start(options, tasks, places);
    if (interrupt.caught())
        collector.stop();
    loop.exec();
    terminal.clearLive();
    return state;
}

nlohmann::json yieldJson(const collect::CollectOptions& options, const CollectYield& yield)
{
    return {{"policy", options.policies[yield.policy]},
            {"level", yield.level},
            {"tasks", yield.tasks},
            {"tasks_with_success", yield.tasksWithSuccess},
            {"trials", yield.trials},
            {"unusable", yield.unusable},
            {"correct", yield.correct},
            {"exploits", yield.exploits},
            {"degenerate", yield.degenerate},
            {"too_long", yield.tooLong},
            {"near_duplicates", yield.nearDuplicates},
            {"kept", yield.kept}};
}

std::string yieldTable(const collect::CollectOptions& options, const std::vector<CollectYield>& yields)
{
    constexpr auto right = TextTable::Align::Right;
    TextTable table({{"policy"},
                     {"level"},
                     {"tasks", right},
                     {"with success", right},
                     {"trials", right},
                     {"no program", right},
                     {"exploits", right},
                     {"correct", right},
                     {"degenerate", right},
                     {"too long", right},
                     {"near-duplicates", right},
                     {"kept", right}});
    for (const CollectYield& one : yields)
        table.add({options.policies[one.policy], one.level > 0 ? std::to_string(one.level) : "files",
                   std::to_string(one.tasks), std::to_string(one.tasksWithSuccess), std::to_string(one.trials),
                   std::to_string(one.unusable), std::to_string(one.exploits), std::to_string(one.correct),
                   std::to_string(one.degenerate), std::to_string(one.tooLong), std::to_string(one.nearDuplicates),
                   std::to_string(one.kept)});
    return table.text();
}

/// Writes what the project has by now and prints the yield.
base::Status reportYield(Context& context, const collect::CollectOptions& options, const collect::Collector& collector,
                         const collect::Dataset& data, const QString& path, RunState state,
                         const models::Ledger::Totals& spent)
{
    if (const auto status = write(path, collect::toJsonLines(data.examples), "The data set"); !status)
        return status;
    nlohmann::json yields = nlohmann::json::array(), troubles = nlohmann::json::array();
    for (const CollectYield& one : data.yields)
        yields.push_back(yieldJson(options, one));
    for (const collect::CollectCell& cell : collector.cells())
        if (!cell.trouble.empty())
            troubles.push_back(
                {{"task", cell.task.id.value}, {"policy", options.policies[cell.policy]}, {"message", cell.trouble}});
    Terminal& terminal = context.terminal();
    terminal.print("\n" + yieldTable(options, data.yields));
    terminal.print("\n" + std::to_string(data.examples.size()) +
                   (data.examples.size() == 1 ? " example" : " examples") + " in " + path.toStdString());
    if (!troubles.empty())
        terminal.complain("cudal1: " + std::to_string(troubles.size()) + (troubles.size() == 1 ? " run" : " runs") +
                          " failed; the lines above say why.");
    if (context.settings().json)
        context.printJson({{"state", store::runStateWord(state)},
                           {"file", path.toStdString()},
                           {"examples", data.examples.size()},
                           {"per_task", options.perTask},
                           {"successes", options.successes},
                           {"near_duplicate", collect::nearDuplicate},
                           {"yield", std::move(yields)},
                           {"troubles", std::move(troubles)},
                           {"ledger", ledgerJson(spent)}});
    return {};
}

int statusOf(Context& context, const Interrupt& interrupt, const collect::Collector& collector, RunState state)
{
    if (state == RunState::Failed)
        return context.fail(collector.error());
    if (state == RunState::Stopped) {
        context.terminal().complain(
            "cudal1: " + (collector.error().message.empty() ? std::string() : collector.error().text() + ". It has ") +
            "stopped; what was judged is stored. Run the same command again to resume.");
        return interrupt.caught() ? 128 + interrupt.caught() : CannotDoIt;
    }
    return std::any_of(collector.cells().begin(), collector.cells().end(),
                       [](const collect::CollectCell& cell) { return !cell.trouble.empty(); })
             ? CannotDoIt
             : Done;
}

} // namespace

QList<QCommandLineOption> collectOptions()
{
    return QList<QCommandLineOption>{
               {"policy",
                "Who is asked: library (default), endpoint:NAME, local:NAME, agent:NAME or replay:FILE.cudal1; "
                "several with commas between.",
                "NAMES", "library"},
               {"tasks",
                "LEVEL/ID, files or folders of tasks, with commas between (default: the training split of the suite).",
                "TASKS"},
               {"level", "Of these, only tasks of level N.", "N"},
               {"per-task", "Trials of a policy for a task at most (default 20).", "N", "20"},
               {"successes", "Different correct programs at which a policy is done with a task (default 2).", "N", "2"},
               {"samples", "Replies that a model is asked for at a time; divides --per-task (default 2).", "N"},
               {"longest",
                "Characters of a program at most, for a model that writes short replies: the library proposes no "
                "longer ones, and longer ones of models are left out (default 0: any length).",
                "N"},
               {"held-out", "Also held-out tasks, for programs that nothing is trained on."},
               {{"o", "output"},
                "Write the data set to FILE (default collected.jsonl in this folder).",
                "FILE",
                "collected.jsonl"}} +
           limitOptions();
}

int collectPrograms(Context& context, const QCommandLineParser& parser, const QStringList&)
{
    const auto options = readCollect(context, parser);
    if (!options)
        return context.fail(options.error());
    const auto limits = readLimits(parser);
    if (!limits)
        return context.fail(limits.error());
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    const auto bundled = folder ? tasks::readSuite(*folder) : base::Result<tasks::Suite>(folder.error());
    if (!bundled)
        return context.fail(bundled.error());
    const auto templates = language::readTemplates();
    if (!templates)
        return context.fail(templates.error());
    const auto chosen = chosenTasks(context, parser, *bundled, parser.isSet("held-out"));
    if (!chosen)
        return context.fail(chosen.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());

    Interrupt interrupt;
    base::Result<protocol::Machine> machine = Error{};
    {
        Client client(interrupt);
        machine = context.describe(client);
    } // its evaluator ends before others begin
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!machine)
        return context.fail(machine.error());
    const auto devices = context.devicesOfOneModel(*machine);
    if (!devices)
        return context.fail(devices.error());
    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, std::to_string(chosen->tasks.size()) +
                                                              (chosen->tasks.size() == 1 ? " task" : " tasks")) +
                   " on " + conditionsText(*devices, options->run.precision, options->run.preset));
    if (chosen->leftOut > 0)
        terminal.print(std::to_string(chosen->leftOut) + " held-out tasks are left out.");

    models::ModelSources sources;
    sources.run = std::make_shared<models::RunLedgers>(*limits);
    // What models took goes on counting where the same collection goes on.
    models::Spending spending(**project, spendingKeyOf(*options, chosen->tasks), sources.run, false);
    collect::Collector collector(**project, sources);
    const RunState state = runCollector(context, interrupt, collector, *options, chosen->tasks, *devices);
    const auto data = collect::datasetOf(**project, *options, collector.cells(),
                                         {*machine, devices->front(), *templates});
    if (!data)
        return context.fail(data.error());
    if (state != RunState::Failed || !data->examples.empty())
        if (const auto status = reportYield(context, *options, collector, *data, parser.value("output"), state,
                                            sources.run->all()->totals());
            !status)
            return context.fail(status.error());
    return statusOf(context, interrupt, collector, state);
}

} // namespace cudal1::cli
