// SPDX-License-Identifier: GPL-3.0-or-later
// Where a task's operator graph lies in Project::cache: the optimise loop writes it, the task page reads it.
#pragma once

#include "core/protocol/messages.h"

#include <string>

namespace cudal1::store {

/// A graph holds times, so it belongs to a device model, a precision, and the versions that traced it.
inline std::string graphKey(const protocol::Environment& environment, const std::string& taskHash,
                            const std::string& deviceModel, protocol::Precision precision)
{
    return "graph/1/" + environment.evaluator + "/" + taskHash + "/" + deviceModel + "/" +
           std::string(protocol::toString(precision)) + "/" + environment.torch;
}

/// Where it says which graph of a task was traced last: {"key": graphKey(), "device": model, "precision": word}.
inline std::string newestGraphKey(const std::string& taskHash)
{
    return "newest-graph/1/" + taskHash;
}

/// Where the graph of a task lies that was traced for its shapes and not for times.
inline std::string shapesKey(const std::string& taskHash)
{
    return "shapes/1/" + taskHash;
}

} // namespace cudal1::store
