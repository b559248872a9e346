// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 tasks`: the tasks of a suite, their state in the project, and the files that are none.
#include "app/cli/context.h"
#include "app/cli/inspectionkey.h"
#include "app/cli/interrupt.h"
#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/charts/numbertext.h"
#include "core/optimize/options.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/marks.h"
#include "core/taskfacts/factsjson.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace cudal1::cli {

namespace {

using State = store::TaskRow::State;

struct Filter {
    int level = -1;
    QString search;

    bool passes(const tasks::Task& task) const
    {
        return (level < 0 || task.level == level) &&
               (search.isEmpty() ||
                QString::fromStdString(task.id.value + " " + task.name).contains(search, Qt::CaseInsensitive));
    }
};

/// The tasks that do not import, with a problem for each. An Error is the evaluator's, not a task's.
base::Result<std::set<base::TaskId>> inspect(Context& context, const std::vector<tasks::Task>& tasks,
                                             std::vector<tasks::Problem>& problems)
{
    // A project that cannot be written costs an import each time, no more.
    const auto opened = context.project();
    store::Project* project = opened ? *opened : nullptr;
    const auto isKnown = [project](const tasks::Task& task) {
        const auto known = project ? project->cache(inspectionKey(task.hash))
                                   : base::Result<std::optional<std::string>>(std::nullopt);
        return known && *known;
    };
    protocol::InspectRequest request;
    for (const tasks::Task& task : tasks)
        if (!isKnown(task))
            request.tasks.push_back({task.id.value, task.source});
    std::set<base::TaskId> bad;
    if (request.tasks.empty())
        return bad;
    Interrupt interrupt;
    Client client(interrupt);
    context.terminal().live("Importing " + std::to_string(request.tasks.size()) + " tasks …");
    const auto inspection = client.inspect(request, [&](const protocol::Progress& progress) {
        context.terminal().live("Importing tasks: " + progress.text);
    });
    context.terminal().clearLive();
    if (!inspection)
        return inspection.error();
    for (const auto& item : inspection->items) {
        const auto task = std::find_if(tasks.begin(), tasks.end(),
                                       [&](const auto& one) { return one.id.value == item.name; });
        if (task == tasks.end())
            continue;
        if (item.ok) {
            if (project)
                (void)project->putCache(inspectionKey(task->hash), "ok");
            continue;
        }
        problems.push_back({task->path, item.line, item.message});
        bad.insert(task->id);
    }
    return bad;
}

/// Beside the bundled suite; nothing when that is the one, or is not there.
tasks::SizeComparison sizesBeside(const tasks::Suite& suite)
{
    if (suite.kind == tasks::Suite::Kind::Bundled)
        return {};
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    const auto bundled = folder ? tasks::readSuite(*folder) : base::Result<tasks::Suite>(folder.error());
    return bundled ? tasks::compareSizes(suite, *bundled) : tasks::SizeComparison();
}

std::string problemText(const tasks::Problem& problem)
{
    return problem.path.string() + (problem.line > 0 ? ":" + std::to_string(problem.line) : "") + ": " +
           problem.message;
}

base::Status readFilter(const QCommandLineParser& options, Filter& filter)
{
    filter.search = options.value("search");
    if (!options.isSet("level"))
        return {};
    bool good = false;
    filter.level = options.value("level").toInt(&good);
    if (!good || filter.level < 0)
        return base::Error{base::ErrorCode::InvalidArgument,
                           "--level is a number, not \"" + options.value("level").toStdString() + "\"",
                           {},
                           {}};
    return {};
}

nlohmann::json suiteJson(const tasks::Suite& suite, const tasks::SizeComparison& sizes,
                         const taskfacts::KnownTasks& known)
{
    nlohmann::json out{{"suite",
                        {{"name", suite.name},
                         {"kind", tasks::toString(suite.kind)},
                         {"version", suite.version},
                         {"pin", suite.pin()},
                         {"digest", suite.digest},
                         {"path", suite.path.string()},
                         {"shared_with_bundled", sizes.common},
                         {"sizes_differ", sizes.different}}},
                       {"tasks", nlohmann::json::array()},
                       {"problems", nlohmann::json::array()}};
    for (const tasks::Task& task : suite.tasks)
        out["tasks"].push_back(taskfacts::taskJson(task, known.of(task)));
    for (const tasks::Problem& problem : suite.problems)
        out["problems"].push_back(
            {{"path", problem.path.string()}, {"line", problem.line}, {"message", problem.message}});
    return out;
}

/// The tasks, what has to be said of their numbers, and the files that are no tasks.
std::string suiteTableText(const tasks::Suite& suite, const taskfacts::KnownTasks& known)
{
    double most = 1;
    for (const auto& [id, row] : known.rows())
        most = std::max(most, row.best.estimate);
    TextTable table({TextTable::whole("task"),
                     {"name"},
                     TextTable::whole("state"),
                     {"", TextTable::Align::Left, TextTable::Fit::LeaveOut},
                     TextTable::whole("best (wall)"),
                     {"variants", TextTable::Align::Right}});
    int others = 0;
    std::string marks;
    for (const tasks::Task& task : suite.tasks) {
        const store::TaskRow* row = known.of(task);
        others += row ? row->otherTexts : 0;
        marks += row && row->best.valid() ? row->marks : std::string();
        table.add({task.id.value, task.name,
                   row && row->state != State::NotTried ? charts::stateText(*row).toStdString() : "",
                   row ? speedupBar(row->best.estimate, most) : "",
                   row && row->best.valid() ? optimize::speedupText(row->best, row->marks) : "",
                   row && row->variants ? std::to_string(row->variants) : ""});
    }
    std::string text = table.empty() ? "No task fits." : table.text();
    if (!marks.empty())
        text += "\n\n" + protocol::marksText(marks);
    if (others > 0)
        text += "\n\n" + std::to_string(others) + (others == 1 ? " result" : " results") +
                " for another text of these tasks: in no state and no number above.";
    if (!suite.problems.empty())
        text += "\n\nFiles that are no tasks:";
    for (const tasks::Problem& problem : suite.problems)
        text += "\n  " + problemText(problem);
    return text;
}

} // namespace

int listTasks(Context& context, const QCommandLineParser& options, const QStringList&)
{
    Filter filter;
    if (const auto status = readFilter(options, filter); !status)
        return context.fail(status.error());
    auto suite = context.suite();
    if (!suite)
        return context.fail(suite.error());
    // Named, it has to be there; without one the list has the suite alone.
    std::error_code ignored;
    const bool isWanted = !context.settings().project.empty() ||
                          std::filesystem::exists(context.projectPath(), ignored);
    const auto stored = isWanted ? context.storedProject() : base::Result<store::Project*>(nullptr);
    if (!stored)
        return context.fail(stored.error());
    std::vector<tasks::Task> chosen = suite->tasks;
    std::erase_if(chosen, [&](const tasks::Task& task) { return !filter.passes(task); });

    base::Result<std::set<base::TaskId>> bad = std::set<base::TaskId>();
    if (!context.settings().suite.empty() && !chosen.empty())
        bad = inspect(context, chosen, suite->problems);
    if (!bad && bad.error().code == base::ErrorCode::Cancelled)
        return 130;
    if (bad)
        for (std::vector<tasks::Task>* list : {&chosen, &suite->tasks})
            std::erase_if(*list, [&](const tasks::Task& task) { return bad->contains(task.id); });
    const std::size_t all = suite->tasks.size();
    const tasks::SizeComparison sizes = sizesBeside(*suite);
    suite->tasks = std::move(chosen);

    taskfacts::KnownTasks known;
    if (*stored) {
        const auto rows = optimize::taskRows(**stored);
        if (!rows)
            return context.fail(rows.error());
        known = taskfacts::KnownTasks(*rows);
        context.tellWhatCounts(**stored);
    }
    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, tasks::describe(*suite)) + ", " + std::to_string(all) +
                   (all == 1 ? " task" : " tasks") + " in " + suite->path.string());
    if (const std::string differ = tasks::describe(sizes); !differ.empty())
        terminal.print(differ);
    terminal.print("\n" + suiteTableText(*suite, known));
    nlohmann::json json = suiteJson(*suite, sizes, known);
    if (!bad) {
        json["inspection_error"] = toJson(bad.error());
        terminal.complain("cudal1: the tasks were read but not imported: " + bad.error().text());
    }
    if (context.settings().json)
        context.printJson(json);
    return bad ? Done : CannotDoIt;
}

} // namespace cudal1::cli
