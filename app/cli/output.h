// SPDX-License-Identifier: GPL-3.0-or-later
// Writes what a verb was asked to write: files, and the standard output.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <string_view>

namespace cudal1::cli {

/// To `path`, or to the standard output for "-". A file that was there stays whole when the disk is full; what is no
/// file, such as a pipe, is written into. `what` is for the error: "The chart". Unavailable with the cause and `next`
/// as the next step.
base::Status write(const QString& path, std::string_view bytes, const char* what,
                   const char* next = "Choose another place with -o");

/// Unavailable when anything printed so far did not arrive: the disk behind it is full, say. A reader that has gone
/// ends the program.
base::Status flushOutput();

} // namespace cudal1::cli
