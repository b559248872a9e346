// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of coding agents: ready-made commands, placeholders, JSON.
#include "core/models/agentsettings.h"

#include "core/models/endpointsettings.h"
#include "core/models/fieldreader.h"
#include "core/models/settingscheck.h"

#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>

#include <array>
#include <cmath>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

constexpr double mostMinutes = 10'000;
constexpr int mostEvaluations = 1000;

struct Ready {
    const char* program;
    const char* command;
};
/// Each runs without asking anybody, and is allowed the judge's tools and files of its folder.
constexpr std::array ready{
    Ready{"claude", "claude -p {prompt} --mcp-config {mcp_config} --strict-mcp-config --permission-mode acceptEdits "
                    "--allowedTools mcp__cudal1,Read,Write,Edit,Glob,Grep --output-format text"},
    Ready{"codex", "codex exec --skip-git-repo-check --sandbox workspace-write "
                   "-c mcp_servers.cudal1.command=\"\"\"{mcp_program}\"\"\" "
                   "-c mcp_servers.cudal1.args=[\"\"\"connect\"\"\",\"\"\"{mcp_socket}\"\"\"] "
                   "-c mcp_servers.cudal1.tool_timeout_sec=3600 "
                   "-c mcp_servers.cudal1.default_tools_approval_mode=\"\"\"approve\"\"\" {prompt}"},
    Ready{"gemini", "gemini -p {prompt} --approval-mode yolo --allowed-mcp-server-names cudal1"},
    Ready{"gptme", "gptme --non-interactive --workspace {workspace} {prompt}"},
    Ready{"opencode", "opencode run {prompt}"}};

QString quotedForShell(QString word)
{
    return QLatin1Char('\'') + word.replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

/// One pass, so that what is put in is not looked at again.
QString filled(const QString& text, const std::vector<Placeholder>& values, bool shell)
{
    QString out;
    for (qsizetype at = 0; at < text.size();) {
        const Placeholder* found = nullptr;
        for (const Placeholder& one : values)
            if (QStringView(text).mid(at).startsWith(QLatin1Char('{') + one.first + QLatin1Char('}')))
                found = &one;
        if (!found) {
            out += text[at++];
            continue;
        }
        out += shell ? quotedForShell(found->second) : found->second;
        at += found->first.size() + 2;
    }
    return out;
}

} // namespace

std::string agentTemplate(const std::string& program)
{
    for (const Ready& one : ready)
        if (program == one.program)
            return one.command;
    return {};
}

std::vector<std::string> agentTemplateNames()
{
    std::vector<std::string> out;
    for (const Ready& one : ready)
        out.emplace_back(one.program);
    return out;
}

QStringList placeholderNames()
{
    return {QStringLiteral("prompt"), QStringLiteral("workspace"), QStringLiteral("mcp_config"),
            QStringLiteral("mcp_program"), QStringLiteral("mcp_socket")};
}

QStringList commandWords(const AgentSettings& settings, const std::vector<Placeholder>& values)
{
    const QString command = QString::fromStdString(settings.command);
    if (settings.shell)
        return {QStringLiteral("/bin/sh"), QStringLiteral("-c"), filled(command, values, true)};
    QStringList out;
    for (const QString& word : QProcess::splitCommand(command))
        out << filled(word, values, false);
    return out;
}

base::Result<QString> findProgram(const AgentSettings& settings)
{
    const QString program = commandWords(settings, {}).value(0);
    const QString found = program.contains(QLatin1Char('/')) && QFileInfo(program).isExecutable() &&
                                  QFileInfo(program).isFile()
                            ? QFileInfo(program).absoluteFilePath()
                            : QStandardPaths::findExecutable(program);
    if (!found.isEmpty())
        return found;
    return Error{ErrorCode::NotFound,
                 "The program of the agent " + settings.name + " was not found: " + program.toStdString(),
                 {},
                 "Install it, or name it by its path: `cudal1 models add " + settings.name +
                     " --agent 'PATH …' --replace`"};
}

base::Status check(const AgentSettings& settings)
{
    if (const auto name = checkName(settings.name); !name)
        return name.error();
    const QString command = QString::fromStdString(settings.command);
    if (QProcess::splitCommand(command).isEmpty() || command.contains(QChar(0)) ||
        (!settings.shell && command.contains(QLatin1Char('\n'))))
        return wrongSetting("The command of an agent is a line with its program and arguments",
                            "For example: claude -p {prompt} --mcp-config {mcp_config}");
    static const QRegularExpression braces(QStringLiteral("\\{([a-z_]+)\\}"));
    for (auto all = braces.globalMatch(command); all.hasNext();)
        if (const QString name = all.next().captured(1); !placeholderNames().contains(name))
            return wrongSetting("There is no placeholder {" + name.toStdString() + "}",
                                "There are {" + placeholderNames().join(QStringLiteral("}, {")).toStdString() + "}");
    if (!(std::isfinite(settings.minutes) && settings.minutes > 0 && settings.minutes <= mostMinutes))
        return wrongSetting("The minutes of an agent are a number above 0, and at most 10000");
    if (settings.evaluations < 1 || settings.evaluations > mostEvaluations)
        return wrongSetting("The evaluations of an agent are a whole number from 1 to 1000");
    for (const std::string& variable : settings.variables)
        if (!matchesWhole(variable, "[A-Za-z_][A-Za-z0-9_]{0,200}"))
            return wrongSetting("A variable of the environment is given by its name alone",
                                "Its value is read when it is needed");
    return {};
}

json toJson(const AgentSettings& settings)
{
    const AgentSettings usual;
    json out{{"name", settings.name}, {"command", settings.command}};
    if (settings.shell)
        out["shell"] = true;
    if (settings.minutes != usual.minutes)
        out["minutes"] = settings.minutes;
    if (settings.evaluations != usual.evaluations)
        out["evaluations"] = settings.evaluations;
    if (!settings.variables.empty())
        out["variables"] = settings.variables;
    if (settings.keepWorkspace)
        out["keep_workspace"] = true;
    return out;
}

base::Result<AgentSettings> agentOf(const json& object)
{
    AgentSettings out;
    FieldReader reader(object, {});
    reader.text("name", out.name);
    reader.text("command", out.command);
    reader.flag("shell", out.shell);
    reader.number("minutes", out.minutes);
    reader.whole("evaluations", out.evaluations);
    reader.flag("keep_workspace", out.keepWorkspace);
    if (const json* variables = reader.found("variables")) {
        if (!variables->is_array())
            reader.complain("variables", "is a list of names");
        else
            for (const json& one : *variables)
                if (one.is_string())
                    out.variables.push_back(one.get<std::string>());
                else
                    reader.complain("variables", "is a list of names");
    }
    if (const std::string problem = reader.wrong(); !problem.empty())
        return wrongSetting(problem);
    if (const auto good = check(out); !good)
        return good.error();
    return out;
}

} // namespace cudal1::models
