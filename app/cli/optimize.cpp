// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 optimize TASK`: the optimise loop in a terminal.
#include "app/cli/context.h"
#include "app/cli/fitwarning.h"
#include "app/cli/interrupt.h"
#include "app/cli/optimizemany.h"
#include "app/cli/output.h"
#include "app/cli/policies.h"
#include "app/cli/progresstext.h"
#include "app/cli/rows.h"
#include "app/cli/runlimits.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/base/timetext.h"
#include "core/models/spending.h"
#include "core/optimize/handedover.h"
#include "core/optimize/options.h"
#include "core/optimize/outcometext.h"
#include "core/optimize/search.h"
#include "core/optimize/timeahead.h"

#include <QEventLoop>

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using store::RunState;

base::Status readSearchOptions(const QCommandLineParser& parser, optimize::SearchOptions& out)
{
    bool good = false;
    out.rounds = parser.value("rounds").toInt(&good);
    if (!good || out.rounds < 1)
        return Error{ErrorCode::InvalidArgument,
                     "--rounds is a whole number from 1, not \"" + parser.value("rounds").toStdString() + "\"",
                     {},
                     {}};
    out.budget_s = parser.value("budget").toDouble(&good);
    if (!good || out.budget_s < 0)
        return Error{ErrorCode::InvalidArgument,
                     "--budget is a number of seconds, not \"" + parser.value("budget").toStdString() + "\"",
                     {},
                     {}};
    return {};
}

/// Which tasks are meant where they are not named; level 0 for all levels.
base::Status readTasks(const QCommandLineParser& parser, const QStringList& arguments, int& level,
                       std::optional<tasks::Split>& split)
{
    const int ways = !arguments.isEmpty() + parser.isSet("all") + parser.isSet("level");
    if (ways > 1 || (!arguments.isEmpty() && parser.isSet("split")))
        return Error{ErrorCode::InvalidArgument,
                     "Only one of TASK, --all and --level can be given, and --split with one of the last two",
                     {},
                     "`cudal1 tasks` lists the tasks"};
    if (ways == 0 && !parser.isSet("split"))
        return Error{ErrorCode::InvalidArgument,
                     "optimize needs a TASK, --all or --level N, or --split SPLIT",
                     {},
                     "`cudal1 tasks` lists the tasks"};
    if (parser.isSet("split")) {
        split = tasks::splitFromText(parser.value("split").toStdString());
        if (!split)
            return Error{ErrorCode::InvalidArgument,
                         "--split is train or held-out, not \"" + parser.value("split").toStdString() + "\"",
                         {},
                         {}};
    }
    bool good = true;
    if (parser.isSet("level"))
        level = parser.value("level").toInt(&good);
    if (!good || (parser.isSet("level") && level < 1))
        return Error{ErrorCode::InvalidArgument,
                     "--level is a number from 1, not \"" + parser.value("level").toStdString() + "\"",
                     {},
                     {}};
    return {};
}

/// " · best 3.86×"; empty before there is one.
std::string bestSoFar(const optimize::SearchProgress& progress)
{
    if (!progress.bestWall.valid())
        return {};
    return (optimize::referenceIsBest(progress.bestWall) ? " · the reference is best, fastest " : " · best ") +
           optimize::bestText(progress.bestWall, progress.bestMarks);
}

/// What a run came to, for both kinds of output.
struct Outcome { // NOLINT(bugprone-exception-escape): to make a JSON value of another kind than null could throw
    RunState state = RunState::Failed;
    std::string message;
    int judged = 0;
    bool resumed = false;
    std::vector<policy::Declined> declined;
    optimize::SearchProgress last;
    nlohmann::json ledger; ///< of models; null where none is asked
};

Outcome runSession(Context& context, Interrupt& interrupt, optimize::Search& session,
                   const optimize::SearchOptions& options, const std::optional<store::RunRecord>& unfinished,
                   store::Project& project, const std::shared_ptr<models::RunLedgers>& ledgers)
{
    Terminal& terminal = context.terminal();
    Outcome outcome;
    QEventLoop loop;
    QObject::connect(&session, &optimize::Search::log, &loop,
                     [&](const QString& line) { terminal.print(line.toStdString()); });
    QObject::connect(&session, &optimize::Search::progress, &loop, [&](const optimize::SearchProgress& progress) {
        outcome.last = progress;
        terminal.live(progressText(progress, bestSoFar(progress)));
    });
    QObject::connect(&session, &optimize::Search::evaluationStored, &loop, [&] { ++outcome.judged; });
    QObject::connect(&session, &optimize::Search::declined, &loop, [&](const std::vector<policy::Declined>& declined) {
        if (outcome.declined.empty())
            outcome.declined = declined; // later rounds decline for the same reasons
    });
    QObject::connect(&session, &optimize::Search::finished, &loop, [&](RunState state, const QString& message) {
        outcome.state = state;
        outcome.message = message.toStdString();
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        terminal.live("Stopping …");
        session.stop();
    });
    if (unfinished) {
        outcome.resumed = true;
        terminal.print("Resuming run " + std::to_string(unfinished->id.value) +
                       (unfinished->state == RunState::Running ? ", whose process ended before it was done"
                                                               : ", which was stopped"));
        session.resume(unfinished->id);
    } else {
        session.start(options);
    }
    std::optional<models::Spending> spending; // which goes on counting where the run goes on
    if (session.run() && !options.method.empty())
        spending.emplace(project, models::spendingKey(session.run()), ledgers);
    if (interrupt.caught())
        session.stop();
    loop.exec();
    terminal.clearLive();
    return outcome;
}

nlohmann::json outcomeJson(const Outcome& outcome, const optimize::Search& session, const std::string& policy,
                           const protocol::DeviceInfo& device, const std::vector<store::VariantRow>& rows)
{
    nlohmann::json declined = nlohmann::json::array();
    for (const policy::Declined& one : outcome.declined)
        declined.push_back({{"technique", one.technique}, {"why", one.why}});
    nlohmann::json fastest = nullptr;
    for (const store::VariantRow& row : rows)
        if (outcome.last.best && row.id == outcome.last.best)
            fastest = toJson(row);
    const bool kept = optimize::referenceIsBest(outcome.last.bestWall);
    return {{"run", session.run().value},
            {"state", store::runStateWord(outcome.state)},
            {"message", outcome.message},
            {"resumed", outcome.resumed},
            {"task", session.options().task.id.value},
            {"device", device},
            {"precision", protocol::toString(session.options().precision)},
            {"preset", protocol::toString(session.options().preset)},
            {"seed", session.options().seed},
            {"policy", policy},
            {"method", session.options().method.empty() ? nlohmann::json(nullptr)
                                                        : nlohmann::json::parse(session.options().method)},
            {"judged", outcome.judged},
            {"best", kept ? nlohmann::json(nullptr) : fastest},
            {"reference_is_best", kept},
            {"fastest", std::move(fastest)},
            {"ledger", outcome.ledger},
            {"declined", std::move(declined)},
            {"variants", toJson(rows)}};
}

/// The same for a person. `rows`: the variants of the task.
void printOutcome(Terminal& terminal, const Outcome& outcome, const std::vector<store::VariantRow>& rows)
{
    if (!outcome.declined.empty()) {
        TextTable table({{"not used"}, {"because"}});
        for (const policy::Declined& one : outcome.declined)
            table.add({one.technique, one.why});
        terminal.print("\n" + table.text());
    }
    if (!rows.empty())
        terminal.print("\n" + variantsTable(terminal, rows));
    if (optimize::referenceIsBest(outcome.last.bestWall))
        terminal.print("\n" + optimize::referenceIsBestText(outcome.last.best, outcome.last.bestWall));
    else
        terminal.print("\nBest: variant " + std::to_string(outcome.last.best.value) + ", " +
                       optimize::speedupText(outcome.last.bestWall, outcome.last.bestMarks) + ". `cudal1 show " +
                       std::to_string(outcome.last.best.value) + "` has its code and evidence.");
    if (!outcome.message.empty() && outcome.state == RunState::Finished)
        terminal.print(outcome.message + ".");
}

/// Writes the best variant, or the reference where none is faster, to `path`; nothing for an empty one.
base::Status handOver(Terminal& terminal, const store::Project& project, const store::TaskRecord& task,
                      const optimize::SearchProgress& last, const QString& path)
{
    if (path.isEmpty())
        return {};
    const bool kept = optimize::referenceIsBest(last.bestWall);
    std::string program;
    if (kept) {
        program = optimize::referenceProgram(task, last.best, last.bestWall);
    } else {
        const auto variant = project.variant(last.best);
        if (!variant)
            return variant.error();
        program = variant->source;
    }
    if (const auto written = write(path, program, "The program"); !written)
        return written;
    terminal.print((kept ? std::string("The reference") : "Variant " + std::to_string(last.best.value)) +
                   " is written to " + path.toStdString() + ".");
    return {};
}

/// How a search for one task is asked for.
struct OneAsked {
    bool fresh = false;
    QString output; ///< where the best program goes; empty: nowhere
};

/// A search for one task on one device.
int optimizeOne(Context& context, optimize::SearchOptions options, const language::PolicyChoice& choice,
                const models::ModelSources& sources, const tasks::Task& task, const OneAsked& asked)
{
    const auto policy = choice.make({}, sources);
    if (!policy)
        return context.fail(policy.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());

    Interrupt interrupt;
    Client client(interrupt);
    Terminal& terminal = context.terminal();
    options.task = recordOf(task);
    options.device = optimize::deviceName(context.settings().device);
    const double ahead_s = optimize::timeAhead(**project, options, (*policy)->name()).all_s(options.rounds);
    const auto device = context.device(
        client, "About " + base::durationText(options.budget_s > 0 ? std::min(ahead_s, options.budget_s) : ahead_s) +
                    " left. ");
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!device)
        return context.fail(device.error());

    options.device = device->name;
    std::optional<store::RunRecord> unfinished;
    if (!asked.fresh) {
        const auto found = optimize::unfinishedRun(**project, options, (*policy)->name());
        if (!found)
            return context.fail(found.error());
        unfinished = *found;
    }

    terminal.print(terminal.toned(Terminal::Tone::Strong, task.id.value + " " + task.name) + " on " +
                   conditionsText(*device, options.precision, options.preset));
    warnOfMemory(context, client, options.task, **project, *device);
    optimize::Search session(**project, client.crew(), **policy);
    Outcome outcome = runSession(context, interrupt, session, options, unfinished, **project, sources.run);
    if (choice.asksModel()) {
        outcome.ledger = ledgerJson(sources.run->all()->totals());
        terminal.print(ledgerText(sources.run->all()->totals()));
    }

    const auto rows = (*project)->variantRows(options.task.id);
    if (!rows)
        return context.fail(rows.error());
    if (outcome.state == RunState::Failed) {
        if (!context.settings().json)
            return context.fail(session.error());
        nlohmann::json out = outcomeJson(outcome, session, (*policy)->name(), *device, *rows);
        out["error"] = toJson(session.error());
        context.printJson(out);
        terminal.complain("cudal1: " + session.error().text());
        return context.statusOf(session.error());
    }
    if (context.settings().json)
        context.printJson(outcomeJson(outcome, session, (*policy)->name(), *device, *rows));
    printOutcome(terminal, outcome, *rows);
    if (const auto written = handOver(terminal, **project, options.task, outcome.last, asked.output); !written)
        return context.fail(written.error());
    if (outcome.state == RunState::Stopped) {
        const bool byItself = !interrupt.caught() && !session.error().message.empty(); // at a limit of a model
        terminal.complain("cudal1: " + (byItself ? session.error().text() + ". It has " : std::string()) +
                          "stopped; what was judged is stored. Run the same command again to resume.");
        return interrupt.caught() ? 128 + interrupt.caught() : CannotDoIt;
    }
    return Done;
}

} // namespace

int optimize(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    optimize::SearchOptions options;
    if (const auto status = readSearchOptions(parser, options); !status)
        return context.fail(status.error());
    const auto choice = readPolicies(parser);
    if (!choice)
        return context.fail(choice.error());
    options.method = choice->methodText();
    const auto limits = readLimits(parser);
    if (!limits)
        return context.fail(limits.error());
    models::ModelSources sources;
    sources.run = std::make_shared<models::RunLedgers>(*limits);
    int level = 0;
    std::optional<tasks::Split> split;
    if (const auto status = readTasks(parser, arguments, level, split); !status)
        return context.fail(status.error());
    options.precision = context.settings().precision;
    // What a search finds best is measured with `standard` in any case.
    options.preset = parser.isSet("preset") ? context.settings().preset : protocol::Preset::Quick;
    options.seed = context.settings().seed;
    if (arguments.size() != 1 && parser.isSet("prompt"))
        return context.fail({ErrorCode::InvalidArgument, "--prompt is the prompt of one task", {}, "Name one task"});
    if (arguments.size() != 1 && parser.isSet("output"))
        return context.fail(
            {ErrorCode::InvalidArgument, "--output is for the program of one task", {}, "Name one task"});
    if (parser.isSet("output") && (parser.value("output").isEmpty() || parser.value("output") == "-"))
        return context.fail({ErrorCode::InvalidArgument, "--output needs a file", {}, {}});
    if (arguments.size() != 1 || context.settings().device.find(',') != std::string::npos) {
        const auto tasks = context.tasks(arguments, level, split);
        if (!tasks)
            return context.fail(tasks.error());
        return optimizeMany(context, options, *choice, sources, *tasks, parser.isSet("fresh"));
    }
    const auto task = context.task(arguments[0]);
    if (!task)
        return context.fail(task.error());
    return optimizeOne(context, options, *choice, sources, *task, {parser.isSet("fresh"), parser.value("output")});
}

} // namespace cudal1::cli
