// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models test NAME`: whether a language model answers, and how fast.
#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/verbs.h"
#include "core/base/timetext.h"
#include "core/models/endpoint.h"
#include "core/models/modelregistry.h"
#include "core/models/modeltrial.h"

#include <QEventLoop>

#include <cstdio>

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

std::string number(const char* format, double value)
{
    char out[48];
    std::snprintf(out, sizeof out, format, value);
    return out;
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

json toJson(const std::string& name, const TrialResult& result)
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

void print(Terminal& terminal, const std::string& name, const TrialResult& result)
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
        speed = number("%.3g tokens a second", *result.tokensPerSecond);
    if (result.tokensPerSecond && result.guessed)
        speed = "about " + speed + ": the server does not count tokens, and each piece is taken for one";
    terminal.print("speed      " + speed);
    terminal.print(std::string("streaming  ") + (result.streams() ? "yes" : "no"));
    if (usage.cost)
        terminal.print("cost       " + number("%.3g ", *usage.cost) + usage.costUnit);
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
    const auto settings = models::ModelRegistry().model(arguments[0].toStdString());
    if (!settings)
        return context.fail(settings.error());

    Interrupt interrupt;
    QEventLoop loop;
    models::Endpoint endpoint(models::forTrial(*settings, limit_s));
    std::optional<base::Result<TrialResult>> result;
    context.terminal().live("Asking " + settings->name + " …");
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        result.emplace(Error{ErrorCode::Cancelled, "The test was stopped", {}, {}});
        loop.quit();
    });
    const auto question = models::tryModel(endpoint, [&](base::Result<TrialResult> answer) {
        if (!result)
            result.emplace(std::move(answer));
        loop.quit();
    });
    if (!result)
        loop.exec();
    context.terminal().clearLive();
    if (!*result)
        return context.fail(result->error(), interrupt, "the model was not tested");
    if (context.settings().json)
        context.printJson(toJson(settings->name, **result));
    print(context.terminal(), settings->name, **result);
    return Done;
}

} // namespace cudal1::cli
