// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment came to: one result a run, one row a policy and method, as the paper's tables 5 and 11 have them.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/statistics.h"
#include "core/store/project.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::experiment {

/// Where a run stood when one more of its replies was judged, or found to be of no use.
struct CellStep {
    int samples = 0;                       ///< so many replies so far
    std::int64_t tokens = 0;               ///< of prompts and replies
    std::map<std::string, double> costs{}; ///< by unit
    double score = 0;                      ///< highest reward so far; 0 where none is correct
};

/// One run, of one policy by one method for one task with one seed.
struct CellResult {
    std::size_t arm = 0; ///< place in ExperimentPlan::arms()
    base::TaskId task;
    int level = 0;
    std::uint64_t seed = 0;
    base::RunId run;       ///< none: not begun
    bool done = false;     ///< it came to its end; only then it counts
    std::string trouble{}; ///< why it did not
    /// Highest reward of its samples (optimize::rewardOf): the best of its replies, 0 where none is correct.
    double score = 0;
    bool correct = false;              ///< a sample is
    bool correctWithoutRepair = false; ///< one that is no repair is
    base::VariantId best{};
    int samples = 0, unusable = 0, repairs = 0, mended = 0; ///< mended: repairs that are correct
    std::int64_t promptTokens = 0, replyTokens = 0;         ///< a prompt counts once for the replies that share it
    std::map<std::string, double> costs{};                  ///< by unit
    std::vector<CellStep> steps{};                          ///< one a reply that was judged, in order
    bool heldOut = false;                                   ///< its task is one from which nothing is learned
};

/// Fills in what the samples of `result.run` came to on the device model at the precision.
base::Status readResult(const store::Project& project, const std::string& deviceModel, protocol::Precision precision,
                        CellResult& result);

/// The paper's columns: failures enter mean and quartiles as 0, as there.
struct ExperimentRow {
    std::size_t arm = 0;
    std::optional<int> level;      ///< none: all levels
    std::optional<bool> heldOut{}; ///< none: tasks of both kinds
    int planned = 0;               ///< runs
    int runs = 0;                  ///< that are done
    int success = 0, successWithoutRepair = 0;
    int improved = 0; ///< scores above 1.01
    double mean = 0, maximum = 0, upperQuartile = 0, median = 0, lowerQuartile = 0;
    double geometricMean = 0;               ///< of the successful ones
    int seeds = 0;                          ///< that have runs which are done
    double lowestMean = 0, highestMean = 0; ///< over the seeds, each with its own mean
    /// Over the seeds, each with its own share or mean, the interval by Student's distribution
    /// (base::meanWithInterval), cut where no
    /// share or score can be.
    base::Interval successBySeed, improvedBySeed, meanBySeed;
    int samples = 0, unusable = 0, repairs = 0, mended = 0;
    std::int64_t promptTokens = 0, replyTokens = 0;
    std::map<std::string, double> costs;
};

/// For each arm a row over all, then, where there are several levels, one for each; in the order of the arms.
std::vector<ExperimentRow> rowsOf(const std::vector<CellResult>& results, std::size_t arms);

/// The same of the tasks to learn from, and then of the held-out ones; empty where there are only tasks of one kind.
std::vector<ExperimentRow> rowsBySplit(const std::vector<CellResult>& results, std::size_t arms);

} // namespace cudal1::experiment
