// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 models add --agent`, and `cudal1 models test` of an agent.
#include "app/cli/agents.h"

#include "app/cli/context.h"
#include "app/cli/interrupt.h"
#include "app/cli/numberoptions.h"
#include "app/cli/texttable.h"
#include "app/cli/verbs.h"
#include "core/agents/agentprocess.h"
#include "core/agents/workspace.h"
#include "core/base/timetext.h"
#include "core/models/modelregistry.h"

#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

namespace cudal1::cli {

using base::Error;
using base::ErrorCode;
using models::AgentSettings;
using nlohmann::json;

namespace {

base::Result<AgentSettings> settingsFrom(const QCommandLineParser& parser, const QString& name)
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

/// What a program answers to --version: its status and its words.
struct Started {
    int status = -1;
    QByteArray words;
    double seconds = 0;
};

base::Result<Started> started(Interrupt& interrupt, const AgentSettings& settings, double limit_s)
{
    agents::AgentProcess process;
    QEventLoop loop;
    QElapsedTimer clock;
    std::optional<int> status;
    Started out;
    QObject::connect(&process, &agents::AgentProcess::written, &loop, [&](const QByteArray& bytes) {
        if (out.words.size() < 4096)
            out.words += bytes;
    });
    QObject::connect(&process, &agents::AgentProcess::ended, &loop, [&](int how) {
        status = how;
        loop.quit();
    });
    QObject::connect(&interrupt, &Interrupt::requested, &loop, &QEventLoop::quit);
    QTimer::singleShot(int(std::min(limit_s * 1000, 2e9)), &loop, &QEventLoop::quit);
    clock.start();
    process.start(agents::Workspace::agentProgram(), {models::commandWords(settings, {}).value(0), "--version"},
                  QDir::tempPath(), settings.variables, {});
    if (!status && !interrupt.caught())
        loop.exec();
    out.seconds = double(clock.elapsed()) / 1000;
    if (interrupt.caught())
        return Error{ErrorCode::Cancelled, "The test was stopped", {}, {}};
    if (!status)
        return Error{ErrorCode::TimedOut, "The program does not answer --version within " + base::durationText(limit_s),
                     settings.name, "Try it in a terminal"};
    if (*status < 0)
        return Error{ErrorCode::Unavailable, "cudal1-agent could not be started",
                     agents::Workspace::agentProgram().join(QLatin1Char(' ')).toStdString(), "Build or install it"};
    out.status = *status;
    return out;
}

std::string firstLine(const QByteArray& words)
{
    std::string out;
    for (const char c : words.trimmed().split('\n').value(0).left(200))
        out += (unsigned(c) & 0xff) < 0x20 || c == 0x7f ? ' ' : c;
    return out;
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
    const auto settings = settingsFrom(options, name);
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
    const auto program = models::findProgram(settings);
    if (!program)
        return context.fail(program.error());
    Interrupt interrupt;
    context.terminal().live("Starting " + program->toStdString() + " …");
    const auto result = settings.shell ? base::Result<Started>(Started{0, {}, 0})
                                       : started(interrupt, settings, limit_s);
    context.terminal().clearLive();
    if (!result)
        return context.fail(result.error(), interrupt, "the agent was not tested");
    // 126 and 127: of the keeper and of shells, for what cannot be run.
    if (result->status == 126 || result->status == 127)
        return context.fail({ErrorCode::Unavailable, "The program cannot be started: " + firstLine(result->words),
                             program->toStdString(), "Try it in a terminal"});
    if (context.settings().json)
        context.printJson({{"model", settings.name},
                           {"kind", "agent"},
                           {"program", program->toStdString()},
                           {"version", firstLine(result->words)},
                           {"status", result->status},
                           {"seconds", result->seconds}});
    Terminal& terminal = context.terminal();
    terminal.print(terminal.toned(Terminal::Tone::Strong, settings.name) + "  " +
                   terminal.toned(Terminal::Tone::Good, "starts"));
    terminal.print("program      " + program->toStdString());
    if (!settings.shell)
        terminal.print("--version    " + (result->status == 0 ? firstLine(result->words)
                                                              : "exit status " + std::to_string(result->status)));
    terminal.print("command      " + settings.command);
    terminal.print("a session    " + base::durationText(settings.minutes * 60) + ", " +
                   std::to_string(settings.evaluations) + (settings.evaluations == 1 ? " evaluation" : " evaluations"));
    return Done;
}

} // namespace cudal1::cli
