// SPDX-License-Identifier: GPL-3.0-or-later
// Which tasks programs are collected for, or a policy learns from.
#pragma once

#include "core/base/result.h"
#include "core/store/project.h"
#include "core/tasks/suite.h"

#include <QCommandLineParser>

#include <vector>

namespace cudal1::cli {

class Context;

/// The tasks that the arguments name, and how many held-out tasks of whole suites were left out.
struct ChosenTasks {
    std::vector<store::TaskRecord> tasks;
    std::size_t leftOut = 0;
};

/// Of --tasks and --level; the training split of the suite where none is named. A held-out task that is named is
/// refused unless `heldOut`.
base::Result<ChosenTasks> chosenTasks(Context& context, const QCommandLineParser& parser, const tasks::Suite& bundled,
                                      bool heldOut);

/// LEVEL/ID, files and folders of tasks, with commas between, whatever split they are of.
base::Result<std::vector<store::TaskRecord>> tasksOf(Context& context, const QString& text);

} // namespace cudal1::cli
