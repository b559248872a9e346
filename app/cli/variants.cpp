// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 variants TASK`: the variants of a task, best first.
#include "app/cli/context.h"
#include "app/cli/rows.h"
#include "app/cli/verbs.h"

namespace cudal1::cli {

int variants(Context& context, const QCommandLineParser&, const QStringList& arguments)
{
    const auto project = context.project();
    if (!project)
        return context.fail(project.error());
    // A task that the project knows needs no suite to be listed; a suite that is named says which version is meant.
    base::TaskId id{arguments[0].toStdString()};
    if (!context.settings().suite.empty() || !(*project)->task(id)) {
        const auto task = context.task(arguments[0]);
        if (!task)
            return context.fail(task.error());
        id = task->id;
    }
    const auto rows = (*project)->variantRows(id);
    if (!rows)
        return context.fail(rows.error());
    if (context.settings().json)
        context.printJson({{"task", id.value}, {"variants", toJson(*rows)}});
    context.terminal().print(variantsTable(context.terminal(), *rows));
    if (rows->empty())
        context.terminal().print("`cudal1 optimize " + id.value + "` makes some.");
    return Done;
}

} // namespace cudal1::cli
