// SPDX-License-Identifier: GPL-3.0-or-later
// How long judging will take, before anything of a run is judged: what earlier runs of the project took, or what is
// usual.
#pragma once

#include "core/optimize/search.h"

#include <string>
#include <vector>

namespace cudal1::optimize {

/// Seconds that one evaluation with this preset takes on this device, as an evaluator names it, with what comes before
/// it and between. By the newest searches of the project with these: those for `task` where there are any, else the
/// middle one of the others; else what is usual. Never 0.
double expectedJudging_s(const store::Project& project, const base::TaskId& task, const std::string& device,
                         protocol::Preset preset);

/// What a search may need for all of its rounds.
struct TimeAhead {
    double judging_s = 0;                  ///< one variant
    double confirming_s = 0;               ///< to measure the best once more
    double firstRound = 0, laterRound = 0; ///< variants that a round is expected to bring

    /// Variants of the rounds from this one on, counted from 0.
    double variants(int fromRound, int rounds) const;
    double all_s(int rounds) const { return judging_s * variants(0, rounds) + confirming_s; } ///< from the beginning
};

/// What the searches of a project say of the next ones; each of them is read once, when it is first looked at.
class EarlierSearches {
public:
    explicit EarlierSearches(const store::Project& project);
    ~EarlierSearches();

    /// As expectedJudging_s() and timeAhead().
    double judging_s(const base::TaskId& task, const std::string& device, protocol::Preset preset);
    TimeAhead ahead(const SearchOptions& options, const std::string& policy);

private:
    struct Earlier;
    template<class Wanted> std::vector<const Earlier*> newest(std::size_t most, const Wanted& wanted);

    const store::Project& m_project;
    std::vector<Earlier> m_searches; ///< newest first
};

/// Of searches side by side, by what those under way say of themselves (SearchProgress::secondsLeft), each of those
/// that wait taking as long as the longest. -1 where none has said anything.
double secondsLeftOf(const std::vector<double>& underWay, double waiting);

/// By the newest searches of the project with this policy, or by what is usual.
TimeAhead timeAhead(const store::Project& project, const SearchOptions& options, const std::string& policy);

} // namespace cudal1::optimize
