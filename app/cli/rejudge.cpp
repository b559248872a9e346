// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 rejudge`: published variants judged here, and their claims beside what was found.
#include "app/cli/batchverbs.h"
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/rejudgetable.h"
#include "app/cli/verbs.h"
#include "core/rejudge/rejudgecsv.h"
#include "core/rejudge/rejudgeselection.h"

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

struct RejudgeAsked {
    BatchAsked batch;
    rejudge::Filter filter;
    rejudge::Failures failures = rejudge::Failures::One;
};

base::Result<RejudgeAsked> readRejudge(const QCommandLineParser& parser)
{
    const auto batch = readBatch(parser);
    if (!batch)
        return batch.error();
    RejudgeAsked out{*batch, {}};
    out.filter.origin = parser.value("origin").toStdString();
    out.filter.level = batch->level;
    out.filter.limit = batch->limit;
    for (const QString& task : parser.values("task"))
        out.filter.tasks.push_back(task.toStdString());
    if (!rejudge::fromString(parser.value("failures").toStdString(), out.failures))
        return wrongValue("failures", "one, zero or left-out", parser.value("failures"));
    return out;
}

/// The words under which a run can be found again. The budget is not among them: a stopped run may be given more time.
std::string selectionOfClaims(const RejudgeAsked& asked)
{
    return nlohmann::json{{"origin", asked.filter.origin},
                          {"level", asked.filter.level},
                          {"tasks", asked.filter.tasks},
                          {"limit", asked.filter.limit},
                          {"again", asked.batch.again}}
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The rows and what they come to; `facts` are what --json says beside them.
void printClaims(Context& context, const std::vector<rejudge::ClaimOutcome>& rows, rejudge::Failures failures,
                 nlohmann::json facts)
{
    const rejudge::RejudgeSummary summary = rejudge::summarise(rows, failures);
    if (context.settings().json) {
        facts["summary"] = toJson(summary);
        facts["rows"] = nlohmann::json::array();
        for (const rejudge::ClaimOutcome& row : rows)
            facts["rows"].push_back(toJson(row));
        context.printJson(facts);
    }
    context.terminal().print("\n" + outcomesTable(context.terminal(), rows) + "\n\n" +
                             summaryText(context.terminal(), summary));
}

base::Error nothingFits(const Context& context)
{
    return {ErrorCode::NotFound, "No variant fits", context.projectPath().string(),
            "`cudal1 import` takes in published results; without --origin only those are judged"};
}

/// What the project has, without an evaluator: the device need not be of this machine.
int printStoredClaims(Context& context, const store::Project& project, const RejudgeAsked& asked)
{
    const rejudge::RejudgeSettings settings{
        {}, asked.batch.on, context.settings().precision, context.settings().preset};
    const auto rows = rejudge::select(project, asked.filter, settings);
    if (!rows)
        return context.fail(rows.error());
    if (rows->empty())
        return context.fail(nothingFits(context));
    const auto foundIn = [](const std::vector<rejudge::ClaimOutcome>& of) {
        return int(std::count_if(of.begin(), of.end(),
                                 [](const rejudge::ClaimOutcome& row) { return row.found.has_value(); }));
    };
    if (foundIn(*rows) == 0) {
        const std::string held = heldText([&](protocol::Precision precision, protocol::Preset preset) {
            const auto other = rejudge::select(project, asked.filter, {{}, asked.batch.on, precision, preset});
            return other ? foundIn(*other) : 0;
        });
        return context.fail(
            {ErrorCode::NotFound, "None of these was judged on " + asked.batch.on + withSettingsText(context),
             project.path().string(),
             held.empty() ? "It has none of this device model; `cudal1 claims` shows what it has" : held});
    }
    printClaims(context, *rows, asked.failures, {{"device_model", asked.batch.on}});
    const auto status = writeTable(asked.batch.csv, rejudge::csvOf(*rows));
    return status ? Done : context.fail(status.error());
}

} // namespace

int rejudge(Context& context, const QCommandLineParser& parser, const QStringList&)
{
    const auto asked = readRejudge(parser);
    if (!asked)
        return context.fail(asked.error());
    if (!std::filesystem::exists(context.projectPath()))
        return context.fail({ErrorCode::NotFound, "There is no project yet", context.projectPath().string(),
                             "`cudal1 import cuda-l1 FILE` makes one; --project names another"});
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());

    if (!asked->batch.on.empty())
        return printStoredClaims(context, **project, *asked);

    Interrupt interrupt;
    Client client(interrupt);
    Terminal& terminal = context.terminal();
    const auto device = context.device(client);
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!device)
        return context.fail(device.error());

    batch::BatchOptions options = batchOptions(context, "rejudge", *device, asked->batch);
    options.selection = selectionOfClaims(*asked);
    const rejudge::RejudgeSettings settings{device->name, device->model, options.precision, options.preset};
    auto rows = rejudge::select(**project, asked->filter, settings);
    if (!rows)
        return context.fail(rows.error());
    if (rows->empty())
        return context.fail(nothingFits(context));
    const auto unfinished = batch::BatchRun::unfinished(**project, options);
    if (!unfinished)
        return context.fail(unfinished.error());
    batch::Recipe recipe{{}, *unfinished};
    // What a stopped run has left is all that it was to do; with a limit or --again, more would be too much.
    if (!recipe.unfinished || !(asked->batch.again || asked->filter.limit > 0))
        recipe.variants = rejudge::toJudge(*rows, asked->filter, asked->batch.again);

    batch::BatchRun session(**project, client.crew());
    BatchEnd ended;
    terminal.print(
        terminal.toned(Terminal::Tone::Strong, std::to_string(rows->size()) + (rows->size() == 1 ? " row" : " rows")) +
        " on " + conditionsText(*device, options.precision, options.preset));
    if (!recipe.isEmpty()) {
        ended = runBatch(context, interrupt, session, options, recipe);
        rows = rejudge::select(**project, asked->filter, settings);
        if (!rows)
            return context.fail(rows.error());
    } else {
        terminal.print("Everything has been judged with these settings; --again judges it once more.");
    }

    printClaims(context, *rows, asked->failures, toJson(ended, session, options));
    return finishBatch(context, interrupt, session, ended, asked->batch.csv, rejudge::csvOf(*rows));
}

} // namespace cudal1::cli
