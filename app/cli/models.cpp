// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models add|list|remove`: the user's language models and coding agents.
#include "app/cli/agents.h"
#include "app/cli/context.h"
#include "app/cli/localmodels.h"
#include "app/cli/modelkeys.h"
#include "app/cli/samplingoptions.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/models/modelregistry.h"

#include <algorithm>
#include <cstdio>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using models::EndpointSettings;
using models::LocalSettings;
using models::ModelRegistry;
using nlohmann::json;

base::Result<EndpointSettings> endpointSettingsFrom(Context& context, const QCommandLineParser& parser,
                                                    const QString& name)
{
    EndpointSettings out;
    out.name = name.toStdString();
    out.url = parser.value("url").toStdString();
    out.model = parser.value("model").toStdString();
    for (const char* needed : {"url", "model"})
        if (!parser.isSet(needed))
            return Error{ErrorCode::InvalidArgument,
                         std::string("`models add` needs --") + needed,
                         {},
                         "Try `cudal1 models add --help`"};
    NumberOptions numbers(parser);
    readSampling(context, parser, numbers, out.sampling);
    if (parser.isSet("price-in") || parser.isSet("price-out") || parser.isSet("currency")) {
        numbers.read("price-in", out.price.emplace().prompt);
        numbers.read("price-out", out.price->reply);
        out.price->unit = parser.value("currency").toStdString();
        out.limits.costUnit = out.price->unit;
    }
    readLimits(numbers, out.limits);
    numbers.read("reply-limit", out.patience.reply_s);
    numbers.read("silence-limit", out.patience.silence_s);
    numbers.readWhole("retries", out.patience.retries);
    numbers.readWhole("parallel", out.parallel);
    out.keyVariable = parser.value("key-env").toStdString();
    out.keyInKeyring = parser.isSet("key-keyring");
    if (numbers.wrong())
        return *numbers.wrong();
    if (parser.isSet("key-env") && out.keyVariable.empty())
        return Error{ErrorCode::InvalidArgument, "--key-env needs the name of an environment variable", {}, {}};
    if (const auto good = models::check(out); !good)
        return good.error();
    return out;
}

std::string priceText(const EndpointSettings& model)
{
    if (!model.price)
        return {};
    char out[96];
    std::snprintf(out, sizeof out, "%.6g / %.6g %s", model.price->prompt, model.price->reply,
                  model.price->unit.c_str());
    return out;
}

std::vector<std::string> rowOf(const EndpointSettings& model)
{
    return {model.name, model.model, model.url, keyState(model).text, priceText(model), std::to_string(model.parallel)};
}

std::vector<std::string> rowOf(const LocalSettings& model)
{
    return {model.name, "local, on " + model.device + (model.dtype.empty() ? "" : ", " + model.dtype),
            model.path, "",
            "",         model.parallel > 0 ? std::to_string(model.parallel) : ""};
}

std::vector<std::string> rowOf(const models::AgentSettings& agent)
{
    return {agent.name, "coding agent", elided(agent.command, 60), "", "", ""};
}

} // namespace

int addModel(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    if (options.isSet("agent"))
        return addAgent(context, options, arguments[0]);
    for (const char* name : {"shell", "minutes", "evaluations", "env", "keep-workspace"})
        if (options.isSet(name))
            return context.fail({ErrorCode::InvalidArgument,
                                 "--" + std::string(name) + " is for a coding agent",
                                 {},
                                 "Give its command with --agent"});
    if (options.isSet("path"))
        return addLocalModel(context, options, arguments[0]);
    for (const char* name : {"dtype", "threads", "context", "cache-mib"})
        if (options.isSet(name))
            return context.fail({ErrorCode::InvalidArgument,
                                 "--" + std::string(name) + " is for a model of --path",
                                 {},
                                 "A server has its own settings"});
    const auto settings = endpointSettingsFrom(context, options, arguments[0]);
    if (!settings)
        return context.fail(settings.error());
    ModelRegistry registry;
    const bool replace = options.isSet("replace");
    const auto all = registry.all();
    if (!all)
        return context.fail(all.error());
    const bool there = std::any_of(all->begin(), all->end(),
                                   [&](const auto& one) { return models::nameOf(one) == settings->name; });
    // The key first: a model whose key was not taken is not added, and a key of a model that is there stays.
    if (settings->keyInKeyring && (replace || !there))
        if (const auto kept = askAndKeepKey(context, settings->name); !kept)
            return context.fail(kept.error());
    if (const auto added = registry.add(*settings, replace); !added)
        return context.fail(added.error());
    if (models::sentInClear(*settings))
        context.terminal().complain(
            "cudal1: Prompts" +
            std::string(settings->keyVariable.empty() && !settings->keyInKeyring ? "" : ", and the key,") +
            " go to this server without encryption; others on the network could read them.");
    const KeyState key = keyState(*settings);
    if (key.there && !*key.there)
        context.terminal().complain("cudal1: " + key.text + " yet.");
    if (context.settings().json)
        context.printJson({{"model", jsonOf(*settings)}, {"file", registry.file().string()}});
    context.terminal().print((there ? "Replaced " : "Added ") + settings->name + " in " + registry.file().string());
    context.terminal().print("`cudal1 models test " + settings->name + "` asks it something.");
    return Done;
}

int listModels(Context& context, const QCommandLineParser&, const QStringList&)
{
    const ModelRegistry registry;
    const auto all = registry.all();
    if (!all)
        return context.fail(all.error());
    if (context.settings().json) {
        json list = json::array();
        for (const models::NamedModel& model : *all)
            list.push_back(std::visit([](const auto& one) { return jsonOf(one); }, model));
        context.printJson({{"models", list}, {"file", registry.file().string()}});
        return Done;
    }
    if (all->empty()) {
        context.terminal().print("There are no models yet. `cudal1 models add NAME --url URL --model ID` adds one, and "
                                 "`cudal1 models fetch smollm2` fetches a small one.");
        return Done;
    }
    TextTable table({{"Name"},
                     {"Model"},
                     {"URL or path"},
                     {"Key"},
                     {"Price of 1M in / out"},
                     {"Parallel", TextTable::Align::Right}});
    for (const models::NamedModel& model : *all)
        table.add(std::visit([](const auto& one) { return rowOf(one); }, model));
    context.terminal().print(table.text());
    return Done;
}

int removeModel(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    ModelRegistry registry;
    const auto model = registry.named(arguments[0].toStdString());
    if (!model)
        return context.fail(model.error());
    const std::string name = models::nameOf(*model);
    if (const auto removed = registry.remove(name); !removed)
        return context.fail(removed.error());
    // A key without a model is of no use to anybody.
    const auto* endpoint = std::get_if<EndpointSettings>(&*model);
    if (endpoint && endpoint->keyInKeyring)
        if (const auto dropped = dropKeyNow(name); !dropped)
            context.terminal().complain("cudal1: The key is still in the keyring. " + dropped.error().text());
    if (context.settings().json)
        context.printJson({{"removed", name}});
    context.terminal().print("Removed " + name);
    return Done;
}

} // namespace cudal1::cli
