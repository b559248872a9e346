// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 train`: the stages of the paper, each resumable by the same command.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/trainexample.h"
#include "app/cli/trainingtasks.h"
#include "app/cli/trainoptions.h"
#include "app/cli/trainstage.h"
#include "app/cli/verbs.h"
#include "core/language/templatefolders.h"
#include "core/learning/judgedbatches.h"
#include "core/learning/supervisedbatches.h"
#include "core/learning/trainingstart.h"

#include <QCoreApplication>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using learning::Stage;

base::Result<tasks::Suite> bundledTasks()
{
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    return folder ? tasks::readSuite(*folder) : base::Result<tasks::Suite>(folder.error());
}

int ended(Context& context, const Interrupt& interrupt, const learning::StageOptions& options,
          const base::Result<std::string>& checkpoint)
{
    if (!checkpoint) {
        if (checkpoint.error().code != ErrorCode::Cancelled)
            return context.fail(checkpoint.error());
        context.terminal().complain("cudal1: stopped; run the same command again to go on.");
        return interrupt.caught() ? 128 + interrupt.caught() : CannotDoIt;
    }
    if (context.settings().json)
        printLine({{"state", "finished"}, {"stage", wordOf(options.stage)}, {"checkpoint", *checkpoint}});
    context.terminal().print("checkpoint: " + *checkpoint);
    return Done;
}

int trainSupervised(Context& context, const QCommandLineParser& parser, const learning::StageOptions& options)
{
    if (!parser.isSet("data"))
        return context.fail({ErrorCode::InvalidArgument,
                             "The data set is missing",
                             {},
                             "Name a file that `cudal1 collect` wrote with --data"});
    const auto bundled = bundledTasks();
    if (!bundled)
        return context.fail(bundled.error());
    auto data = learning::startSupervised(options, parser.value("data").toStdString(), *bundled);
    if (!data)
        return context.fail(data.error());
    Interrupt interrupt;
    learning::SupervisedBatches maker(std::move(data->examples), options.batch, options.seed);
    return ended(context, interrupt, options, runStage(context, interrupt, options, maker));
}

int trainJudged(Context& context, const QCommandLineParser& parser, const learning::StageOptions& options)
{
    const auto bundled = bundledTasks();
    if (!bundled)
        return context.fail(bundled.error());
    const auto templates = language::readTemplates();
    if (!templates)
        return context.fail(templates.error());
    const auto chosen = chosenTasks(context, parser, *bundled, false);
    if (!chosen)
        return context.fail(chosen.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    Interrupt interrupt;
    Client client(interrupt);
    const auto machine = context.describe(client);
    if (interrupt.caught())
        return 128 + interrupt.caught();
    if (!machine)
        return context.fail(machine.error());
    const auto devices = context.devicesOfOneModel(*machine);
    if (!devices)
        return context.fail(devices.error());
    client.judgeOn(*devices);
    const auto run = learning::startJudged(**project, options, chosen->tasks);
    if (!run)
        return context.fail(run.error());
    context.terminal().print(std::to_string(chosen->tasks.size()) + " tasks on " +
                             conditionsText(*devices, options.precision, options.preset));
    learning::ReplyJudge judge(**project, client.crew(), learning::judgeSettingsOf(options, *devices, *run));
    learning::JudgedBatches maker(options, chosen->tasks, {*machine, *templates}, **project, judge);
    const auto checkpoint = runStage(context, interrupt, options, maker);
    if (const auto status = learning::endJudged(**project, *run, checkpoint); !status)
        return context.fail(status.error());
    return ended(context, interrupt, options, checkpoint);
}

} // namespace

int train(Context& context, const QCommandLineParser& parser, const QStringList& arguments)
{
    if (parser.isSet("example") != arguments.isEmpty())
        return context.fail({ErrorCode::InvalidArgument,
                             arguments.isEmpty() ? "The stage is missing" : "--example has all three stages",
                             {},
                             "`cudal1 train sft`, `self` or `contrastive`, or `cudal1 train --example`"});
    if (parser.isSet("example"))
        return trainExample(context, parser);
    const auto stage = learning::stageFromText(arguments[0].toStdString());
    if (!stage)
        return context.fail({ErrorCode::InvalidArgument,
                             "There is no stage \"" + arguments[0].toStdString() + "\"",
                             {},
                             "The stages are sft, self and contrastive"});
    const auto options = readStage(context, parser, *stage);
    if (!options)
        return context.fail(options.error());
    return *stage == Stage::Supervised ? trainSupervised(context, parser, *options)
                                       : trainJudged(context, parser, *options);
}

} // namespace cudal1::cli
