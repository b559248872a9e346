// SPDX-License-Identifier: GPL-3.0-or-later
// Models on this machine on the command line.
#pragma once

#include <QCommandLineParser>
#include <QString>

namespace cudal1::cli {

class Context;

/// `cudal1 models add NAME --path PATH`; returns the exit status.
int addLocalModel(Context& context, const QCommandLineParser& options, const QString& name);

} // namespace cudal1::cli
