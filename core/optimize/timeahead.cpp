// SPDX-License-Identifier: GPL-3.0-or-later
// Times and counts of earlier searches.
#include "core/optimize/timeahead.h"

#include "core/base/statistics.h"
#include "core/crew/usualtimes.h"
#include "core/optimize/options.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace cudal1::optimize {

namespace {

constexpr std::size_t mostOwn = 3, mostOthers = 9; ///< searches that are looked at: the newest say most

} // namespace

struct EarlierSearches::Earlier {
    store::RunRecord run;
    bool isRead = false, isCounted = false;
    std::optional<SearchOptions> options; ///< once it is read; empty where it is not to be read
    std::string policy;
    double judging_s = 0; ///< once it is counted: one evaluation, with what came before it and between
    int judged = 0;       ///< 0 where nothing was

    void read()
    {
        if (std::exchange(isRead, true))
            return;
        if (auto found = optionsFromJson(run.parameters))
            options = std::move(*found);
        policy = policyOf(run.parameters);
    }
    void count(const store::Project& project)
    {
        if (std::exchange(isCounted, true))
            return;
        const auto results = project.runResults(run.id);
        const auto notes = readNotes(project, run.id);
        if (results && notes && !results->empty() && notes->spent_s > 0) {
            judging_s = notes->spent_s / double(results->size());
            judged = int(results->size());
        }
    }
};

EarlierSearches::EarlierSearches(const store::Project& project) : m_project(project)
{
    auto runs = project.runs();
    for (store::RunRecord& run : runs ? *runs : std::vector<store::RunRecord>())
        if (run.kind == runKind)
            m_searches.emplace_back().run = std::move(run);
}

EarlierSearches::~EarlierSearches() = default;

/// The newest that have judged something and that `wanted` takes, at most `most`.
template<class Wanted>
std::vector<const EarlierSearches::Earlier*> EarlierSearches::newest(std::size_t most, const Wanted& wanted)
{
    std::vector<const Earlier*> out;
    for (Earlier& search : m_searches) {
        if (out.size() == most)
            break;
        search.read();
        if (!search.options || !wanted(search))
            continue;
        search.count(m_project);
        if (search.judged > 0)
            out.push_back(&search);
    }
    return out;
}

double EarlierSearches::judging_s(const base::TaskId& task, const std::string& device, protocol::Preset preset)
{
    const auto fits = [&](const Earlier& search) {
        return search.options->device == device && search.options->preset == preset;
    };
    auto found = newest(mostOwn, [&](const Earlier& search) { return search.run.task == task && fits(search); });
    if (found.empty())
        found = newest(mostOthers, fits);
    if (found.empty())
        return crew::usualJudging_s(preset);
    std::vector<double> times;
    times.reserve(found.size());
    for (const Earlier* one : found)
        times.push_back(one->judging_s);
    return base::median(times);
}

double expectedJudging_s(const store::Project& project, const base::TaskId& task, const std::string& device,
                         protocol::Preset preset)
{
    return EarlierSearches(project).judging_s(task, device, preset);
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

TimeAhead EarlierSearches::ahead(const SearchOptions& options, const std::string& policy)
{
    TimeAhead out;
    out.judging_s = judging_s(options.task.id, options.device, options.preset);
    out.confirming_s = options.preset == protocol::Preset::Quick
                         ? std::max(out.judging_s, crew::usualJudging_s(protocol::Preset::Standard))
                         : out.judging_s;
    // What the technique library finds for a task of the suite; then it combines what was best.
    out.firstRound = 6;
    out.laterRound = 2;
    const auto same = newest(mostOthers, [&](const Earlier& search) {
        return search.policy == policy && search.options->method == options.method && search.options->rounds > 0;
    });
    if (same.empty())
        return out;
    std::vector<double> counts; // of one round, if all but the first bring a third of it, as above
    counts.reserve(same.size());
    for (const Earlier* one : same)
        counts.push_back(one->judged / (1 + (one->options->rounds - 1) / 3.0));
    out.firstRound = std::max(1.0, base::median(counts));
    out.laterRound = out.firstRound / 3;
    return out;
}

TimeAhead timeAhead(const store::Project& project, const SearchOptions& options, const std::string& policy)
{
    return EarlierSearches(project).ahead(options, policy);
}

} // namespace cudal1::optimize
