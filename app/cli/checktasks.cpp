// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 tasks check`: whether tasks are what their recorded facts say.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/tasks/factscheck.h"
#include "core/tasks/factsfile.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

struct Options {
    int level = 0; ///< 0: all
    double limit_s = 60;
    bool print = false;
    std::filesystem::path facts; ///< empty: the suite's
};

/// What was found of one task, or of a fact without a task.
struct Finding {
    std::string id, name;
    std::vector<std::string> problems;
};

base::Result<Options> readCheckOptions(const QCommandLineParser& parser)
{
    Options out;
    const auto wrong = [&](const char* option, const char* is) {
        return Error{ErrorCode::InvalidArgument,
                     std::string("--") + option + " is " + is + ", not \"" + parser.value(option).toStdString() + "\"",
                     {},
                     {}};
    };
    bool good = true;
    if (parser.isSet("level"))
        out.level = parser.value("level").toInt(&good);
    if (!good || (parser.isSet("level") && out.level < 1))
        return wrong("level", "a number from 1");
    out.limit_s = parser.value("limit").toDouble(&good);
    if (!good || !(out.limit_s >= 1 && out.limit_s <= 3600))
        return wrong("limit", "a number of seconds from 1 to 3600");
    out.print = parser.isSet("print");
    out.facts = parser.value("facts").toStdString();
    return out;
}

/// Gives a file that is no task of a suite with levels the id that its path tells.
base::Status identify(tasks::Task& task)
{
    if (task.level > 0)
        return {};
    const base::TaskId id = tasks::idOfPath(task.path);
    if (id.empty())
        return Error{ErrorCode::InvalidArgument, "Which task this should be cannot be told from its path",
                     task.path.string(), "Facts are found by level and id: name the file levelN/ID_Name.py"};
    task.id = id;
    task.level = std::stoi(id.value);
    task.number = std::stoi(id.value.substr(id.value.find('/') + 1));
    return {};
}

base::Result<std::shared_ptr<const protocol::Facts>> derive(Context& context, const std::vector<tasks::Task>& tasks,
                                                            double limit_s)
{
    protocol::FactsRequest request;
    request.limit_s = limit_s;
    for (const tasks::Task& task : tasks)
        request.tasks.push_back({task.id.value, task.source});
    if (request.tasks.empty())
        return std::make_shared<const protocol::Facts>();
    Interrupt interrupt;
    Client client(interrupt);
    context.terminal().live("Starting the evaluator …");
    auto facts = client.facts(request, [&](const protocol::Progress& progress) {
        context.terminal().live(bar(progress.fraction, 12) + " " + progress.text);
    });
    context.terminal().clearLive();
    if (facts && (*facts)->items.size() != tasks.size())
        return Error{ErrorCode::ProcessFailed,
                     "The evaluator answered for " + std::to_string((*facts)->items.size()) + " of " +
                         std::to_string(tasks.size()) + " tasks",
                     {},
                     "Install the same version on both machines"};
    return facts;
}

std::string failureText(const protocol::Facts::Item& item)
{
    return (item.line > 0 ? "line " + std::to_string(item.line) + ": " : "") + item.message;
}

int printTaskFacts(Context& context, const std::vector<tasks::Task>& tasks, const protocol::Facts& facts)
{
    bool all = true;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const protocol::Facts::Item& item = facts.items[i];
        if (item.facts.is_null()) {
            context.terminal().complain("cudal1: " + tasks[i].path.string() + ": " + failureText(item));
            all = false;
            continue;
        }
        json row = item.facts;
        row.update({{"level", tasks[i].level}, {"id", tasks[i].number}, {"name", tasks[i].name}});
        std::printf("%s\n", row.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
    }
    return all ? Done : OtherVerdict;
}

std::vector<std::string> problemsOf(const tasks::Task& task, const protocol::Facts::Item& item, const json* row)
{
    if (!row)
        return {"it has no facts"};
    if (const std::string name = row->at("name"); name != task.name)
        return {"the file should be named " + std::to_string(task.number) + "_" + name + ".py"};
    if (item.facts.is_null())
        return {failureText(item)};
    return tasks::differences(item.facts, *row);
}

/// What all tasks together lack: facts without a task, and files of the suite that are no tasks.
std::vector<Finding> missing(const std::vector<tasks::Task>& tasks, const std::vector<tasks::Problem>& problems,
                             const tasks::FactsFile& facts, int level)
{
    std::set<base::TaskId> there;
    for (const tasks::Task& task : tasks)
        there.insert(task.id);
    std::vector<Finding> found;
    for (const base::TaskId& id : facts.tasks()) {
        const json& row = *facts.row(id);
        if (!there.contains(id) && (level == 0 || id.value.starts_with(std::to_string(level) + "/")))
            found.push_back({id.value, row.at("name"), {"there are facts of it, but no task"}});
    }
    for (const tasks::Problem& problem : problems)
        if (level == 0 || problem.path.parent_path().filename() == "level" + std::to_string(level))
            found.push_back(
                {problem.path.string(),
                 {},
                 {(problem.line > 0 ? "line " + std::to_string(problem.line) + ": " : "") + problem.message}});
    return found;
}

int reportFindings(Context& context, const std::vector<Finding>& findings)
{
    Terminal& terminal = context.terminal();
    auto rows = json::array();
    int failed = 0;
    for (const Finding& finding : findings) {
        const bool ok = finding.problems.empty();
        failed += !ok;
        std::string text = terminal.toned(ok ? Terminal::Tone::Good : Terminal::Tone::Bad, ok ? "ok  " : "FAIL") + " " +
                           finding.id;
        if (!finding.name.empty())
            text += " " + finding.name;
        for (const std::string& problem : finding.problems)
            text += "\n     " + problem;
        terminal.print(text);
        rows.push_back({{"id", finding.id}, {"name", finding.name}, {"ok", ok}, {"problems", finding.problems}});
    }
    terminal.print(std::to_string(findings.size()) + " checked, " + std::to_string(failed) + " failed");
    if (context.settings().json)
        context.printJson({{"tasks", rows}, {"checked", findings.size()}, {"failed", failed}});
    return failed ? OtherVerdict : Done;
}

} // namespace

int checkTasks(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    const auto options = readCheckOptions(parser);
    if (!options)
        return context.fail(options.error());
    auto suite = context.suite();
    if (!suite)
        return context.fail(suite.error());

    std::optional<tasks::FactsFile> recorded;
    if (!options->print) {
        const bool own = options->facts.empty();
        auto facts = tasks::FactsFile::read(own ? tasks::factsOfSuite(suite->path) : options->facts);
        if (!facts) {
            Error error = facts.error();
            if (own && error.code == ErrorCode::NotFound)
                error.hint = "Name one with --facts, or make one: `cudal1 tasks check --print` prints its lines";
            return context.fail(error);
        }
        recorded = std::move(*facts);
    }

    std::vector<tasks::Task> chosen;
    for (const QString& word : arguments) {
        auto task = context.task(word);
        if (!task)
            return context.fail(task.error());
        chosen.push_back(std::move(*task));
    }
    if (arguments.isEmpty())
        chosen = std::move(suite->tasks);
    for (tasks::Task& task : chosen)
        if (const auto status = identify(task); !status)
            return context.fail(status.error());
    if (options->level)
        std::erase_if(chosen, [&](const tasks::Task& task) { return task.level != options->level; });

    const auto derived = derive(context, chosen, options->limit_s);
    if (!derived)
        return derived.error().code == ErrorCode::Cancelled ? 130 : context.fail(derived.error());
    if (!recorded)
        return printTaskFacts(context, chosen, **derived);

    std::vector<Finding> findings;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        findings.push_back({chosen[i].id.value, chosen[i].name,
                            problemsOf(chosen[i], (*derived)->items[i], recorded->row(chosen[i].id))});
    if (arguments.isEmpty())
        for (Finding& finding : missing(chosen, suite->problems, *recorded, options->level))
            findings.push_back(std::move(finding));
    return reportFindings(context, findings);
}

} // namespace cudal1::cli
