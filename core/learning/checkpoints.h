// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the checkpoints in a training's folder, and compares policies on tasks that no training has learnt from.
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
    int step = 0;                ///< how many updates were made
    int batch = 0;               ///< the number of the batch that comes next, from 0
    std::uint64_t bytes = 0;     ///< of the files that lie in the folder itself
    std::int64_t written_ms = 0; ///< when it was written, milliseconds since 1970, UTC
    bool isBest = false;         ///< best.json of the training names it
};
/// The whole checkpoints in a training's folder, the oldest first. Empty where there are none, or no such folder.
std::vector<CheckpointFacts> checkpointsOf(const std::string& folder);

/// What a policy, or one checkpoint of a model, came to on the tasks that are compared.
struct ComparedPolicy {
    std::string policy;        ///< its name in samples
    std::string version;       ///< the checkpoint's folder, or what the policy says of itself; may be empty
    int tasks = 0;             ///< how many tasks it has answered
    int replies = 0;           ///< how many replies it gave to them
    int correct = 0;           ///< how many of these were correct
    int faster = 0;            ///< how many were correct with a reward above 1.01
    int exploits = 0;          ///< how many had the verdict `exploit`
    base::Interval success;    ///< share of correct replies of a task, as the mean over tasks; from 0 to 1
    base::Interval gained;     ///< share of the tasks with a reply that is `faster`; from 0 to 1
    double reward = 0;         ///< the mean over replies that have a reward; 0 where none has
    std::int64_t first_ms = 0; ///< when its first reply came, milliseconds since 1970, UTC
};
/// One row for each policy and version, in the order of their first replies. First answers alone count: replies of
/// further turns and repairs are left out, and so are replies to the tasks `learnt`.
std::vector<ComparedPolicy> comparePolicies(const std::vector<optimize::SampleFacts>& samples,
                                            const std::set<base::TaskId>& learnt);

/// A share of `count` observations with its 95 % interval by Wilson's formula; the interval is 0 to 1 where there are
/// none. Callers count a task as one observation, since replies to one task are alike.
base::Interval shareInterval(double share, int count);

} // namespace cudal1::learning
