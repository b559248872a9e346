// SPDX-License-Identifier: GPL-3.0-or-later
// Files of a workspace.
#include "core/agents/workspace.h"

#include "core/agents/workspacetexts.h"
#include "core/base/ratiotext.h"
#include "core/farm/launcher.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

namespace cudal1::agents {

using base::Error;
using base::ErrorCode;
using base::wrong;
using nlohmann::json;

namespace {

constexpr std::size_t mostBest = 5;
constexpr qint64 mostSourceBytes = 1 << 20;
constexpr int toolTimeout_ms = 3'600'000; ///< that clients wait for the judge

std::string dumped(const json& value)
{
    return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace

QStringList Workspace::agentProgram()
{
    return farm::Launcher::standard(QStringLiteral("cudal1-agent"), "CUDAL1_AGENT").words();
}

base::Result<std::unique_ptr<Workspace>> Workspace::make(const policy::Prompt& prompt,
                                                         const models::AgentSettings& settings, int evaluations)
{
    QTemporaryDir folder(QDir::tempPath() + QStringLiteral("/cudal1-agent-XXXXXX"));
    if (!folder.isValid())
        return Error{ErrorCode::Unavailable,
                     "No folder could be made for the agent: " + folder.errorString().toStdString(),
                     QDir::tempPath().toStdString(), "Free some space, or set TMPDIR to a folder that may be written"};
    folder.setAutoRemove(false); // this object does, unless it is kept
    std::unique_ptr<Workspace> out(new Workspace(QFileInfo(folder.path()).canonicalFilePath(), settings.keepWorkspace));
    if (const auto filled = out->fill(prompt, settings, evaluations); !filled)
        return filled.error();
    return out;
}

Workspace::~Workspace()
{
    if (!m_keep)
        QDir(m_path).removeRecursively();
}

base::Status Workspace::write(const QString& name, const std::string& text, bool executable) const
{
    const QString path = m_path + QLatin1Char('/') + name;
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), qint64(text.size())) != qint64(text.size()) ||
        !file.flush())
        return Error{ErrorCode::Unavailable,
                     "The agent's folder cannot be written: " + file.errorString().toStdString(), path.toStdString(),
                     "Free some space, or set TMPDIR to a folder that may be written"};
    if (executable)
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return {};
}

base::Status Workspace::fill(const policy::Prompt& prompt, const models::AgentSettings& settings, int evaluations)
{
    m_taskText = taskPage(prompt, settings, evaluations);
    if (const auto done = write(QStringLiteral("TASK.md"), m_taskText); !done)
        return done;
    if (const auto done = write(QStringLiteral("JUDGE.md"), judgePage(prompt)); !done)
        return done;
    if (const auto done = write(QStringLiteral("reference.py"), prompt.task.source); !done)
        return done;
    if (const auto done = fillBest(prompt); !done)
        return done;
    QDir(m_path).mkpath(QStringLiteral(".cudal1"));
    return fillConfigurations();
}

base::Status Workspace::fillBest(const policy::Prompt& prompt)
{
    std::string table = "# The best variants so far\n\n";
    for (const policy::Exemplar& one : prompt.exemplars) { // best first
        if (one.verdict != protocol::Verdict::Correct || !one.wall.valid() || m_shown.size() == mostBest)
            continue;
        const std::string file = std::to_string(m_shown.size() + 1) + "_variant_" + std::to_string(one.variant.value) +
                                 ".py";
        if (const auto done = write(QStringLiteral("best/") + QString::fromStdString(file), one.source); !done)
            return done;
        table += "- `" + file + "`: " + base::ratioText(one.wall) + (one.origin.empty() ? "" : ", by " + one.origin) +
                 "\n";
        m_shown.push_back(one.variant);
    }
    return write(QStringLiteral("best/README.md"), m_shown.empty() ? table + "There are none yet.\n" : table);
}

base::Status Workspace::fillConfigurations() const
{
    json command = json::array();
    for (const QString& word : agentProgram())
        command.push_back(word.toStdString());
    const std::string socketPath = socket().toStdString();
    std::string script = "#!/bin/sh\n# ./judge TOOL ['ARGUMENTS']: calls a tool of the judge.\nexec";
    for (const json& word : command)
        script += " '" + word.get<std::string>() + "'";
    script += " call '" + socketPath + "' \"$@\"\n";
    command.push_back("connect");
    command.push_back(socketPath);
    json server = {{"command", command[0]}, {"args", json::array()}};
    for (auto word = command.begin() + 1; word != command.end(); ++word)
        server["args"].push_back(*word);
    json gemini = server, claude = server;
    claude["type"] = "stdio";
    gemini["trust"] = true;
    gemini["timeout"] = toolTimeout_ms;
    const std::string toml =
        "[mcp]\nenabled = true\nauto_start = true\n\n[[mcp.servers]]\nname = \"cudal1\"\nenabled = "
        "true\ncommand = " +
        command[0].dump() + "\nargs = " + server["args"].dump() + "\n";
    const std::pair<const char*, std::string> files[] = {
        {".mcp.json", dumped({{"mcpServers", {{"cudal1", claude}}}})},
        {".gemini/settings.json", dumped({{"mcpServers", {{"cudal1", gemini}}}})},
        {"opencode.json",
         dumped({{"$schema", "https://opencode.ai/config.json"},
                 {"mcp",
                  {{"cudal1",
                    {{"type", "local"}, {"command", command}, {"enabled", true}, {"timeout", toolTimeout_ms}}}}}})},
        {"gptme.toml", toml}};
    for (const auto& [name, text] : files)
        if (const auto done = write(QString::fromUtf8(name), text); !done)
            return done;
    return write(QStringLiteral("judge"), script, true);
}

std::vector<models::Placeholder> Workspace::placeholders() const
{
    const QStringList program = agentProgram();
    return {{QStringLiteral("prompt"), QString::fromStdString(promptOfAgent())},
            {QStringLiteral("workspace"), m_path},
            {QStringLiteral("mcp_config"), m_path + QStringLiteral("/.mcp.json")},
            {QStringLiteral("mcp_program"), program.value(0)},
            {QStringLiteral("mcp_socket"), socket()}};
}

base::Result<std::string> Workspace::read(const std::string& name) const
{
    const QString path = QFileInfo(QDir(m_path), QString::fromStdString(name)).canonicalFilePath(); // without links
    if (path.isEmpty())
        return wrong("There is no file " + name.substr(0, 200) + " in the workspace",
                     "Write it first, or send its source");
    const QFileInfo info(path);
    if (!path.startsWith(m_path + QLatin1Char('/')) || !info.isFile())
        return wrong("\"file\" names a file of the workspace", "The workspace is the folder with TASK.md");
    if (info.size() > mostSourceBytes)
        return wrong("The file is longer than a mebibyte");
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return wrong("The file cannot be read: " + file.errorString().toStdString());
    const QByteArray bytes = file.read(mostSourceBytes + 1);
    if (QString::fromUtf8(bytes).toUtf8() != bytes)
        return wrong("The file is no text in UTF-8");
    return bytes.toStdString();
}

} // namespace cudal1::agents
