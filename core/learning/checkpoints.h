// SPDX-License-Identifier: GPL-3.0-or-later
// The checkpoints in a training's folder, and how policies do on tasks that nothing was learnt from.
#pragma once

#include "core/base/result.h"
#include "core/base/statistics.h"
#include "core/optimize/samplefacts.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace cudal1::learning {

struct CheckpointFacts {
    std::string name; ///< "step-000020"
    std::string path;
    int step = 0;  ///< updates made
    int batch = 0; ///< that is to come next
    std::uint64_t bytes = 0;
    std::int64_t written_ms = 0; ///< since 1970
    bool isBest = false;
};
/// Whole ones, the oldest first; none for a folder without any.
std::vector<CheckpointFacts> checkpointsOf(const std::string& folder);

/// One who was asked: a policy, or one checkpoint of a model.
struct ComparedPolicy {
    std::string policy;  ///< as samples name it
    std::string version; ///< the checkpoint's folder, or what the policy tells; may be empty
    int tasks = 0, replies = 0, correct = 0, faster = 0, exploits = 0;
    base::Interval success; ///< share of correct replies: the mean over tasks
    base::Interval gained;  ///< share of tasks with a reply above 1.01
    double reward = 0;      ///< mean over replies that have one
    std::int64_t first_ms = 0;
};
/// Of replies that are no repairs, to tasks that are not among `learnt`; in the order of their first replies.
std::vector<ComparedPolicy> comparePolicies(const std::vector<optimize::SampleFacts>& samples,
                                            const std::set<base::TaskId>& learnt);

/// The 95 % interval of a share by Wilson's formula; `count` observations, 0 to 1 for none. Replies to one task are
/// alike, so a task counts as one observation.
base::Interval shareInterval(double share, int count);

} // namespace cudal1::learning
