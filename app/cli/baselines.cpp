// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 baselines [TASK…]`: what the framework's own switches make of tasks, measured and tabled.
#include "app/cli/baselinestable.h"
#include "app/cli/batchverbs.h"
#include "app/cli/context.h"
#include "app/cli/fitwarning.h"
#include "app/cli/interrupt.h"
#include "app/cli/verbs.h"
#include "core/baselines/baselinerecipe.h"
#include "core/baselines/baselinesummary.h"

#include <algorithm>
#include <set>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

struct BaselinesAsked {
    BatchAsked batch;
    std::string kinds;
};

base::Result<BaselinesAsked> readBaselines(const QCommandLineParser& parser)
{
    const auto batch = readBatch(parser);
    if (!batch)
        return batch.error();
    BaselinesAsked out{*batch, parser.value("kinds").remove(QLatin1Char(' ')).toStdString()};
    if (parser.isSet("kinds") && out.kinds.empty())
        return Error{ErrorCode::InvalidArgument, "--kinds needs a list", {}, "For example --kinds eager,compile"};
    return out;
}

/// The words under which a run can be found again. The budget is not among them: a stopped run may be given more time.
std::string selectionOfBaselines(const BaselinesAsked& asked, const std::vector<store::TaskRecord>& tasks,
                                 const std::vector<const baselines::BaselineKind*>& kinds)
{
    nlohmann::json ids = nlohmann::json::array(), words = nlohmann::json::array();
    for (const store::TaskRecord& task : tasks)
        ids.push_back(task.id.value);
    for (const baselines::BaselineKind* kind : kinds)
        words.push_back(kind->id);
    return nlohmann::json{{"tasks", ids}, {"kinds", words}, {"limit", asked.batch.limit}, {"again", asked.batch.again}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The rows and what they come to; `facts` are what --json says beside them.
void printBaselines(Context& context, const std::vector<store::TaskRecord>& tasks,
                    const std::vector<baselines::BaselineRow>& rows, nlohmann::json facts)
{
    const std::vector<baselines::BaselineSummary> lines = baselines::summarise(rows);
    if (context.settings().json) {
        facts["summary"] = nlohmann::json::array();
        for (const baselines::BaselineSummary& line : lines)
            facts["summary"].push_back(toJson(line));
        facts["versions"] = versionsText(tasks);
        facts["rows"] = nlohmann::json::array();
        for (const baselines::BaselineRow& row : rows)
            facts["rows"].push_back(toJson(row));
        context.printJson(facts);
    }
    Terminal& terminal = context.terminal();
    if (!lines.empty())
        terminal.print("\n" + baselinesTable(terminal, rows) + "\n\n" + summaryText(lines) + "\n" +
                       versionsText(tasks));
    const auto open = std::count_if(rows.begin(), rows.end(),
                                    [](const baselines::BaselineRow& row) { return !row.found; });
    if (open > 0)
        terminal.print(std::to_string(open) + (open == 1 ? " row is" : " rows are") +
                       " not measured yet and in no number above.");
}

/// What the project has, without an evaluator: the device need not be of this machine.
int printStoredBaselines(Context& context, store::Project& project, const BaselinesAsked& asked,
                         const std::vector<store::TaskRecord>& tasks)
{
    const auto kinds = baselines::choose(asked.kinds, true);
    const baselines::BaselineSettings settings{asked.batch.on, context.settings().precision, context.settings().preset};
    auto rows = baselines::rowsOf(project, tasks, *kinds, settings);
    if (!rows)
        return context.fail(rows.error());
    std::set<const baselines::BaselineKind*> measured;
    for (const baselines::BaselineRow& row : *rows)
        if (row.found)
            measured.insert(row.kind);
    if (asked.kinds.empty()) // a CPU knows no CUDA graphs
        std::erase_if(*rows, [&](const baselines::BaselineRow& row) { return !measured.contains(row.kind); });
    if (measured.empty()) {
        const std::string held = heldText([&](protocol::Precision precision, protocol::Preset preset) {
            const auto other = baselines::rowsOf(project, tasks, *kinds, {asked.batch.on, precision, preset});
            return other ? int(std::count_if(other->begin(), other->end(),
                                             [](const baselines::BaselineRow& row) { return row.found; }))
                         : 0;
        });
        return context.fail(
            {ErrorCode::NotFound, "The project has no such baselines of " + asked.batch.on + withSettingsText(context),
             project.path().string(),
             held.empty() ? "It has none of this device model; `cudal1 chart baselines` shows what it has" : held});
    }
    printBaselines(context, tasks, *rows, {{"device_model", asked.batch.on}});
    const auto status = writeTable(asked.batch.csv, baselines::csvOf(*rows));
    return status ? Done : context.fail(status.error());
}

} // namespace

int baselines(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    const auto asked = readBaselines(parser);
    if (!asked)
        return context.fail(asked.error());
    // An unknown name is told before an evaluator is started.
    if (const auto known = baselines::choose(asked->kinds, true); !known)
        return context.fail(known.error());
    const auto tasks = context.tasks(arguments, asked->batch.level);
    if (!tasks)
        return context.fail(tasks.error());
    const auto project = asked->batch.on.empty() ? context.project() : context.storedProject();
    if (!project)
        return context.fail(project.error());

    if (!asked->batch.on.empty())
        return printStoredBaselines(context, **project, *asked, *tasks);

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

    batch::BatchOptions options = batchOptions(context, baselines::runKind, *device, asked->batch);
    options.selection = selectionOfBaselines(*asked, *tasks, *kinds);
    const baselines::BaselineSettings settings{device->model, options.precision, options.preset};
    auto rows = baselines::rowsOf(**project, *tasks, *kinds, settings);
    if (!rows)
        return context.fail(rows.error());
    const auto recipe = baselines::recipeFor(**project, *tasks, *rows, options, asked->batch.again, asked->batch.limit);
    if (!recipe)
        return context.fail(recipe.error());

    constexpr std::size_t worthAsking = 20; // each may have to be traced first
    if (!recipe->variants.empty() && tasks->size() <= worthAsking)
        for (const store::TaskRecord& task : *tasks)
            warnOfMemory(context, client, task, **project, *device);

    batch::BatchRun session(**project, client.crew());
    BatchEnd ended;
    terminal.print(terminal.toned(Terminal::Tone::Strong,
                                  std::to_string(kinds->size()) +
                                      (kinds->size() == 1 ? " baseline of " : " baselines of ") +
                                      std::to_string(tasks->size()) + (tasks->size() == 1 ? " task" : " tasks")) +
                   " on " + conditionsText(*device, options.precision, options.preset));
    if (!recipe->isEmpty()) {
        ended = runBatch(context, interrupt, session, options, *recipe);
        rows = baselines::rowsOf(**project, *tasks, *kinds, settings);
        if (!rows)
            return context.fail(rows.error());
    } else {
        terminal.print("Everything has been measured with these settings; --again measures it once more.");
    }

    nlohmann::json facts = context.settings().json ? toJson(ended, session, options) : nlohmann::json();
    printBaselines(context, *tasks, *rows, std::move(facts));
    return finishBatch(context, interrupt, session, ended, asked->batch.csv, baselines::csvOf(*rows));
}

} // namespace cudal1::cli
