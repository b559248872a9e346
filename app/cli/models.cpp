// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models add|list|remove`: the user's language models.
#include "app/cli/context.h"
#include "app/cli/modelkeys.h"
#include "app/cli/table.h"
#include "app/cli/verbs.h"
#include "core/models/modelregistry.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using models::EndpointSettings;
using models::ModelRegistry;
using nlohmann::json;

/// Reads options that are numbers; the first that is none stays.
class NumberOptions {
public:
    explicit NumberOptions(const QCommandLineParser& parser) : m_parser(parser) {}

    void read(const char* name, std::optional<double>& out)
    {
        if (m_parser.isSet(name))
            read(name, out.emplace());
    }
    void read(const char* name, double& out)
    {
        if (!m_parser.isSet(name))
            return;
        bool good = false;
        out = m_parser.value(name).toDouble(&good);
        if (!good)
            complain(name, "number");
    }
    template<class T> void readWhole(const char* name, std::optional<T>& out)
    {
        if (m_parser.isSet(name))
            readWhole(name, out.emplace());
    }
    template<class T> void readWhole(const char* name, T& out)
    {
        if (!m_parser.isSet(name))
            return;
        bool good = false;
        const qlonglong value = m_parser.value(name).toLongLong(&good);
        if (!good || value < 0 || value > std::numeric_limits<T>::max())
            complain(name, "whole number from 0");
        else
            out = T(value);
    }
    const std::optional<Error>& wrong() const { return m_wrong; }

private:
    void complain(const std::string& name, const std::string& what)
    {
        if (!m_wrong)
            m_wrong = Error{ErrorCode::InvalidArgument,
                            "--" + name + " is a " + what + ", not \"" +
                                m_parser.value(QString::fromStdString(name)).toStdString() + "\"",
                            {},
                            {}};
    }

    const QCommandLineParser& m_parser;
    std::optional<Error> m_wrong;
};

base::Result<EndpointSettings> settingsFrom(Context& context, const QCommandLineParser& parser, const QString& name)
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
    numbers.read("temperature", out.sampling.temperature);
    numbers.read("top-p", out.sampling.topP);
    numbers.readWhole("top-k", out.sampling.topK);
    numbers.read("min-p", out.sampling.minP);
    numbers.readWhole("max-tokens", out.sampling.maxTokens);
    if (context.settings().seed)
        out.sampling.seed = context.settings().seed;
    for (const QString& text : parser.values("stop"))
        out.sampling.stop.push_back(text.toStdString());
    if (parser.isSet("price-in") || parser.isSet("price-out") || parser.isSet("currency")) {
        numbers.read("price-in", out.price.emplace().prompt);
        numbers.read("price-out", out.price->reply);
        out.price->unit = parser.value("currency").toStdString();
        out.limits.costUnit = out.price->unit;
    }
    numbers.read("limit-seconds", out.limits.seconds);
    numbers.readWhole("limit-tokens", out.limits.tokens);
    numbers.read("limit-cost", out.limits.cost);
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

json jsonOf(const EndpointSettings& model)
{
    const KeyState key = keyState(model);
    json out = models::toJson(model);
    out["key_state"] = key.text;
    out["key_there"] = key.there ? json(*key.there) : json(nullptr);
    return out;
}

} // namespace

int addModel(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    const auto settings = settingsFrom(context, options, arguments[0]);
    if (!settings)
        return context.fail(settings.error());
    ModelRegistry registry;
    const bool replace = options.isSet("replace");
    const auto all = registry.models();
    if (!all)
        return context.fail(all.error());
    const bool there = std::any_of(all->begin(), all->end(),
                                   [&](const auto& one) { return one.name == settings->name; });
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
    const auto all = registry.models();
    if (!all)
        return context.fail(all.error());
    if (context.settings().json) {
        json list = json::array();
        for (const EndpointSettings& model : *all)
            list.push_back(jsonOf(model));
        context.printJson({{"models", list}, {"file", registry.file().string()}});
        return Done;
    }
    if (all->empty()) {
        context.terminal().print("There are no models yet. `cudal1 models add NAME --url URL --model ID` adds one.");
        return Done;
    }
    Table table({{"Name"}, {"Model"}, {"URL"}, {"Key"}, {"Price of 1M in / out"}, {"Parallel", Table::Align::Right}});
    for (const EndpointSettings& model : *all)
        table.add({model.name, model.model, model.url, keyState(model).text, priceText(model),
                   std::to_string(model.parallel)});
    context.terminal().print(table.text());
    return Done;
}

int removeModel(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    ModelRegistry registry;
    const auto model = registry.model(arguments[0].toStdString());
    if (!model)
        return context.fail(model.error());
    if (const auto removed = registry.remove(model->name); !removed)
        return context.fail(removed.error());
    // A key without a model is of no use to anybody.
    if (model->keyInKeyring)
        if (const auto dropped = dropKeyNow(model->name); !dropped)
            context.terminal().complain("cudal1: The key is still in the keyring. " + dropped.error().text());
    if (context.settings().json)
        context.printJson({{"removed", model->name}});
    context.terminal().print("Removed " + model->name);
    return Done;
}

} // namespace cudal1::cli
