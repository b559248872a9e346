// SPDX-License-Identifier: GPL-3.0-or-later
// From what was recorded to a timeline: rows, what is the judge's own taken out, what lies outside the windows marked.
#pragma once

#include "core/judge/capture/activity.h"
#include "core/judge/capture/operatorobserver.h"
#include "core/protocol/timeline.h"

#include <map>

namespace cudal1::judge {

/// Host times, as hostNow_ns gives them.
struct RecordedWindow {
    std::int64_t start_ns = 0, returned_ns = 0, end_ns = 0;
    std::int64_t until_ns = 0; ///< start of the next window, or the end of the wait after the last one
};

/// Two readings of one moment on both clocks; a straight line joins them.
struct ClockPoint {
    std::int64_t host_ns = 0;
    std::uint64_t activity_ns = 0;
};

struct RecordedTimeline {
    std::string device;
    std::int64_t judgeThread = 0; ///< runs the module's forward, and the judge's own work between calls
    std::vector<RecordedWindow> windows;
    /// While the judge was at work on its thread. What it put on the device then is dropped; a memset that it put there
    /// inside a window marks the end of the caller's stream.
    std::vector<std::pair<std::int64_t, std::int64_t>> judgeWork;
    std::vector<OperatorRecord> operators;
    std::vector<ActivityRecord> activity;
    ClockPoint begin, end; ///< for activity
    std::map<std::int64_t, std::string> threadNames;
    std::vector<protocol::TimelineThread> threads;
    std::vector<std::string> notes;
    std::size_t maxEvents = protocol::Timeline::maxEvents;
};

/// At least one window. Keeps what overlaps [start of the first window, until_ns of the last].
protocol::Timeline buildTimeline(RecordedTimeline recorded);

} // namespace cudal1::judge
