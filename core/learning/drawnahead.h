// SPDX-License-Identifier: GPL-3.0-or-later
// The folder DIR/ahead of a training: batches whose replies were drawn before the one before them was learnt from. A
// training that goes on has other weights by then, so it takes up the replies and draws no others.
#pragma once

#include "core/base/result.h"
#include "core/learning/groupsampler.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::learning {

/// Keeps the replies to a batch, whole or not at all, and removes batches that nothing can go on with any more: those
/// before `number` - 1 that are not the next one of a checkpoint.
base::Status keepDrawn(const std::string& folder, int number, const std::vector<SampledGroup>& groups);
/// The same groups, not judged; none where there is no such batch, where the file makes no sense, and where its tasks
/// are not these or its groups have not as many replies.
std::optional<std::vector<SampledGroup>> drawnBefore(const std::string& folder, int number,
                                                     const std::vector<store::TaskRecord>& tasks, int replies);

} // namespace cudal1::learning
