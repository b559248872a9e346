// SPDX-License-Identifier: GPL-3.0-or-later
// The table of what took the time in a timeline, and a search for events by name.
#pragma once

#include "core/timeline/model.h"
#include "core/timeline/moved.h"

#include <functional>
#include <optional>

namespace cudal1::timeline {

/// The half-open interval [begin, end), in nanoseconds on the model's clock.
struct Span {
    std::int64_t begin_ns = 0, end_ns = 0;

    std::int64_t duration_ns() const { return end_ns - begin_ns; }
    bool operator==(const Span&) const = default;
};

/// All events with the same name and category. Copies and memsets have one row for each direction (`detail`).
struct TableRow {
    protocol::TimelineEvent::Category category = protocol::TimelineEvent::Category::Operator;
    std::uint32_t name = 0, detail = 0; ///< indices into Model::names; only copies and memsets have a detail
    std::int64_t count = 0;
    std::int64_t total_ns = 0; ///< for operators and scopes, without the time of those inside them on the same track
    double share = 0;          ///< total_ns over wholeOf(); more than 1 where work runs side by side
    Moved moved;
    std::uint32_t launch = 0; ///< how the longest event was launched, as EventFacts::launch
    bool oneLaunch = true;    ///< all events were launched with the same configuration
    EventIndex longest = noEvent;
};

/// The rows, those with most time first. Without a span the events inside the timed windows count, or all events where
/// the model has no windows. With a span each event that touches it counts, with the part that lies in it.
std::vector<TableRow> tableOf(const Model& model, const std::optional<Span>& span = {});

/// The time that TableRow::share refers to, in nanoseconds: the length of the span, without one that of all windows
/// together, and without windows that of the whole timeline.
std::int64_t wholeOf(const Model& model, const std::optional<Span>& span = {});

/// The events whose name matches, in the order in which they begin. `matches` is called once for each name in the
/// model.
std::vector<EventIndex> eventsNamed(const Model& model, const std::function<bool(const std::string&)>& matches);

} // namespace cudal1::timeline
