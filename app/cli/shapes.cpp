// SPDX-License-Identifier: GPL-3.0-or-later
// The trace on the device "meta" and its place in the project.
#include "app/cli/shapes.h"

#include "core/taskfacts/taskfacts.h"

namespace cudal1::cli {

base::Result<std::shared_ptr<const protocol::OperatorGraph>> traceOnce(Context& context, Client& client,
                                                                       const protocol::TaskSource& task,
                                                                       const std::string& device,
                                                                       const std::string& sentence)
{
    protocol::GraphRequest request;
    request.task = task;
    request.device = device;
    request.seed = context.settings().seed ? context.settings().seed : farm::freshSeed();
    context.terminal().live(sentence);
    auto graph = client.graph(request,
                              [&](const protocol::Progress& progress) { context.terminal().live(progress.text); });
    context.terminal().clearLive();
    return graph;
}

base::Result<std::shared_ptr<const protocol::OperatorGraph>>
traceShapes(Context& context, Client& client, const store::TaskRecord& task, store::Project* project)
{
    auto graph = traceOnce(context, client, {task.id.value, task.source}, "meta",
                           "Running the task once on its shapes alone …");
    // A project that cannot be written costs a trace each time, and says so where something is to be stored.
    if (graph && project)
        (void)taskfacts::keepShapes(*project, task.hash, **graph);
    return graph;
}

} // namespace cudal1::cli
