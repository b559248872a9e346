// SPDX-License-Identifier: GPL-3.0-or-later
// What agents are told.
#pragma once

#include "core/models/agentsettings.h"
#include "core/policy/policy.h"

#include <string>

namespace cudal1::agents {

/// On the command line of the agent.
std::string promptOfAgent();
/// TASK.md
std::string taskPage(const policy::Prompt& prompt, const models::AgentSettings& settings, int evaluations);
/// JUDGE.md
std::string judgePage(const policy::Prompt& prompt);

} // namespace cudal1::agents
