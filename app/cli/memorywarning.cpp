// SPDX-License-Identifier: GPL-3.0-or-later
// The forecast of memory as a warning.
#include "app/cli/memorywarning.h"

#include "core/taskfacts/taskfacts.h"

#include <QCoreApplication>

namespace cudal1::cli {

std::filesystem::path bundledFolder()
{
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    return folder ? *folder : std::filesystem::path();
}

void warnOfMemory(Context& context, const tasks::Task& task, const store::Project& project, const protocol::DeviceInfo& device)
{
    const std::string warning = taskfacts::memoryWarning(taskfacts::gather({recordOf(task), bundledFolder(), device}, &project));
    if (!warning.empty())
        context.terminal().complain("cudal1: warning: " + warning + ". It is tried all the same.");
}

} // namespace cudal1::cli
