// SPDX-License-Identifier: GPL-3.0-or-later
// The agent's end of its way to the judge: a Unix socket that is private to its workspace.
#pragma once

#include <string>

namespace cudal1::agent {

/// Carries lines between the standard input and output and the socket until either side ends. The exit status.
int connectTo(const std::string& socket);
/// Calls one tool, for agents that know shells and no MCP: prints its answer. `arguments`: a JSON object. 1 where the
/// tool answers with an error.
int callTool(const std::string& socket, const std::string& tool, const std::string& arguments);

} // namespace cudal1::agent
