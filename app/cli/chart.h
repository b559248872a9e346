// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the command line asks for a painted chart, which needs fonts.
#pragma once

namespace cudal1::cli {

/// Before the command line is parsed properly: true when the program has to be a QGuiApplication.
bool paintsChart(int argc, char** argv);

} // namespace cudal1::cli
