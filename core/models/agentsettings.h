// SPDX-License-Identifier: GPL-3.0-or-later
// A named coding agent: a command line that works in a folder, as the user has set it up.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <QString>
#include <QStringList>

#include <string>
#include <utility>
#include <vector>

namespace cudal1::models {

struct AgentSettings {
    std::string name; ///< that the user gives it, as of an endpoint; no other model has the same
    /// With placeholders in braces, see placeholders(). Double quotes group words, three of them in a row are one.
    std::string command;
    bool shell = false;                 ///< `command` is a line for /bin/sh, where placeholders are words quoted for it
    double minutes = 30;                ///< that one session may take, without what it waits for the judge; above 0
    int evaluations = 10;               ///< that one session may ask for; from 1
    std::vector<std::string> variables; ///< of the environment, that it gets besides the usual ones
    bool keepWorkspace = false;         ///< its folder is not removed after the session
};

/// Ready-made commands by the name of their program: "claude", "codex", "gemini", "gptme", "opencode". Empty for
/// others.
std::string agentTemplate(const std::string& program);
std::vector<std::string> agentTemplateNames();

/// What stands in place of a placeholder: {"prompt", "Read TASK.md …"}.
using Placeholder = std::pair<QString, QString>;
/// prompt, workspace, mcp_config, mcp_program, mcp_socket.
QStringList placeholderNames();
/// The words of the command; of a shell, {"/bin/sh", "-c", line}. A placeholder without a value stays as it is.
QStringList commandWords(const AgentSettings& settings, const std::vector<Placeholder>& values);
/// Where its program is: of a shell, the shell. NotFound, with the next step, where PATH has none.
base::Result<QString> findProgram(const AgentSettings& settings);

/// InvalidArgument with the first thing that is wrong. Whether the program is there is not looked at.
base::Status check(const AgentSettings& settings);
/// What is the default is left out.
nlohmann::json toJson(const AgentSettings& settings);
/// InvalidArgument, naming the field, for what is no such object; checked as by check().
base::Result<AgentSettings> agentOf(const nlohmann::json& object);

} // namespace cudal1::models
