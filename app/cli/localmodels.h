// SPDX-License-Identifier: GPL-3.0-or-later
// Models on this machine on the command line.
#pragma once

#include "core/models/localsettings.h"

#include <nlohmann/json.hpp>

#include <QCommandLineParser>
#include <QString>

namespace cudal1::cli {

class Context;

/// The model as `--json` shows it.
nlohmann::json jsonOf(const models::LocalSettings& model);
/// `cudal1 models add NAME --path PATH`; returns the exit status.
int addLocalModel(Context& context, const QCommandLineParser& options, const QString& name);

} // namespace cudal1::cli
