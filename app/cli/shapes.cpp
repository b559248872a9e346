// SPDX-License-Identifier: GPL-3.0-or-later
// The trace on the device "meta" and its place in the project.
#include "app/cli/shapes.h"

#include "core/taskfacts/taskfacts.h"

namespace cudal1::cli {

base::Result<std::shared_ptr<const protocol::OperatorGraph>> traceShapes(Context& context, Client& client, const tasks::Task& task,
                                                                        store::Project* project)
{
    protocol::GraphRequest request;
    request.task = {task.id.value, task.source};
    request.device = "meta";
    request.seed = context.settings().seed ? context.settings().seed : farm::freshSeed();
    context.terminal().live("Running the task once on its shapes alone …");
    auto graph = client.graph(request, [&](const protocol::Progress& progress) { context.terminal().live(progress.text); });
    context.terminal().clearLive();
    // A project that cannot be written costs a trace each time, and says so where something is to be stored.
    if (graph && project)
        (void)taskfacts::keepShapes(*project, task.hash, **graph);
    return graph;
}

} // namespace cudal1::cli
