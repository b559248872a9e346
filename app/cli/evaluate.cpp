// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 evaluate TASK FILE.py`: judges one candidate and stores what was found.
#include "app/cli/context.h"
#include "app/cli/fitwarning.h"
#include "app/cli/interrupt.h"
#include "app/cli/namedvariant.h"
#include "app/cli/paperoptions.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/tasks/sourcefile.h"

#include <QFileInfo>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

base::Result<base::VariantId> storeVariant(store::Project& project, const store::TaskRecord& task,
                                           const std::string& source, const QString& path, base::VariantId parent)
{
    if (const auto status = project.putTask(task); !status)
        return status.error();
    store::VariantRecord variant;
    variant.task = task.id;
    variant.taskHash = task.hash;
    variant.source = source;
    variant.origin = "file: " + QFileInfo(path).fileName().toStdString();
    variant.parent = parent;
    return project.addVariant(variant);
}

} // namespace

int evaluate(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto rules = paperRules(options, context.settings());
    if (!rules)
        return context.fail(rules.error());
    const auto task = context.task(arguments[0]);
    if (!task)
        return context.fail(task.error());
    const auto source = tasks::readCandidate(arguments[1].toStdString());
    if (!source)
        return context.fail(source.error());
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());

    base::VariantId parent;
    if (options.isSet("parent")) {
        const auto named = variantId(options.value("parent"));
        if (!named)
            return context.fail(named.error());
        const auto from = (*project)->variant(*named);
        if (!from)
            return context.fail(from.error());
        if (from->task != task->id)
            return context.fail({ErrorCode::InvalidArgument,
                                 "Variant " + std::to_string(named->value) + " is of task " + from->task.value,
                                 {},
                                 "Name a variant of " + task->id.value});
        parent = *named;
    }

    Interrupt interrupt;
    Client client(interrupt);
    Terminal& terminal = context.terminal();
    const auto failed = [&](const Error& error) { return context.fail(error, interrupt, "nothing was stored"); };
    const auto device = context.device(client);
    if (!device)
        return failed(device.error());

    warnOfMemory(context, client, recordOf(*task), **project, *device);
    protocol::EvaluateRequest request;
    request.task = {task->id.value, task->source};
    request.candidate = *source;
    request.candidateName = QFileInfo(arguments[1]).fileName().toStdString();
    request.device = device->name;
    request.precision = context.settings().precision;
    request.preset = context.settings().preset;
    request.paper = *rules;
    request.paper.bestSoFar = store::bestSoFar(**project, task->id, device->model, request.precision);
    request.seed = context.settings().seed ? context.settings().seed : farm::freshSeed();
    const auto evaluation = client.evaluate(request, context.showing());
    if (!evaluation)
        return failed(evaluation.error());
    const protocol::Evaluation& result = **evaluation;
    terminal.clearLive();

    const auto variant = storeVariant(**project, recordOf(*task), *source, arguments[1], parent);
    const auto stored = variant ? (*project)->addEvaluation(*variant, result)
                                : base::Result<base::EvaluationId>(variant.error());

    terminal.print(terminal.toned(Terminal::Tone::Strong, task->id.value + " " + task->name) + "  " +
                   arguments[1].toStdString());
    terminal.print(evaluationText(terminal, result));
    if (stored)
        terminal.print("stored     as variant " + std::to_string(variant->value) + " in " +
                       context.projectPath().string());
    if (context.settings().json)
        context.printJson(store::evaluationJson(result, variant ? *variant : base::VariantId(),
                                                stored ? *stored : base::EvaluationId()));
    if (!stored) {
        terminal.complain("cudal1: the result could not be stored: " + stored.error().text());
        return CannotDoIt;
    }
    return result.verdict == protocol::Verdict::Correct ? Done : OtherVerdict;
}

} // namespace cudal1::cli
