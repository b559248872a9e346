// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of timelines. There may be a hundred thousand events, so fields at their defaults are left out.
#include "core/protocol/timeline.h"

#include "core/protocol/fields.h"

#include <set>
#include <unordered_map>

namespace cudal1::protocol {

using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;

namespace {

constexpr Words<TimelineTrack::Kind, 5> trackKindWords{{
    {TimelineTrack::Kind::Operators, "operators"},
    {TimelineTrack::Kind::Calls, "calls"},
    {TimelineTrack::Kind::Waits, "waits"},
    {TimelineTrack::Kind::Stream, "stream"},
    {TimelineTrack::Kind::Copies, "copies"},
}};
constexpr Words<Category, 8> categoryWords{{
    {Category::Operator, "operator"},
    {Category::UserScope, "user_scope"},
    {Category::Runtime, "runtime"},
    {Category::Driver, "driver"},
    {Category::Wait, "wait"},
    {Category::Kernel, "kernel"},
    {Category::Copy, "copy"},
    {Category::Memset, "memset"},
}};
constexpr Words<Place, 3> placeWords{{
    {Place::Inside, "inside"},
    {Place::BeyondStream, "beyond_stream"},
    {Place::Outside, "outside"},
}};

/// The texts of a timeline's events by number: a kernel's name may have hundreds of characters and come ten thousand
/// times.
class Texts {
public:
    /// None while `events` are still to be read.
    explicit Texts(const std::vector<TimelineEvent>& events)
    {
        for (const TimelineEvent& event : events) {
            add(event.name);
            if (!event.detail.empty())
                add(event.detail);
        }
    }
    std::size_t numberOf(const std::string& text) const { return m_numbers.at(text); }

    std::vector<std::string> list;

private:
    void add(const std::string& text)
    {
        if (m_numbers.try_emplace(text, list.size()).second)
            list.push_back(text);
    }

    std::unordered_map<std::string_view, std::size_t> m_numbers;
};

/// A text as its number.
template<class Text> struct Numbered {
    Text& text;
    const Texts& texts;
};
template<class Text> Numbered(Text&, const Texts&) -> Numbered<Text>;

void to_json(json& j, const Numbered<const std::string>& v)
{
    j = v.texts.numberOf(v.text);
}

void from_json(const json& j, Numbered<std::string>& v)
{
    const auto number = j.get<std::size_t>();
    if (number >= v.texts.list.size())
        throw json::out_of_range::create(401, "there is no text " + std::to_string(number), &j);
    v.text = v.texts.list[number];
}

} // namespace

std::string_view toString(TimelineTrack::Kind kind)
{
    return wordOf(trackKindWords, kind);
}
std::string_view toString(Category category)
{
    return wordOf(categoryWords, category);
}
std::string_view toString(Place place)
{
    return wordOf(placeWords, place);
}
bool fromString(std::string_view word, TimelineTrack::Kind& out)
{
    return valueOf(trackKindWords, word, out);
}
bool fromString(std::string_view word, Category& out)
{
    return valueOf(categoryWords, word, out);
}
bool fromString(std::string_view word, Place& out)
{
    return valueOf(placeWords, word, out);
}

std::string problemOf(const Timeline& timeline)
{
    if (timeline.windows.empty())
        return "it has no timed window";
    for (const TimelineWindow& window : timeline.windows)
        if (window.end_ns < window.start_ns)
            return "a timed window ends before it starts";
    if (timeline.events.size() > Timeline::maxEvents)
        return "it has more than " + std::to_string(Timeline::maxEvents) + " events";
    std::set<int> tracks;
    for (const TimelineTrack& track : timeline.tracks)
        if (track.id <= 0 || !tracks.insert(track.id).second)
            return "two tracks have the number " + std::to_string(track.id) + ", or it is none";
    for (const TimelineEvent& event : timeline.events) {
        if (!tracks.contains(event.track))
            return "an event is on track " + std::to_string(event.track) + ", which is not there";
        if (event.duration_ns < 0)
            return "an event ends before it starts";
    }
    return {};
}

void fields(auto& io, Is<TimelineRequest> auto& v)
{
    io.required("task", v.task);
    io("candidate", v.candidate);
    io("candidate_name", v.candidateName);
    io("device", v.device);
    io.strict("precision", v.precision);
    io("seed", v.seed);
    io("calls", v.calls);
    io("build_limit_s", v.buildLimit_s);
}
CUDAL1_JSON(TimelineRequest)

void fields(auto& io, Is<KernelLaunch> auto& v)
{
    io("grid", v.grid);
    io("block", v.block);
    io("registers", v.registers);
    io("static_shared_bytes", v.staticShared_bytes);
    io("dynamic_shared_bytes", v.dynamicShared_bytes);
}
CUDAL1_JSON(KernelLaunch)

void fields(auto& io, Is<TimelineTrack> auto& v)
{
    io.required("id", v.id);
    io.strict("kind", v.kind);
    io("name", v.name);
    io("thread", v.thread);
}
CUDAL1_JSON(TimelineTrack)

void fields(auto& io, Is<TimelineWindow> auto& v)
{
    io.required("start_ns", v.start_ns);
    io.required("end_ns", v.end_ns);
    io("returned_ns", v.returned_ns);
    io("stream_done_ns", v.streamDone_ns);
}
CUDAL1_JSON(TimelineWindow)

void fields(auto& io, Is<TimelineThread> auto& v)
{
    io("id", v.id);
    io("name", v.name);
    io("inside_ns", v.inside_ns);
    io("outside_ns", v.outside_ns);
}
CUDAL1_JSON(TimelineThread)

void fields(auto& io, Is<TimelineEvent> auto& v, const Texts& texts)
{
    io.required("track", v.track);
    io.required("category", v.category);
    io.strict("place", v.place, v.place != Place::Inside);
    io.strict("name", Numbered{v.name, texts});
    io.required("start_ns", v.start_ns);
    io.required("duration_ns", v.duration_ns);
    io("correlation", v.correlation, v.correlation != 0);
    io.strict("detail", Numbered{v.detail, texts}, !v.detail.empty());
    io("bytes", v.bytes, v.bytes != 0);
    io("device", v.device, v.device >= 0);
    io("stream", v.stream, v.stream >= 0);
    io("graph", v.graph, v.graph != 0);
    io("graph_node", v.graphNode, v.graphNode != 0);
    io("launch", v.launch, v.launch.has_value());
}

void fields(auto& io, Is<Timeline> auto& v)
{
    Texts texts(v.events);
    io("device", v.device);
    io("windows", v.windows);
    io("tracks", v.tracks);
    io("texts", texts.list);
    io.list("events", v.events, texts);
    io("threads", v.threads);
    io("notes", v.notes);
    io("left_out", v.leftOut);
}
CUDAL1_JSON(Timeline)

void fields(auto& io, Is<TimelineAnswer> auto& v)
{
    io("task", v.task);
    io("candidate_name", v.candidateName);
    io("device", v.device);
    io("environment", v.environment);
    io.strict("precision", v.precision);
    io("seed", v.seed);
    io("recorded_ms", v.recorded_ms);
    io.required("reference", v.reference);
    io("candidate", v.candidate);
    io("output", v.output);
}
CUDAL1_JSON(TimelineAnswer)

} // namespace cudal1::protocol
