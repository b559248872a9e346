// SPDX-License-Identifier: GPL-3.0-or-later
// One side of a timeline as columns, for drawing and counting millions of events.
//
// Events lie in rows: a track has a row for each level of nesting, and the events of a row follow each other, so that
// what is seen of a row at any zoom is found by binary search (blocks.h). Times are nanoseconds after the start of the
// first timed window; of a trace without windows, after its first event. A model never changes once it is built: share
// it as shared_ptr<const Model> with any thread.
#pragma once

#include "core/protocol/timeline.h"
#include "core/timeline/gaps.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cudal1::timeline {

using EventIndex = std::uint32_t;
inline constexpr EventIndex noEvent = ~EventIndex(0);

/// What is known of an event beyond its place.
struct EventFacts {
    std::uint64_t correlation = 0; ///< joins a call with what it put on the device; 0 for none
    std::int64_t bytes = 0;
    std::uint32_t detail = 0; ///< in Model::names; 0 for none
    std::uint32_t launch = 0; ///< in Model::launches, from 1; 0 for none
    std::int32_t stream = -1;
    std::int32_t device = -1;
    std::int64_t graph = 0; ///< the CUDA graph that launched it; 0 for none
};

struct Model {
    struct Track {
        protocol::TimelineTrack::Kind kind = protocol::TimelineTrack::Kind::Operators;
        std::string name;
        std::uint32_t firstRow = 0, lastRow = 0; ///< rows [firstRow, lastRow), outermost first
    };
    struct Row {
        std::uint32_t track = 0;
        EventIndex first = 0,
                   last = 0; ///< events [first, last), by begin; none begins before the one before it has ended
    };

    std::vector<Track> tracks; ///< in the order in which they are shown
    std::vector<Row> rows;

    // One entry an event, row by row.
    std::vector<std::int64_t> begin_ns, end_ns;
    std::vector<std::int64_t> before_ns;        ///< duration of all events before this one; one entry more than events
    std::vector<std::uint32_t> misplacedBefore; ///< events before this one that are not Place::Inside; one entry more
    std::vector<std::uint32_t> name;            ///< in names
    std::vector<std::uint32_t> rowOf;
    std::vector<protocol::TimelineEvent::Category> category;
    std::vector<protocol::TimelineEvent::Place> place;
    std::vector<EventFacts> facts;

    std::vector<std::string> names; ///< names[0] is empty
    std::vector<protocol::KernelLaunch> launches;
    std::vector<protocol::TimelineWindow> windows; ///< none for another program's trace
    std::vector<protocol::TimelineThread> threads;
    std::vector<Gap> gaps;                  ///< by begin
    std::vector<std::string> notes;         ///< what is not there, and why; for a person
    std::string device;                     ///< "cuda:0"; empty when it is not known
    std::int64_t first_ns = 0, last_ns = 0; ///< what all events and windows lie in

    std::size_t size() const { return begin_ns.size(); }
    std::int64_t duration_ns(EventIndex i) const { return end_ns[i] - begin_ns[i]; }
    const Track& trackOf(EventIndex i) const { return tracks[rows[rowOf[i]].track]; }
    const std::string& nameOf(EventIndex i) const { return names[name[i]]; }
    const std::string& detailOf(EventIndex i) const { return names[facts[i].detail]; }
    const protocol::KernelLaunch* launchOf(EventIndex i) const
    {
        return facts[i].launch ? &launches[facts[i].launch - 1] : nullptr;
    }
    bool onDevice(EventIndex i) const;
    /// Operators and named scopes: what ran inside one on its track is not its own time.
    bool isOperator(EventIndex i) const;
    /// The event of a row at a time, or the one nearest to it; noEvent in an empty row.
    EventIndex nearest(std::uint32_t row, std::int64_t time_ns) const;
};

/// An event on its way into a model.
struct ModelEvent {
    std::uint32_t track = 0; ///< as addTrack() numbered it
    std::uint32_t name = 0;
    protocol::TimelineEvent::Category category = protocol::TimelineEvent::Category::Operator;
    protocol::TimelineEvent::Place place = protocol::TimelineEvent::Place::Inside;
    std::int64_t begin_ns = 0, end_ns = 0;
    EventFacts facts;
};

/// Takes events in any order. Not for several threads.
class ModelBuilder {
public:
    ModelBuilder();

    /// The number of a text; the same for the same text.
    std::uint32_t name(std::string_view text);
    std::uint32_t launch(const protocol::KernelLaunch& launch);
    /// Tracks are shown by `order`, then as they were added.
    std::uint32_t addTrack(protocol::TimelineTrack::Kind kind, std::string name, std::int64_t order = 0);
    Model::Track& track(std::uint32_t number) { return m_tracks[number].track; }
    void setOrder(std::uint32_t track, std::int64_t order) { m_tracks[track].order = order; }
    std::size_t trackCount() const { return m_tracks.size(); }
    void add(const ModelEvent& event) { m_events.push_back(event); }
    std::vector<ModelEvent>& events() { return m_events; }

    /// Windows, device, notes and threads are taken from `frame`. Tracks without events are left out. Null when
    /// stopped.
    std::shared_ptr<const Model> take(Model frame, std::stop_token stop = {});

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    struct Added {
        Model::Track track;
        std::int64_t order = 0;
    };
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> m_numbers;
    std::vector<std::string> m_names;
    std::map<std::string, std::uint32_t> m_launchNumbers;
    std::vector<protocol::KernelLaunch> m_launches;
    std::vector<Added> m_tracks;
    std::vector<ModelEvent> m_events;
};

/// A kernel's name without "void" and namespaces: "vectorized_elementwise_kernel<4, at::native::Add>(int)".
std::string shortName(const std::string& name);

std::shared_ptr<const Model> modelOf(const protocol::Timeline& timeline);

} // namespace cudal1::timeline
