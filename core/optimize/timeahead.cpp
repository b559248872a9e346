// SPDX-License-Identifier: GPL-3.0-or-later
// Times and counts of earlier searches.
#include "core/optimize/timeahead.h"

#include "core/base/statistics.h"
#include "core/crew/usualtimes.h"
#include "core/optimize/options.h"

#include <algorithm>
#include <vector>

namespace cudal1::optimize {

namespace {

constexpr std::size_t mostOwn = 3, mostOthers = 9; ///< searches that are looked at: the newest say most

/// Of a search that has judged something.
struct Earlier {
    SearchOptions options;
    std::string policy;
    double judging_s = 0; ///< one evaluation, with what came before it and between
    int judged = 0;
};

/// The newest searches that `wanted` takes, at most `most`.
template<class Wanted>
std::vector<Earlier> newest(const store::Project& project, std::size_t most, const Wanted& wanted)
{
    std::vector<Earlier> out;
    const auto runs = project.runs();
    for (const store::RunRecord& run : runs ? *runs : std::vector<store::RunRecord>()) {
        if (out.size() == most)
            break;
        if (run.kind != runKind)
            continue;
        const auto options = optionsFromJson(run.parameters);
        if (!options || !wanted(run, *options))
            continue;
        const auto results = project.runResults(run.id);
        const auto notes = readNotes(project, run.id);
        if (results && notes && !results->empty() && notes->spent_s > 0)
            out.push_back(
                {*options, policyOf(run.parameters), notes->spent_s / double(results->size()), int(results->size())});
    }
    return out;
}

} // namespace

double expectedJudging_s(const store::Project& project, const base::TaskId& task, const std::string& device,
                         protocol::Preset preset)
{
    const auto fits = [&](const SearchOptions& options) {
        return options.device == device && options.preset == preset;
    };
    std::vector<Earlier> found = newest(
        project, mostOwn,
        [&](const store::RunRecord& run, const SearchOptions& options) { return run.task == task && fits(options); });
    if (found.empty())
        found = newest(project, mostOthers,
                       [&](const store::RunRecord&, const SearchOptions& options) { return fits(options); });
    if (found.empty())
        return crew::usualJudging_s(preset);
    std::vector<double> times;
    for (const Earlier& one : found)
        times.push_back(one.judging_s);
    return base::median(times);
}

double TimeAhead::variants(int fromRound, int rounds) const
{
    if (fromRound >= rounds)
        return 0;
    return (fromRound == 0 ? firstRound : laterRound) + laterRound * (rounds - fromRound - 1);
}

double secondsLeftOf(const std::vector<double>& underWay, double waiting)
{
    double longest = -1;
    int working = 0;
    for (const double left : underWay) {
        longest = std::max(longest, left);
        working += left >= 0;
    }
    return working == 0 ? -1 : longest * (1 + waiting / working);
}

TimeAhead timeAhead(const store::Project& project, const SearchOptions& options, const std::string& policy)
{
    TimeAhead out;
    out.judging_s = expectedJudging_s(project, options.task.id, options.device, options.preset);
    out.confirming_s = options.preset == protocol::Preset::Quick
                         ? std::max(out.judging_s, crew::usualJudging_s(protocol::Preset::Standard))
                         : out.judging_s;
    // What the technique library finds for a task of the suite; then it combines what was best.
    out.firstRound = 6;
    out.laterRound = 2;
    const auto same = newest(project, mostOthers, [&](const store::RunRecord& run, const SearchOptions& theirs) {
        return policyOf(run.parameters) == policy && theirs.method == options.method && theirs.rounds > 0;
    });
    if (same.empty())
        return out;
    std::vector<double> counts; // of one round, if all but the first bring a third of it, as above
    for (const Earlier& one : same)
        counts.push_back(one.judged / (1 + (one.options.rounds - 1) / 3.0));
    out.firstRound = std::max(1.0, base::median(counts));
    out.laterRound = out.firstRound / 3;
    return out;
}

} // namespace cudal1::optimize
