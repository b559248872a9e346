// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 train --example`: the three stages with a tiny model.
#pragma once

#include <QCommandLineParser>

namespace cudal1::cli {

class Context;

/// Returns the exit status.
int trainExample(Context& context, const QCommandLineParser& options);

} // namespace cudal1::cli
