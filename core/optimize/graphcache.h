// SPDX-License-Identifier: GPL-3.0-or-later
// Operator graphs in the project's cache, so that a reference is traced once.
#pragma once

#include "core/base/result.h"
#include "core/protocol/messages.h"
#include "core/store/project.h"

#include <memory>
#include <string>

namespace cudal1::optimize {

/// The graph under `key` (store::graphKey); null when there is none, Unreadable when it is to be traced again.
base::Result<std::shared_ptr<const protocol::OperatorGraph>> cachedGraph(const store::Project& project,
                                                                         const std::string& key);

struct GraphPlace {
    std::string key; ///< store::graphKey
    std::string taskHash, deviceModel;
    protocol::Precision precision = protocol::Precision::Kernelbench;
};

/// Keeps it under the key, and notes it as the task's newest (store::newestGraphKey), for views.
base::Status keepGraph(store::Project& project, const GraphPlace& place, const protocol::OperatorGraph& graph);

} // namespace cudal1::optimize
