// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 ablate TASK VARIANT|FILE`: which of a variant's optimisations does what.
#include "app/cli/ablationtext.h"
#include "app/cli/batchverbs.h"
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/namedvariant.h"
#include "app/cli/verbs.h"
#include "core/ablation/ablationrecipe.h"
#include "core/ablation/ablationtable.h"
#include "core/ablation/examples.h"
#include "core/ablation/forecast.h"
#include "core/tasks/sourcefile.h"

#include <QFileInfo>

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

struct AblationAsked {
    BatchAsked batch;
    std::vector<std::string> toggles;
    ablation::Design design = ablation::Design::Full;
    std::string list;
    ablation::Order order = ablation::Order::Rank;
    bool example = false, plan = false;
};

base::Result<AblationAsked> readAblation(const QCommandLineParser& parser, const QStringList& arguments)
{
    const auto batch = readBatch(parser, false);
    if (!batch)
        return batch.error();
    AblationAsked out;
    out.batch = *batch;
    out.example = parser.isSet("example");
    out.plan = parser.isSet("plan");
    if (out.example == (arguments.size() > 1))
        return Error{ErrorCode::InvalidArgument,
                     out.example ? "--example takes the place of a variant" : "A variant is missing",
                     {},
                     "Give the number of a variant, a Python file, or --example for a program of ours (3/41 and 1/66)"};
    for (const QString& name : parser.value("toggles").split(',', Qt::SkipEmptyParts))
        out.toggles.push_back(name.trimmed().toStdString());
    if (parser.isSet("toggles") && out.toggles.empty())
        return Error{
            ErrorCode::InvalidArgument, "--toggles needs a list", {}, "For example --toggles USE_CUDA_GRAPH,USE_TF32"};
    out.list = parser.value("combinations").toStdString();
    if (parser.isSet("combinations"))
        out.design = ablation::Design::List;
    if (parser.isSet("design")) {
        if (!ablation::fromString(parser.value("design").toStdString(), out.design))
            return wrongValue("design", "full, one, leave-one-out or list", parser.value("design"));
        if ((out.design == ablation::Design::List) != parser.isSet("combinations"))
            return Error{ErrorCode::InvalidArgument,
                         "--design list and --combinations belong together",
                         {},
                         "For example --combinations none,cuda_graph,cuda_graph+tf32,all"};
    }
    if (!ablation::fromString(parser.value("sort").toStdString(), out.order))
        return wrongValue("sort", "rank, speedup, event, call, toggles, verdict or design", parser.value("sort"));
    return out;
}

/// The variant to take apart, with its number where the project has it: a file, or our example, may not be one yet.
base::Result<store::VariantRecord> chosenVariant(const store::Project& project, const store::TaskRecord& task,
                                                 const AblationAsked& asked, const QString& named)
{
    store::VariantRecord record;
    if (asked.example) {
        const ablation::Example* example = ablation::exampleFor(task.id);
        if (!example)
            return Error{ErrorCode::NotFound,
                         "There is no example for " + task.id.value,
                         {},
                         "There is one for 3/41 and one for 1/66"};
        record = ablation::variantOf(*example, task);
    } else if (named.contains('/') || named.endsWith(".py")) {
        auto source = tasks::readCandidate(named.toStdString());
        if (!source)
            return source.error();
        record.source = std::move(*source);
        record.origin = "file: " + QFileInfo(named).fileName().toStdString();
    } else {
        const auto id = variantId(named);
        if (!id)
            return id.error();
        auto known = project.variant(*id);
        if (!known)
            return known.error();
        if (known->task != task.id)
            return Error{ErrorCode::InvalidArgument,
                         "Variant " + named.toStdString() + " is one of " + known->task.value,
                         {},
                         "`cudal1 variants " + task.id.value + "` lists those of the task"};
        return known;
    }
    record.task = task.id;
    record.taskHash = task.hash;
    const auto known = project.findVariant(task.id, task.hash, record.source);
    if (!known)
        return known.error();
    record.id = known->value_or(base::VariantId());
    return record;
}

base::Status keep(store::Project& project, const store::TaskRecord& task, store::VariantRecord& variant)
{
    if (const auto status = project.putTask(task); !status)
        return status;
    const auto id = project.addVariant(variant);
    if (!id)
        return id.error();
    variant.id = *id;
    return {};
}

/// The rows and what they say; `facts` are what --json says beside them.
void printAblation(Context& context, const std::vector<std::string>& toggles,
                   const std::vector<ablation::CombinationRow>& rows, nlohmann::json facts)
{
    Terminal& terminal = context.terminal();
    if (context.settings().json) {
        facts.update(ablationJson(toggles, rows));
        context.printJson(facts);
    }
    terminal.print("\n" + ablationTable(terminal, toggles, rows));
    if (const std::string found = findingsText(terminal, toggles, rows); !found.empty())
        terminal.print("\n" + found);
}

std::string headOf(const Terminal& terminal, const ablation::AblationPlan& plan, const std::string& conditions)
{
    return terminal.toned(Terminal::Tone::Strong, plan.task.id.value + " " + plan.task.name) + ", " +
           (plan.variant.id ? "variant " + std::to_string(plan.variant.id.value) : plan.variant.origin) + ": " +
           std::to_string(plan.combinations.size()) + " combinations of " + std::to_string(plan.toggles.size()) +
           (plan.toggles.size() == 1 ? " toggle, " : " toggles, ") + conditions;
}

/// What the project has, without an evaluator: the device need not be of this machine.
int printStoredAblation(Context& context, const store::Project& project, const ablation::AblationPlan& plan,
                        const AblationAsked& asked)
{
    const ablation::AblationSettings settings{
        {}, asked.batch.on, context.settings().precision, context.settings().preset};
    auto rows = ablation::rowsOf(project, plan, settings);
    if (!rows)
        return context.fail(rows.error());
    if (std::none_of(rows->begin(), rows->end(),
                     [](const ablation::CombinationRow& row) { return row.found.has_value(); }))
        return context.fail({ErrorCode::NotFound,
                             "None of these combinations was judged on " + asked.batch.on + withSettingsText(context),
                             project.path().string(), "--preset and --precision choose other settings"});
    context.terminal().print(headOf(context.terminal(), plan, asked.batch.on + withSettingsText(context)));
    ablation::sort(*rows, asked.order);
    printAblation(context, plan.names(), *rows,
                  {{"device_model", asked.batch.on}, {"task", plan.task.id.value}, {"variant", plan.variant.id.value}});
    const auto status = writeTable(asked.batch.csv, ablation::csvOf(plan.names(), *rows));
    return status ? Done : context.fail(status.error());
}

/// An ablation on a device.
struct Work {
    Context& context;
    store::Project& project;
    const ablation::AblationPlan& plan;
    const AblationAsked& asked;
    batch::BatchOptions options;
    ablation::AblationSettings settings;
};

/// Judges the combinations that have no evaluation, and prints all. `facts`: of the JSON, which more is added to.
int judgeCombinations(Work&& work, Interrupt& interrupt, Client& client, std::vector<ablation::CombinationRow> rows,
                      const std::string& forecast, nlohmann::json facts)
{
    auto& [context, project, plan, asked, options, settings] = work; // the recipe writes into the options
    const auto record = ablation::prepare(project, plan, settings);
    if (!record)
        return context.fail(record.error());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].variant = record->rows[i].variant; // all are variants now
    context.terminal().print("Ablation " + std::to_string(record->id.value) + ": " + forecast + ".");
    const auto recipe = ablation::recipeFor(project, *record, rows, options, asked.batch.again);
    if (!recipe)
        return context.fail(recipe.error());
    batch::BatchRun session(project, client.crew());
    BatchEnd ended;
    if (!recipe->isEmpty()) {
        ended = runBatch(context, interrupt, session, options, *recipe);
        if (session.run())
            if (const auto status = project.setAblationRun(record->id, session.run()); !status)
                return context.fail(status.error());
        auto judged = ablation::rowsOf(project, plan, settings);
        if (!judged)
            return context.fail(judged.error());
        rows = std::move(*judged);
    }

    ablation::sort(rows, asked.order);
    facts.update(toJson(ended, session, options));
    facts["ablation"] = record->id.value;
    printAblation(context, plan.names(), rows, std::move(facts));
    return finishBatch(context, interrupt, session, ended, asked.batch.csv, ablation::csvOf(plan.names(), rows));
}

/// Says before a CPU judges a variant that only GPUs have judged that it may not run there.
void warnOfOtherDevices(Terminal& terminal, const store::Project& project, base::VariantId variant,
                        const std::string& device)
{
    if (device != "cpu" || !variant)
        return;
    const auto results = project.evaluations(variant);
    if (results && !results->empty() &&
        std::none_of(results->begin(), results->end(),
                     [](const store::EvaluationSummary& result) { return result.device == "cpu"; }))
        terminal.complain("cudal1: the results of this variant are of " + results->front().deviceModel +
                          "; on a CPU it may not run");
}

/// On the device of the settings; with --plan nothing is judged and nothing stored.
int judgeOrPlan(Context& context, store::Project& project, const ablation::AblationPlan& plan,
                const AblationAsked& asked)
{
    Interrupt interrupt;
    Client client(interrupt);
    Terminal& terminal = context.terminal();
    const auto device = context.device(client);
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!device)
        return context.fail(device.error());
    const batch::BatchOptions options = batchOptions(context, ablation::runKind, *device, asked.batch);
    const ablation::AblationSettings settings{device->name, device->model, options.precision, options.preset};
    auto rows = ablation::rowsOf(project, plan, settings);
    if (!rows)
        return context.fail(rows.error());
    const auto forecast = ablation::forecast(project, plan, settings, *rows, asked.batch.again);
    if (!forecast)
        return context.fail(forecast.error());
    terminal.print(headOf(terminal, plan, conditionsText(*device, options.precision, options.preset)));
    warnOfOtherDevices(terminal, project, plan.variant.id, device->name);
    nlohmann::json facts = {
        {"task", plan.task.id.value},
        {"variant", plan.variant.id ? nlohmann::json(plan.variant.id.value) : nlohmann::json(nullptr)},
        {"design", ablation::toString(plan.design)},
        {"forecast",
         {{"waiting", forecast->waiting},
          {"seconds", forecast->from > 0 ? nlohmann::json(forecast->seconds()) : nlohmann::json(nullptr)}}}};
    if (!asked.plan)
        return judgeCombinations({context, project, plan, asked, options, settings}, interrupt, client,
                                 std::move(*rows), forecast->text(), std::move(facts));
    terminal.print(forecast->text() + ".");
    facts["judged"] = 0;
    facts["complete"] = forecast->waiting == 0;
    ablation::sort(*rows, asked.order);
    printAblation(context, plan.names(), *rows, std::move(facts));
    const auto written = writeTable(asked.batch.csv, ablation::csvOf(plan.names(), *rows));
    return written ? Done : context.fail(written.error());
}

} // namespace

int ablate(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    const auto asked = readAblation(parser, arguments);
    if (!asked)
        return context.fail(asked.error());
    const auto task = context.task(arguments[0]);
    if (!task)
        return context.fail(task.error());
    bool byNumber = false; // what is named by it is in a project that is there
    arguments.value(1).toLongLong(&byNumber);
    const auto project = asked->batch.on.empty() && !byNumber ? context.project() : context.storedProject();
    if (!project)
        return context.fail(project.error());
    auto variant = chosenVariant(**project, recordOf(*task), *asked, arguments.value(1));
    if (!variant)
        return context.fail(variant.error());
    if (!variant->id && !asked->plan && asked->batch.on.empty())
        if (const auto kept = keep(**project, recordOf(*task), *variant); !kept)
            return context.fail(kept.error());
    const auto plan = variant->id
                        ? ablation::planFor(**project, variant->id, asked->toggles, asked->design, asked->list)
                        : ablation::planFor(recordOf(*task), *variant, asked->toggles, asked->design, asked->list);
    if (!plan)
        return context.fail(plan.error());
    return asked->batch.on.empty() ? judgeOrPlan(context, **project, *plan, *asked)
                                   : printStoredAblation(context, **project, *plan, *asked);
}

} // namespace cudal1::cli
