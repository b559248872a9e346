// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models add --agent`, and `cudal1 models test` of an agent.
#include "app/cli/agents.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/numberoptions.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/agents/agenttrial.h"
#include "core/base/timetext.h"
#include "core/models/modelregistry.h"

#include <QEventLoop>

#include <optional>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using models::AgentSettings;
using nlohmann::json;

namespace {

base::Result<AgentSettings> agentSettingsFrom(const QCommandLineParser& parser, const QString& name)
{
    for (const char* other :
         {"url",      "model",       "path",        "dtype",        "threads",       "context",      "cache-mib",
          "key-env",  "key-keyring", "temperature", "top-p",        "top-k",         "min-p",        "max-tokens",
          "stop",     "price-in",    "price-out",   "currency",     "limit-seconds", "limit-tokens", "limit-cost",
          "parallel", "retries",     "reply-limit", "silence-limit"})
        if (parser.isSet(other))
            return Error{ErrorCode::InvalidArgument,
                         "--" + std::string(other) + " is for a language model, and --agent for a coding agent",
                         {},
                         "An agent is asked by its own settings; --minutes and --evaluations limit it"};
    AgentSettings out;
    out.name = name.toStdString();
    out.command = parser.value("agent").toStdString();
    if (const std::string ready = models::agentTemplate(out.command); !ready.empty())
        out.command = ready;
    out.shell = parser.isSet("shell");
    out.keepWorkspace = parser.isSet("keep-workspace");
    for (const QString& variable : parser.value("env").split(QLatin1Char(','), Qt::SkipEmptyParts))
        out.variables.push_back(variable.trimmed().toStdString());
    NumberOptions numbers(parser);
    numbers.read("minutes", out.minutes);
    numbers.readWhole("evaluations", out.evaluations);
    if (numbers.wrong())
        return *numbers.wrong();
    if (const auto good = models::check(out); !good)
        return good.error();
    return out;
}

base::Result<agents::AgentAnswer> answerOf(Interrupt& interrupt, const AgentSettings& settings, double limit_s)
{
    agents::AgentTrial trial;
    QEventLoop loop;
    std::optional<base::Result<agents::AgentAnswer>> answer;
    QObject::connect(&trial, &agents::AgentTrial::ended, &loop, [&](const base::Result<agents::AgentAnswer>& given) {
        answer = given;
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, &QEventLoop::quit);
    trial.start(settings, limit_s);
    if (!interrupt.caught())
        loop.exec();
    if (interrupt.caught() || !answer)
        return Error{ErrorCode::Cancelled, "The test was stopped", {}, {}};
    return *answer;
}

} // namespace

json jsonOf(const AgentSettings& agent)
{
    json out = models::toJson(agent);
    const auto program = models::findProgram(agent);
    out["program"] = program ? json(program->toStdString()) : json(nullptr);
    out["minutes"] = agent.minutes;
    out["evaluations"] = agent.evaluations;
    out["kind"] = "agent";
    return out;
}

int addAgent(Context& context, const QCommandLineParser& options, const QString& name)
{
    const auto settings = agentSettingsFrom(options, name);
    if (!settings)
        return context.fail(settings.error());
    models::ModelRegistry registry;
    if (const auto added = registry.add(*settings, options.isSet("replace")); !added)
        return context.fail(added.error());
    if (const auto program = models::findProgram(*settings); !program)
        context.terminal().complain("cudal1: " + program.error().message + ", so far.");
    if (context.settings().json)
        context.printJson({{"model", jsonOf(*settings)}, {"file", registry.file().string()}});
    context.terminal().print("Added " + settings->name + " in " + registry.file().string());
    context.terminal().print("command  " + settings->command);
    context.terminal().print("`cudal1 models test " + settings->name + "` looks whether its program starts.");
    return Done;
}

int testAgent(Context& context, const AgentSettings& settings, double limit_s)
{
    Interrupt interrupt;
    context.terminal().live("Starting " + settings.name + " …");
    const auto answer = answerOf(interrupt, settings, limit_s);
    context.terminal().clearLive();
    if (!answer)
        return context.fail(answer.error(), interrupt, "the agent was not tested");
    if (context.settings().json)
        context.printJson({{"model", settings.name},
                           {"kind", "agent"},
                           {"program", answer->program.toStdString()},
                           {"version", answer->words},
                           {"status", answer->status},
                           {"seconds", answer->seconds}});
    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, settings.name) + "  " +
                   terminal.toned(Terminal::Tone::Good, "starts"));
    terminal.print("program      " + answer->program.toStdString());
    if (!settings.shell)
        terminal.print("--version    " +
                       (answer->status == 0 ? answer->words : "exit status " + std::to_string(answer->status)));
    terminal.print("command      " + settings.command);
    terminal.print("a session    " + base::durationText(settings.minutes * 60) + ", " +
                   std::to_string(settings.evaluations) + (settings.evaluations == 1 ? " evaluation" : " evaluations"));
    return Done;
}

} // namespace cudal1::cli
