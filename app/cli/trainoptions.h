// SPDX-License-Identifier: GPL-3.0-or-later
// Options of `cudal1 train`.
#pragma once

#include "core/learning/stageoptions.h"

#include <QCommandLineOption>
#include <QCommandLineParser>
#include <QList>

namespace cudal1::cli {

class Context;

QList<QCommandLineOption> trainOptions();

/// Of a stage; checked.
base::Result<learning::StageOptions> readStage(const Context& context, const QCommandLineParser& parser,
                                               learning::Stage stage);

} // namespace cudal1::cli
