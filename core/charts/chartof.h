// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a project: which there are, what can be chosen about each, and their numbers.
#pragma once

#include "core/base/result.h"
#include "core/charts/chart.h"
#include "core/charts/oneversion.h"
#include "core/rejudge/publishedclaims.h"
#include "core/store/project.h"

#include <map>
#include <set>
#include <span>
#include <string_view>

namespace cudal1::charts {

enum class ChartKind {
    Distribution,
    Percentiles,
    FastP,
    Baselines,
    Effects,
    Techniques,
    Progress,
    Devices,
    Claims,
    ClaimedMeans
};

struct KindInfo {
    ChartKind kind;
    std::string_view id;   ///< "fastp"
    std::string_view what; ///< one line for the list of kinds
};
std::span<const KindInfo> kinds();
const KindInfo* findKind(std::string_view id); ///< null for an unknown one

using rejudge::Failures;

/// What stands for a task on one side of the scatter: "best" (its best variant), "baseline:compile", "claimed:SOURCE"
/// (what was published, by their clock on their device) or "found:ORIGIN" (the best variant of that origin, judged
/// here).
using ContenderId = std::string;

struct Choices {
    Failures failures =
        Failures::One;       ///< how tasks without a correct variant enter; distribution, percentiles, devices, claims
    ContenderId x, y;        ///< of the scatter; empty: the first baseline there is, and the best variant
    std::string deviceModel; ///< scatter, effects and claims; empty: that with most results
    base::RunId run;         ///< progress; none: the whole project, or its one run that optimised
};

struct Option {
    std::string id;
    QString name;
    int tasks = 0; ///< that have it
};

/// Everything that the charts are made of. Reading it is for a worker; making charts of it takes milliseconds.
struct Numbers {
    std::vector<store::TaskRow> tasks; ///< of one version of the dataset: see oneVersion()
    QString leftOut;                   ///< what does not belong to it, as a sentence
    std::vector<store::ResultGroup> groups;
    std::vector<store::VariantRow> baselines;
    std::vector<store::ClaimRecord> claims;
    std::map<std::pair<base::VariantId, base::VariantId>, base::Interval>
        versus;                         ///< of the scatter's pairs, as `compare` has them
    std::vector<store::RunRecord> runs; ///< that optimised, newest first
    rejudge::PublishedClaims published; ///< of all publications, whatever version of a task their rows are of
    base::RunId run;                    ///< that `results` are of
    std::vector<store::RunResult> results;
    std::vector<store::Improvement> improvements; ///< read where there is no run
};

/// Keeps to the tasks that `counts` leaves; takes no time.
Numbers numbersOf(std::vector<store::TaskRow> tasks, const std::function<bool(const store::TaskRow&)>& preferred = {});
/// Reads what `kind` needs besides the tasks: nothing for distribution, percentiles and fast_p.
base::Status read(const store::Project& project, ChartKind kind, const Choices& choices, Numbers& numbers);

Chart chartOf(ChartKind kind, const Numbers& numbers, const Choices& choices = {});
/// The histogram of one task: its correct variants by their speed-ups.
Chart variantDistribution(const store::TaskRow& task, std::span<const double> speedups);
/// Reads and makes. `texts`: hashes of the tasks of the suite whose version is wanted; empty: see oneVersion().
base::Result<Chart> chartOf(const store::Project& project, ChartKind kind, const Choices& choices = {},
                            const std::set<std::string>& texts = {});

/// What can stand on an axis of the scatter, of the numbers that were read for it.
std::vector<Option> contenders(const Numbers& numbers);
/// The ORIGIN of "found:ORIGIN": a variant's own, and one for the combinations of all ablations.
std::string contenderOf(const std::string& origin);
/// Fills in what was left open of the scatter's axes, where there is something to fill it with.
void completeScatter(const Numbers& numbers, Choices& choices);
/// Device models with results, those with most tasks first.
std::vector<Option> devices(const Numbers& numbers);
std::vector<Option> runs(const Numbers& numbers);

/// The percentile table by rule: one line for all tried tasks, then one a level.
struct LevelPercentiles {
    std::optional<int> level; ///< empty: all; 0: single files
    int tried = 0, correct = 0;
    int gains = 0;     ///< above 1.01 by what a task counts as in the means, where a questioned gain is 1
    int clear = 0;     ///< of these, with the whole interval above 1.01 …
    int trueGains = 0; ///< … and of these, at the reference's precision (Merit::Gain)
    int counted = 0;   ///< in the statistics, which are 0 for none
    double mean = 0, geometricMean = 0, maximum = 0, upperQuartile = 0, median = 0, lowerQuartile = 0;
};
std::vector<LevelPercentiles> levelLines(std::span<const store::TaskRow> tasks, Failures rule);

QString levelName(int level);    ///< "level 1", "files"
QString ruleName(Failures rule); ///< "counted as 1×"
QString ruleText(Failures rule); ///< what a task counts as in means and quartiles, in a sentence

} // namespace cudal1::charts
