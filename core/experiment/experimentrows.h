// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment came to: a result for each run, and a row for each policy and method, as the paper's tables 5 and
// 11 have them. An *arm* is a policy asked by one method; a *score* is a reward of the paper's kind, a speed-up.
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

/// How far a run was after one more of its replies was judged, or found to hold no program.
struct CellStep {
    int samples = 0;                       ///< replies so far
    std::int64_t tokens = 0;               ///< tokens of prompts and replies so far
    std::map<std::string, double> costs{}; ///< cost so far, by unit: "USD", "GPU s"
    double score = 0;                      ///< highest reward so far; 0 while none is correct
};

/// What one run came to: one arm, for one task, with one seed.
struct CellResult {
    std::size_t arm = 0; ///< place in ExperimentPlan::arms()
    base::TaskId task;
    int level = 0;
    std::uint64_t seed = 0;
    base::RunId run;       ///< none while it was not begun
    bool done = false;     ///< it came to its end. Other runs do not count in rows, but for what they cost
    std::string trouble{}; ///< why it did not come to its end; may be empty
    /// The highest reward of its samples (optimize::rewardOf), which is that of its best reply; 0 where none is
    /// correct.
    double score = 0;
    bool correct = false;              ///< at least one of its samples is correct
    bool correctWithoutRepair = false; ///< at least one that is no repair is correct
    base::VariantId best{};            ///< the variant of the sample with the highest reward; none without one
    int samples = 0;                   ///< how many replies it has
    int unusable = 0;                  ///< how many of them hold no program
    int repairs = 0;                   ///< how many were asked to mend an earlier reply
    int mended = 0;                    ///< how many repairs are correct
    std::int64_t promptTokens = 0, replyTokens = 0; ///< prompts count as in optimize::SampleSum
    std::map<std::string, double> costs{};          ///< by unit
    std::vector<CellStep> steps{};                  ///< one for each sample that was judged, in order
    bool heldOut = false;                           ///< nothing is learned from its task
};

/// Fills in what the samples of `result.run` came to on this device model at this precision. What the store says where
/// it cannot be read.
base::Status readResult(const store::Project& project, const std::string& deviceModel, protocol::Precision precision,
                        CellResult& result);

/// How a run enters means, quartiles and extremes.
enum class Counting {
    AsScored,  ///< with its score, a failure with 0, as in the paper; the geometric mean is that of the correct runs
    AtLeastOne ///< by countedScore(), as in the curves, and so the geometric mean is that of all runs
};
/// A run that failed counts as 1, and so does one whose best is slower than the reference, since one would keep the
/// reference.
double countedScore(double score);
/// The same rule as a sentence.
std::string countedScoreText();

/// An arm over many tasks and seeds, in the columns of the paper.
struct ExperimentRow {
    std::size_t arm = 0;                       ///< place in ExperimentPlan::arms()
    std::optional<int> level;                  ///< of its tasks; none: all levels
    std::optional<bool> heldOut{};             ///< of its tasks; none: both kinds
    int planned = 0;                           ///< how many runs there are to be
    int runs = 0;                              ///< how many of them are done. The next lines count these alone
    int success = 0, successWithoutRepair = 0; ///< runs that are correct, as CellResult has it
    int improved = 0;                          ///< runs with a score above 1.01
    double mean = 0, maximum = 0, upperQuartile = 0, median = 0, lowerQuartile = 0; ///< as Counting says
    double geometricMean = 0;                                                       ///< of the runs that Counting says
    int seeds = 0;                          ///< how many seeds have a run that is done
    double lowestMean = 0, highestMean = 0; ///< the lowest and the highest of the seeds' own means
    /// The mean over the seeds of each one's own share, or mean score, with its interval by Student's distribution
    /// (base::meanWithInterval). An interval ends at the least that a run can count as, and that of a share at 0 and 1.
    base::Interval successBySeed, improvedBySeed, meanBySeed;
    // Sums over all runs that were begun, since what was asked for was paid for.
    int samples = 0, unusable = 0, repairs = 0, mended = 0;
    std::int64_t promptTokens = 0, replyTokens = 0;
    std::map<std::string, double> costs; ///< by unit
};

/// For each of `arms` arms, in their order: a row over all its results, and then one for each level, where there are
/// several.
std::vector<ExperimentRow> rowsOf(const std::vector<CellResult>& results, std::size_t arms,
                                  Counting counting = Counting::AsScored);

/// The same rows for the tasks that are learned from, and then for the held-out ones. Empty where all tasks are of one
/// kind.
std::vector<ExperimentRow> rowsBySplit(const std::vector<CellResult>& results, std::size_t arms);

} // namespace cudal1::experiment
