// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 import KIND PATH`: takes in published results, and names everything about them that is not as it should be;
// or everything that another project has.
#include "app/cli/context.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/rejudge/importer.h"
#include "core/tasks/cudal1results.h"
#include "core/tasks/kernelbenchruns.h"

#include <map>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

/// A terminal shows so many rows of one kind; --json has them all.
constexpr std::size_t mostNamed = 20;

base::Result<tasks::Publication> readPublication(const QString& kind, const std::filesystem::path& path,
                                                 const QCommandLineParser& options)
{
    if (kind == "cuda-l1" && options.isSet("baseline"))
        return Error{
            ErrorCode::InvalidArgument, "--baseline is for kernelbench-runs; CUDA-L1's files have speed-ups", {}, {}};
    if (kind == "cuda-l1")
        return tasks::readCudaL1Results(path);
    if (kind == "kernelbench-runs")
        return tasks::readKernelBenchRuns(path, options.value("baseline").toStdString());
    return Error{ErrorCode::InvalidArgument,
                 "There is no kind \"" + kind.toStdString() + "\" of results",
                 {},
                 "It is cuda-l1, kernelbench-runs or project"};
}

std::string sentenceOfCode(const std::string& code)
{
    static const std::map<std::string, std::string> sentences{
        {"no_code", "have no code; only their claims are kept"},
        {"does_not_parse", "have code that is no Python; kept, the judge decides"},
        {"no_model_new", "define no ModelNew; kept, the judge decides"},
        {"only_model", "define Model alone; the name ModelNew was added"},
        {"fenced", "stood in a Markdown fence, which was taken away"},
        {"repeated", "repeat an earlier row; not kept twice"},
        {"claim_without_code", "claim a speed-up and have no code to judge"},
        {"no_result", "have code and no claim"},
        {"ambiguous_result", "have a claim that may belong to another level; it was left out"},
        {"no_task", "have no task here and were not stored; --suite DIR names a folder that has it"},
    };
    const auto it = sentences.find(code);
    return it == sentences.end() ? code : it->second;
}

void printImport(Terminal& terminal, const tasks::Publication& publication, const rejudge::ImportReport& report)
{
    const auto count = [](int number, const char* what) { return std::to_string(number) + " " + what; };
    terminal.print(terminal.toned(Terminal::Tone::Strong, publication.source) + "  " + count(report.rows, "rows: ") +
                   count(report.withCode, "with code, ") + count(report.noCode, "without, ") +
                   count(report.repeated, "repeated"));
    std::map<std::string, std::vector<const rejudge::Named*>> byCode;
    for (const rejudge::Named& one : report.named)
        byCode[one.code].push_back(&one);
    for (const auto& [code, rows] : byCode) {
        std::string keys;
        for (std::size_t at = 0; at < std::min(rows.size(), mostNamed); ++at) {
            keys += (at > 0 ? ", " : "") + rows[at]->key;
            if (code == "does_not_parse" || code == "repeated")
                keys += " (" + rows[at]->text + ")";
        }
        if (rows.size() > mostNamed)
            keys += " and " + std::to_string(rows.size() - mostNamed) + " more (--json names them)";
        terminal.print("  " + count(int(rows.size()), "") + sentenceOfCode(code) + " [" + code + "]: " + keys);
    }
    for (const tasks::PublishedProblem& problem : report.problems)
        terminal.print("  " + terminal.toned(Terminal::Tone::Warn, problem.where) + ": " + problem.message +
                       "; left out");
    terminal.print("Filed under the suite's text of the task: " + std::to_string(report.suiteTasks) +
                   "; under the text that came with them: " + std::to_string(report.ownTasks));
    const store::ImportCounts& stored = report.stored;
    terminal.print(count(stored.newVariants, "new variants, ") + count(stored.newTasks, "new tasks, ") +
                   count(stored.newClaims, "new claims, ") + count(stored.changedClaims, "changed claims"));
    if (report.withCode > report.noTask)
        terminal.print("`cudal1 rejudge --origin \"" + publication.source + "\"` judges them.");
}

nlohmann::json importJson(const tasks::Publication& publication, const rejudge::ImportReport& report)
{
    nlohmann::json named = nlohmann::json::array(), problems = nlohmann::json::array();
    for (const rejudge::Named& one : report.named)
        named.push_back({{"key", one.key},
                         {"line", one.line > 0 ? nlohmann::json(one.line) : nlohmann::json(nullptr)},
                         {"code", one.code},
                         {"text", one.text}});
    for (const tasks::PublishedProblem& problem : report.problems)
        problems.push_back({{"where", problem.where}, {"message", problem.message}});
    return {{"source", publication.source},
            {"rows", report.rows},
            {"with_code", report.withCode},
            {"no_code", report.noCode},
            {"repeated", report.repeated},
            {"no_task", report.noTask},
            {"suite_tasks", report.suiteTasks},
            {"own_tasks", report.ownTasks},
            {"new",
             {{"variants", report.stored.newVariants},
              {"tasks", report.stored.newTasks},
              {"claims", report.stored.newClaims}}},
            {"changed_claims", report.stored.changedClaims},
            {"irregular", std::move(named)},
            {"problems", std::move(problems)}};
}

/// Measurements of several machines come together in one project so.
int importProject(Context& context, const QCommandLineParser& options, const std::filesystem::path& path)
{
    if (options.isSet("own-tasks") || options.isSet("baseline"))
        return context.fail(Error{ErrorCode::InvalidArgument,
                                  "--own-tasks and --baseline are for published results, not for a project",
                                  {},
                                  {}});
    const auto theirs = store::Project::openCopy(path);
    if (!theirs)
        return context.fail(theirs.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto got = (*project)->importProject(**theirs);
    if (!got)
        return context.fail(got.error());
    if (context.settings().json)
        context.printJson({{"source", path.string()},
                           {"new",
                            {{"tasks", got->tasks},
                             {"variants", got->variants},
                             {"baselines", got->baselines},
                             {"evaluations", got->evaluations},
                             {"claims", got->claims},
                             {"timelines", got->timelines},
                             {"ablations", got->ablations},
                             {"runs", got->runs},
                             {"samples", got->samples}}}});
    context.terminal().print("Imported from " + path.filename().string() + ": " + got->text());
    return Done;
}

} // namespace

int importResults(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    if (arguments[0] == "project")
        return importProject(context, options, arguments[1].toStdString());
    const auto publication = readPublication(arguments[0], arguments[1].toStdString(), options);
    if (!publication)
        return context.fail(publication.error());
    const auto suite = context.suite();
    if (!suite)
        return context.fail(suite.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    const auto report = rejudge::importPublication(**project, *suite, *publication, options.isSet("own-tasks"));
    if (!report)
        return context.fail(report.error());
    if (context.settings().json)
        context.printJson(importJson(*publication, *report));
    printImport(context.terminal(), *publication, *report);
    if (report->problems.empty())
        return Done;
    const std::size_t number = report->problems.size();
    context.terminal().complain("cudal1: " + std::to_string(number) +
                                (number == 1 ? " part of it is no row and was" : " parts of it are no rows and were") +
                                " left out; the file may be cut short. Everything else is imported.");
    return OtherVerdict;
}

} // namespace cudal1::cli
