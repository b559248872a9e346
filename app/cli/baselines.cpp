// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 baselines [TASK…]`: what the framework's own switches make of tasks, measured and tabled.
#include "app/cli/baselinestable.h"
#include "app/cli/batch.h"
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/verbs.h"
#include "core/baselines/summary.h"

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

struct Asked {
    std::string kinds;
    int level = 0, limit = 0;
    double budget_s = 0, buildLimit_s = baselines::buildLimit_s;
    bool again = false;
    QString csv;
};

Error wrong(const char* option, const char* what, const QString& value)
{
    return {ErrorCode::InvalidArgument, std::string("--") + option + " is " + what + ", not \"" + value.toStdString() + "\"", {}, {}};
}

base::Result<Asked> read(const QCommandLineParser& parser)
{
    Asked out;
    bool good = true;
    for (const auto& [name, target] : {std::pair("level", &out.level), std::pair("limit", &out.limit)}) {
        if (!parser.isSet(name))
            continue;
        *target = parser.value(name).toInt(&good);
        if (!good || *target < 1)
            return wrong(name, "a whole number from 1", parser.value(name));
    }
    out.budget_s = parser.value("budget").toDouble(&good);
    if (!good || !(out.budget_s >= 0))
        return wrong("budget", "a number of seconds", parser.value("budget"));
    if (parser.isSet("build-limit"))
        out.buildLimit_s = parser.value("build-limit").toDouble(&good);
    if (!good || !(out.buildLimit_s > 0))
        return wrong("build-limit", "a number of seconds above 0", parser.value("build-limit"));
    out.kinds = parser.value("kinds").remove(QLatin1Char(' ')).toStdString();
    if (parser.isSet("kinds") && out.kinds.empty())
        return Error{ErrorCode::InvalidArgument, "--kinds needs a list", {}, "For example --kinds eager,compile"};
    out.again = parser.isSet("again");
    out.csv = parser.value("csv");
    if (parser.isSet("csv") && out.csv.isEmpty())
        return Error{ErrorCode::InvalidArgument, "--csv needs a path", {}, {}};
    return out;
}

/// The named tasks, or those of the suite; in their order, each once.
base::Result<std::vector<store::TaskRecord>> tasksOf(Context& context, const QStringList& names, int level)
{
    std::vector<store::TaskRecord> out;
    for (const QString& name : names) {
        const auto task = context.task(name);
        if (!task)
            return task.error();
        if (std::none_of(out.begin(), out.end(), [&](const store::TaskRecord& one) { return one.id == task->id; }))
            out.push_back(recordOf(*task));
    }
    if (names.isEmpty()) {
        const auto suite = context.suite();
        if (!suite)
            return suite.error();
        auto records = context.recordsOf(*suite);
        if (!records)
            return records.error();
        out = std::move(*records);
    }
    if (level > 0)
        std::erase_if(out, [level](const store::TaskRecord& task) { return task.level != level; });
    if (out.empty())
        return Error{ErrorCode::NotFound, "No task fits", {}, "`cudal1 tasks` lists the tasks of the suite"};
    return out;
}

/// The words under which a run can be found again. The budget is not among them: a stopped run may be given more time.
std::string selectionOf(const Asked& asked, const std::vector<store::TaskRecord>& tasks, const std::vector<const baselines::Kind*>& kinds)
{
    nlohmann::json ids = nlohmann::json::array(), words = nlohmann::json::array();
    for (const store::TaskRecord& task : tasks)
        ids.push_back(task.id.value);
    for (const baselines::Kind* kind : kinds)
        words.push_back(kind->id);
    return nlohmann::json{{"tasks", ids}, {"kinds", words}, {"limit", asked.limit}, {"again", asked.again}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

int baselines(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    const auto asked = read(parser);
    if (!asked)
        return context.fail(asked.error());
    // An unknown name is told before an evaluator is started.
    if (const auto known = baselines::choose(asked->kinds, true); !known)
        return context.fail(known.error());
    const auto tasks = tasksOf(context, arguments, asked->level);
    if (!tasks)
        return context.fail(tasks.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());

    Interrupt interrupt;
    Client client(interrupt);
    Terminal& terminal = context.terminal();
    const auto device = context.device(client);
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!device)
        return context.fail(device.error());
    const auto kinds = baselines::choose(asked->kinds, device->name.starts_with("cuda"));
    if (!kinds)
        return context.fail(kinds.error());

    batch::Options options = batchOptions(context, "baselines", *device);
    options.budget_s = asked->budget_s;
    options.buildLimit_s = asked->buildLimit_s;
    options.selection = selectionOf(*asked, *tasks, *kinds);
    const baselines::Settings settings{device->model, options.precision, options.preset};
    auto rows = baselines::rowsOf(**project, *tasks, *kinds, settings);
    if (!rows)
        return context.fail(rows.error());
    const auto unfinished = batch::Session::unfinished(**project, options);
    if (!unfinished)
        return context.fail(unfinished.error());
    std::vector<base::VariantId> variants;
    // What a stopped run has left is all that it was to do; with a limit or --again, more would be too much.
    if (!*unfinished || !(asked->again || asked->limit > 0)) {
        auto prepared = baselines::prepare(**project, *tasks, *rows, asked->again, asked->limit);
        if (!prepared)
            return context.fail(prepared.error());
        variants = std::move(*prepared);
    }

    batch::Session session(**project, client.evaluator());
    BatchEnd ended;
    terminal.print(terminal.toned(Terminal::Tone::Strong, std::to_string(kinds->size()) + (kinds->size() == 1 ? " baseline of " : " baselines of ")
                                                              + std::to_string(tasks->size()) + (tasks->size() == 1 ? " task" : " tasks"))
                   + " on " + conditionsText(*device, options.precision, options.preset));
    if (!variants.empty() || *unfinished) {
        ended = runBatch(context, interrupt, session, options, variants, *unfinished);
        rows = baselines::rowsOf(**project, *tasks, *kinds, settings);
        if (!rows)
            return context.fail(rows.error());
    } else {
        terminal.print("Everything has been measured with these settings; --again measures it once more.");
    }

    const std::vector<baselines::Line> lines = baselines::summarise(*rows);
    if (context.settings().json) {
        nlohmann::json out = toJson(ended, session, options);
        out["summary"] = nlohmann::json::array();
        for (const baselines::Line& line : lines)
            out["summary"].push_back(toJson(line));
        out["versions"] = versionsText(*tasks);
        out["rows"] = nlohmann::json::array();
        for (const baselines::Row& row : *rows)
            out["rows"].push_back(toJson(row));
        context.printJson(out);
    }
    if (!lines.empty())
        terminal.print("\n" + baselinesTable(terminal, *rows) + "\n\n" + summaryText(lines) + "\n" + versionsText(*tasks));
    const auto open = std::count_if(rows->begin(), rows->end(), [](const baselines::Row& row) { return !row.found; });
    if (open > 0)
        terminal.print(std::to_string(open) + (open == 1 ? " row is" : " rows are") + " not measured yet and in no number above.");
    return finishBatch(context, interrupt, session, ended, asked->csv, baselines::csvOf(*rows));
}

} // namespace cudal1::cli
