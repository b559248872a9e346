// SPDX-License-Identifier: GPL-3.0-or-later
// The command that does what a job of the window does.
#pragma once

#include <QString>

namespace cudal1::ui {

struct JobRequest;

/// As one would type it into a shell; empty where the command has nothing that does just this. Of several devices it
/// names all; of an evaluator elsewhere it begins with the variable that says how that is started.
QString commandLine(const JobRequest& request, const QString& project);

} // namespace cudal1::ui
