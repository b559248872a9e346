// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the preset `paper`.
#pragma once

#include "app/cli/commandsettings.h"
#include "core/base/result.h"
#include "core/protocol/messages.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>

namespace cudal1::cli {

QList<QCommandLineOption> paperOptions();
/// An error names the option or the word that is wrong. Options of this preset are refused with another.
base::Result<protocol::PaperRules> paperRules(const QCommandLineParser& parser, const CommandSettings& settings);

} // namespace cudal1::cli
