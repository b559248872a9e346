// SPDX-License-Identifier: GPL-3.0-or-later
// The forecast of memory as a warning.
#include "app/cli/fitwarning.h"

#include "app/cli/shapes.h"
#include "core/taskfacts/taskfacts.h"

#include <QCoreApplication>

namespace cudal1::cli {

std::filesystem::path bundledFolder()
{
    const auto folder = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString());
    return folder ? *folder : std::filesystem::path();
}

void warnOfMemory(Context& context, Client& client, const store::TaskRecord& task, store::Project& project,
                  const protocol::DeviceInfo& device)
{
    const taskfacts::FactsQuestion question{task, bundledFolder(), device};
    taskfacts::TaskFacts facts = taskfacts::gather(question, &project);
    if (!facts.program && traceShapes(context, client, task, &project))
        facts = taskfacts::gather(question, &project);
    const std::string warning = taskfacts::memoryWarning(facts);
    if (!warning.empty())
        context.terminal().complain("cudal1: warning: " + warning + ". It is tried all the same.");
}

} // namespace cudal1::cli
