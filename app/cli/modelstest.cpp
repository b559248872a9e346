// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models test NAME`: whether a language model answers, and how fast.
#include "app/cli/agents.h"
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"
#include "core/base/bytestext.h"
#include "core/base/timetext.h"
#include "core/models/endpoint.h"
#include "core/models/localmodel.h"
#include "core/models/modelregistry.h"
#include "core/models/modeltrial.h"

#include <QEventLoop>
#include <QTimer>

#include <algorithm>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;
using models::TrialResult;
using nlohmann::json;

/// Text of a model for a terminal: on one line, without what a terminal would act on.
std::string shown(const std::string& text)
{
    constexpr int width = 100;
    std::string out;
    for (const char c : text)
        out += (unsigned(c) & 0xff) < 0x20 || c == 0x7f ? ' ' : c;
    return elided(out, width);
}

const char* endWord(policy::ChatReply::End end)
{
    switch (end) {
    case policy::ChatReply::End::Stop: return "stop";
    case policy::ChatReply::End::Length: return "length";
    case policy::ChatReply::End::Refused: return "refused";
    }
    return "";
}

json trialJson(const std::string& name, const TrialResult& result)
{
    const auto& usage = result.reply.usage;
    const auto known = [](const auto& value) { return value ? json(*value) : json(nullptr); };
    return {{"model", name},
            {"answered_by", result.reply.model},
            {"reply", result.reply.text},
            {"end", endWord(result.reply.end)},
            {"seconds", result.seconds},
            {"first_seconds", result.first_s},
            {"streaming", result.streams()},
            {"prompt_tokens", known(usage.promptTokens)},
            {"completion_tokens", known(usage.replyTokens)},
            {"tokens_per_second", known(result.tokensPerSecond)},
            {"tokens_guessed", result.guessed},
            {"cost", known(usage.cost)},
            {"currency", usage.cost ? json(usage.costUnit) : json(nullptr)}};
}

void printTrial(Terminal& terminal, const std::string& name, const TrialResult& result)
{
    using Tone = Terminal::Tone;
    const auto& usage = result.reply.usage;
    terminal.print(terminal.toned(Tone::Strong, name) + "  " + terminal.toned(Tone::Good, "answers"));
    terminal.print("model      " + (result.reply.model.empty() ? "does not tell its name" : shown(result.reply.model)));
    terminal.print("reply      " + (result.reply.text.empty()
                                        ? "no text within the limit of tokens, as models that reason first give"
                                        : shown(result.reply.text)));
    terminal.print("time       " + base::durationText(result.seconds) +
                   (result.streams() ? ", first words after " + base::durationText(result.first_s) : ""));
    if (usage.replyTokens)
        terminal.print("tokens     " +
                       (usage.promptTokens ? std::to_string(*usage.promptTokens) + " in, " : std::string()) +
                       std::to_string(*usage.replyTokens) + " out");
    std::string speed = "unknown: the server does not count tokens";
    if (result.tokensPerSecond)
        speed = formatted(*result.tokensPerSecond < 100 ? "%.3g tokens a second" : "%.0f tokens a second",
                          *result.tokensPerSecond);
    if (result.tokensPerSecond && result.guessed)
        speed = "about " + speed + ": the server does not count tokens, and each piece is taken for one";
    terminal.print("speed      " + speed);
    terminal.print(std::string("streaming  ") + (result.streams() ? "yes" : "no"));
    if (usage.cost)
        terminal.print("cost       " + formatted("%.3g ", *usage.cost) + usage.costUnit);
}

std::unique_ptr<policy::ChatModel> modelOf(const models::NamedModel& settings, double limit_s)
{
    if (const auto* local = std::get_if<models::LocalSettings>(&settings))
        return std::make_unique<models::LocalModel>(models::forTrial(*local));
    return std::make_unique<models::Endpoint>(models::forTrial(std::get<models::EndpointSettings>(settings), limit_s));
}

std::optional<protocol::ModelFacts> factsOf(const policy::ChatModel& model)
{
    const auto* local = dynamic_cast<const models::LocalModel*>(&model);
    return local ? local->facts() : std::nullopt;
}

json resultJson(const std::string& name, const TrialResult& result, const policy::ChatModel& model)
{
    json out = trialJson(name, result);
    if (const auto facts = factsOf(model))
        out["facts"] = *facts;
    return out;
}

void printModelFacts(Terminal& terminal, const protocol::ModelFacts& facts)
{
    terminal.print("runs on    " + facts.device + ", " + facts.numbers);
    terminal.print("weights    " + std::to_string(facts.parameters / 1'000'000) + " million of the " + facts.family +
                   " family, " + facts.formats + ", " + base::bytesText(double(facts.weightBytes)) + " in memory");
    terminal.print("context    " + std::to_string(facts.context) + " tokens of prompt and reply");
    terminal.print("loaded     within " + base::durationText(facts.loadSeconds));
}

} // namespace

int testModel(Context& context, const QCommandLineParser& options, const QStringList& arguments)
{
    bool good = false;
    const double limit_s = options.value("limit").toDouble(&good);
    if (!good || !(limit_s > 0 && limit_s <= 86'400))
        return context.fail(
            {ErrorCode::InvalidArgument,
             "--limit is a number of seconds above 0, not \"" + options.value("limit").toStdString() + "\"",
             {},
             {}});
    const auto settings = models::ModelRegistry().named(arguments[0].toStdString());
    if (!settings)
        return context.fail(settings.error());
    const std::string& name = models::nameOf(*settings);
    if (const auto* agent = std::get_if<models::AgentSettings>(&*settings))
        return testAgent(context, *agent, limit_s);

    Interrupt interrupt;
    QEventLoop loop;
    const auto model = modelOf(*settings, limit_s);
    std::optional<base::Result<TrialResult>> result;
    const auto end = [&](base::Result<TrialResult> answer) {
        if (!result)
            result.emplace(std::move(answer));
        loop.quit();
    };
    context.terminal().live("Asking " + name + " …");
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        end(Error{ErrorCode::Cancelled, "The test was stopped", {}, {}});
    });
    QTimer late; // of a local model, whose loading has no limit
    late.setSingleShot(true);
    QObject::connect(&late, &QTimer::timeout, &loop, [&] {
        end(Error{ErrorCode::TimedOut, "The reply was not done within " + formatted("%g", limit_s) + " s", name,
                  "Wait longer with --limit"});
    });
    const auto question = models::tryModel(*model, end, [&](const std::string& text) {
        context.terminal().live(text.empty() ? "Asking " + name + " …" : text + " …");
        if (text.empty())
            late.start(int(std::min(limit_s * 1000, 2e9)));
    });
    if (!result)
        loop.exec();
    context.terminal().clearLive();
    if (!*result)
        return context.fail(result->error(), interrupt, "the model was not tested");
    if (context.settings().json)
        context.printJson(resultJson(name, **result, *model));
    printTrial(context.terminal(), name, **result);
    if (const auto facts = factsOf(*model))
        printModelFacts(context.terminal(), *facts);
    return Done;
}

} // namespace cudal1::cli
