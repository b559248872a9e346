// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 kernels VARIANT`: the device code of a variant's own kernels, from the project; --capture records it first.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/namedvariant.h"
#include "app/cli/output.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/base/bytestext.h"
#include "core/kernels/sourcelines.h"

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

base::Status capture(Context& context, store::Project& project, base::VariantId id, Interrupt& interrupt)
{
    const auto variant = project.variant(id);
    if (!variant)
        return variant.error();
    const auto task = project.task(variant->task);
    if (!task)
        return task.error();
    if (task->hash != variant->taskHash)
        return Error{ErrorCode::InvalidArgument, "It was made for an older text of the task", task->id.value,
                     "Judge it against the present one first"};
    Client client(interrupt);
    const auto device = context.device(client);
    if (!device)
        return device.error();
    protocol::KernelsRequest request;
    request.task = {task->id.value, task->source};
    request.candidate = variant->source;
    request.candidateName = "variant_" + std::to_string(id.value) + ".py";
    request.device = device->name;
    request.precision = context.settings().precision;
    request.seed = context.settings().seed;
    const auto kernels = client.kernels(request, context.showing());
    context.terminal().clearLive();
    return kernels ? project.putKernels(id, **kernels) : base::Status(kernels.error());
}

/// The texts of all modules, behind each other; empty where there is none.
std::string moduleTexts(const protocol::Kernels& kernels, std::string protocol::KernelModule::*text)
{
    std::string out;
    for (const protocol::KernelModule& module : kernels.modules)
        out += module.*text;
    return out;
}

} // namespace

int kernels(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto id = variantId(arguments[0]);
    if (!id)
        return context.fail(id.error());
    const auto project = context.storedProject();
    if (!project)
        return context.fail(project.error());
    const auto variant = (*project)->variant(*id);
    if (!variant)
        return context.fail(variant.error());
    const std::string& source = variant->source;
    if (options.isSet("capture")) {
        Interrupt interrupt;
        if (const auto captured = capture(context, **project, *id, interrupt); !captured)
            return context.fail(captured.error(), interrupt, "nothing was stored");
    }
    const auto records = (*project)->kernels(*id);
    if (!records)
        return context.fail(records.error());
    if (records->empty())
        return context.fail({ErrorCode::NotFound,
                             "No kernels of variant " + std::to_string(id->value) + " were captured yet",
                             {},
                             "`cudal1 kernels " + std::to_string(id->value) + " --capture` captures them on a GPU"});
    const protocol::Kernels& newest = records->front().kernels;
    const std::pair<const char*, std::string protocol::KernelModule::*> texts[] = {
        {"ptx", &protocol::KernelModule::ptx},
        {"sass", &protocol::KernelModule::sass},
        {"cubin", &protocol::KernelModule::image}};
    for (const auto& [name, member] : texts) {
        if (!options.isSet(name))
            continue;
        std::string text = moduleTexts(newest, member);
        if (options.isSet("lines") && member != &protocol::KernelModule::image)
            text = kernels::withSourceLines(text, kernels::lineSourcesOf(source));
        if (text.empty())
            return context.fail({ErrorCode::NotFound,
                                 "There is no " + std::string(name) + " of it",
                                 newest.notes.empty() ? std::string() : newest.notes.front(),
                                 {}});
        if (const auto written = write(options.value(name), text, "The file", "Choose another one"); !written)
            return context.fail(written.error());
    }
    if (context.settings().json) {
        nlohmann::json out = newest;
        out["variant"] = id->value;
        out["created_ms"] = records->front().created_ms;
        context.printJson(out);
    }
    Terminal& terminal = context.terminal();
    terminal.print(
        terminal.toned(Terminal::Tone::Strong, "Variant " + std::to_string(id->value) + " of " + newest.task) + "  " +
        newest.device.model + ", " + agoText(records->front().created_ms));
    for (const protocol::KernelModule& module : newest.modules) {
        std::string names;
        for (const std::string& kernel : module.kernels)
            names += (names.empty() ? "" : ", ") + kernel;
        terminal.print("  " + names + ": cubin " + base::bytesText(double(module.image_bytes)) +
                       (module.ptx.empty() ? ", no PTX" : ", PTX " + base::bytesText(double(module.ptx.size()))) +
                       (module.sass.empty() ? ", no SASS" : ", SASS " + base::bytesText(double(module.sass.size()))));
    }
    for (const std::string& note : newest.notes)
        terminal.print("  " + note);
    return Done;
}

} // namespace cudal1::cli
