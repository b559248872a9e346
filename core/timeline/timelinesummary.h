// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline in numbers: what took the time of a call, how busy the device was, what lies outside the windows.
#pragma once

#include "core/protocol/timeline.h"
#include "core/timeline/moved.h"

#include <string>
#include <vector>

namespace cudal1::timeline {

/// Events of one name and category, over all windows.
struct EventTotal {
    protocol::TimelineEvent::Category category = protocol::TimelineEvent::Category::Operator;
    std::string name;
    std::string detail; ///< copies of different directions are different rows; of operators, empty
    std::int64_t count = 0;
    std::int64_t total_ns = 0; ///< operators and scopes: without what ran inside them on their thread
    double share = 0;          ///< of the duration of the windows; more than 1 where work runs side by side
    Moved moved;
    std::optional<protocol::KernelLaunch> launch; ///< of the longest
    bool oneLaunch = true;                        ///< all were launched alike
};

struct Misplaced {
    std::int64_t count = 0;
    std::int64_t total_ns = 0;
    std::string first; ///< name of the earliest
};

struct TimelineSummary {
    std::size_t calls = 0;
    double call_ns = 0; ///< median window
    double busy_ns = 0; ///< median over windows: something ran on the device; without a GPU, an operator on any thread
    double longestGap_ns = 0; ///< median over windows of the longest time in which nothing did
    double unseen_ns = 0;     ///< median over windows: the device still worked after the caller's stream was done
    bool device = false;      ///< `busy` and the rest are of a GPU
    std::vector<EventTotal> deviceRows;   ///< kernels, copies, memsets; most time first
    std::vector<EventTotal> operatorRows; ///< operators and named scopes; most time first
    std::vector<EventTotal> callRows;     ///< runtime and driver calls; most time first
    Misplaced outside, beyondStream;
};

TimelineSummary summarise(const protocol::Timeline& timeline);
/// Where the recorded calls of two sides stand otherwise to each other than the judge has found (`judged`, the speed-up
/// by wall): both numbers, and why the judge's counts. Empty where they agree, within a tenth, or one is missing.
std::string besideJudgeText(const TimelineSummary& reference, const TimelineSummary& candidate,
                            const base::Interval& judged);

void to_json(nlohmann::json& j, const TimelineSummary& v);
/// What `cudal1 timeline --json` prints, but for where the trace is kept. `candidate` is null for a trace of the
/// reference alone.
nlohmann::json answerJson(const protocol::TimelineAnswer& answer, const TimelineSummary& reference,
                          const TimelineSummary* candidate);
/// The same without what no reader of a few lines needs, and with at most so many rows a table; they are ordered by
/// time.
nlohmann::json shortAnswerJson(const protocol::TimelineAnswer& answer, int rows);

} // namespace cudal1::timeline
