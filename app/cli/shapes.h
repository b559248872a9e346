// SPDX-License-Identifier: GPL-3.0-or-later
// What a task is by its shapes alone, for tasks that no suite's facts describe.
#pragma once

#include "app/cli/client.h"
#include "app/cli/context.h"

#include <memory>

namespace cudal1::cli {

/// Has the evaluator run a task once on a device, with `sentence` on the live line meanwhile.
base::Result<std::shared_ptr<const protocol::OperatorGraph>> traceOnce(Context& context, Client& client,
                                                                       const protocol::TaskSource& task,
                                                                       const std::string& device,
                                                                       const std::string& sentence);

/// Has the evaluator run the task once on the device "meta", which computes nothing and takes no memory however large
/// the task is, and keeps the graph in `project` where there is one. An error is of the task, or of the evaluator.
base::Result<std::shared_ptr<const protocol::OperatorGraph>>
traceShapes(Context& context, Client& client, const store::TaskRecord& task, store::Project* project);

} // namespace cudal1::cli
