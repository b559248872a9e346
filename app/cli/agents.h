// SPDX-License-Identifier: GPL-3.0-or-later
// Coding agents on the command line.
#pragma once

#include "core/models/agentsettings.h"

#include <QCommandLineParser>
#include <QString>

#include <nlohmann/json_fwd.hpp>

namespace cudal1::cli {

class Context;

/// `cudal1 models add NAME --agent COMMAND`; returns the exit status.
int addAgent(Context& context, const QCommandLineParser& options, const QString& name);
/// `cudal1 models test NAME` of an agent: is its program there, does it start, within `limit_s`.
int testAgent(Context& context, const models::AgentSettings& settings, double limit_s);
/// With where its program is.
nlohmann::json jsonOf(const models::AgentSettings& agent);

} // namespace cudal1::cli
