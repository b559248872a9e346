// SPDX-License-Identifier: GPL-3.0-or-later
// What took the time of a model, row by row, and events by name.
#pragma once

#include "core/timeline/model.h"
#include "core/timeline/moved.h"

#include <functional>
#include <optional>

namespace cudal1::timeline {

/// Nanoseconds [begin, end).
struct Span {
    std::int64_t begin_ns = 0, end_ns = 0;

    std::int64_t duration_ns() const { return end_ns - begin_ns; }
    bool operator==(const Span&) const = default;
};

/// Events of one name and category; copies of different directions are different rows.
struct TableRow {
    protocol::TimelineEvent::Category category = protocol::TimelineEvent::Category::Operator;
    std::uint32_t name = 0, detail = 0; ///< in Model::names; detail of copies only
    std::int64_t count = 0;
    std::int64_t total_ns = 0; ///< operators and scopes: without what ran inside them on their track
    double share = 0;          ///< of the time that was asked for; more than 1 where work runs side by side
    Moved moved;
    std::uint32_t launch = 0; ///< of the longest, as in EventFacts
    bool oneLaunch = true;    ///< all were launched alike
    EventIndex longest = noEvent;
};

/// Most time first. Of events inside the timed windows (of all, when there are none); with a span, of those that touch
/// it, with the part of them that lies in it.
std::vector<TableRow> tableOf(const Model& model, const std::optional<Span>& span = {});

/// The time that shares are of: the span, else all windows, else everything.
std::int64_t wholeOf(const Model& model, const std::optional<Span>& span = {});

/// Events whose name matches, by begin. Each name is asked once.
std::vector<EventIndex> eventsNamed(const Model& model, const std::function<bool(const std::string&)>& matches);

} // namespace cudal1::timeline
