// SPDX-License-Identifier: GPL-3.0-or-later
// How good a checkpoint is on tasks: at one reply and at all of them, with intervals over tasks.
#pragma once

#include "core/base/statistics.h"

#include <cstdint>
#include <vector>

namespace cudal1::learning {

/// Of each task first the share of its replies (at one) or whether any of them is (at many), then the mean over tasks;
/// its 95 % interval is the percentile bootstrap over tasks, since tasks differ more than replies do.
struct CheckpointScores {
    int tasks = 0;
    base::Interval successAtOne, successAtMany; ///< correct
    base::Interval fasterAtOne, fasterAtMany;   ///< rewards above 1.01
    base::Interval reward, best;                ///< mean of the rewards, and of the best of each task; failures are 0

    /// The replies to one task; nothing for none.
    void add(const std::vector<bool>& correct, const std::vector<double>& rewards);
    void finish(std::uint64_t seed); ///< fills in the intervals

private:
    std::vector<double> m_successAtOne, m_successAtMany, m_fasterAtOne, m_fasterAtMany, m_reward, m_best;
};

/// Mean with the percentile bootstrap's 95 % interval; the same for the same seed. Zeros for none.
base::Interval bootstrapMean(const std::vector<double>& values, std::uint64_t seed);

} // namespace cudal1::learning
