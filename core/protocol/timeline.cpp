// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of timelines. There may be a hundred thousand events, so fields at their defaults are left out.
#include "core/protocol/timeline.h"

#include "core/protocol/fields.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cudal1::protocol {

using nlohmann::json;
using Kind = TimelineTrack::Kind;
using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;

namespace {

constexpr Words<Kind, 5> kindWords{{
    {Kind::Operators, "operators"},
    {Kind::Calls, "calls"},
    {Kind::Waits, "waits"},
    {Kind::Stream, "stream"},
    {Kind::Copies, "copies"},
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

/// Texts by number: a kernel's name may have hundreds of characters and come ten thousand times.
class Texts {
public:
    int add(const std::string& text)
    {
        const auto [it, isNew] = m_numbers.try_emplace(text, static_cast<int>(m_numbers.size()));
        if (isNew)
            m_list.push_back(text);
        return it->second;
    }
    json take() { return std::move(m_list); }

private:
    std::map<std::string, int> m_numbers;
    json m_list = json::array();
};

json eventJson(const TimelineEvent& v, Texts& texts)
{
    json j = {{"track", v.track},
              {"category", toString(v.category)},
              {"name", texts.add(v.name)},
              {"start_ns", v.start_ns},
              {"duration_ns", v.duration_ns}};
    if (v.place != Place::Inside)
        j["place"] = toString(v.place);
    if (v.correlation)
        j["correlation"] = v.correlation;
    if (!v.detail.empty())
        j["detail"] = texts.add(v.detail);
    if (v.bytes)
        j["bytes"] = v.bytes;
    if (v.device >= 0)
        j["device"] = v.device;
    if (v.stream >= 0)
        j["stream"] = v.stream;
    if (v.graph)
        j["graph"] = v.graph;
    if (v.graphNode)
        j["graph_node"] = v.graphNode;
    if (v.launch)
        j["launch"] = *v.launch;
    return j;
}

TimelineEvent eventOf(const json& j, const std::vector<std::string>& texts)
{
    const auto text = [&](const char* key, std::string& out) {
        const auto it = j.find(key);
        if (it == j.end())
            return;
        const auto number = it->get<std::size_t>();
        if (number >= texts.size())
            throw json::out_of_range::create(401, "there is no text " + std::to_string(number), &j);
        out = texts[number];
    };
    TimelineEvent v;
    j.at("track").get_to(v.track);
    (void)j.at("category");
    getKnown(j, "category", v.category);
    getKnown(j, "place", v.place);
    text("name", v.name);
    j.at("start_ns").get_to(v.start_ns);
    j.at("duration_ns").get_to(v.duration_ns);
    get(j, "correlation", v.correlation);
    text("detail", v.detail);
    get(j, "bytes", v.bytes);
    get(j, "device", v.device);
    get(j, "stream", v.stream);
    get(j, "graph", v.graph);
    get(j, "graph_node", v.graphNode);
    if (const auto it = j.find("launch"); it != j.end())
        v.launch = it->get<KernelLaunch>();
    return v;
}

} // namespace

std::string_view toString(Kind kind) { return wordOf(kindWords, kind); }
std::string_view toString(Category category) { return wordOf(categoryWords, category); }
std::string_view toString(Place place) { return wordOf(placeWords, place); }
bool fromString(std::string_view word, Kind& out) { return valueOf(kindWords, word, out); }
bool fromString(std::string_view word, Category& out) { return valueOf(categoryWords, word, out); }
bool fromString(std::string_view word, Place& out) { return valueOf(placeWords, word, out); }

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

void to_json(json& j, const TimelineRequest& v)
{
    j = {{"task", {{"name", v.task.name}, {"source", v.task.source}}},
         {"candidate", v.candidate},
         {"candidate_name", v.candidateName},
         {"device", v.device},
         {"precision", toString(v.precision)},
         {"seed", v.seed},
         {"calls", v.calls},
         {"build_limit_s", v.buildLimit_s}};
}

void from_json(const json& j, TimelineRequest& v)
{
    get(j.at("task"), "name", v.task.name);
    get(j.at("task"), "source", v.task.source);
    get(j, "candidate", v.candidate);
    get(j, "candidate_name", v.candidateName);
    get(j, "device", v.device);
    getKnown(j, "precision", v.precision);
    get(j, "seed", v.seed);
    get(j, "calls", v.calls);
    get(j, "build_limit_s", v.buildLimit_s);
}

void to_json(json& j, const KernelLaunch& v)
{
    j = {{"grid", v.grid},
         {"block", v.block},
         {"registers", v.registers},
         {"static_shared_bytes", v.staticShared_bytes},
         {"dynamic_shared_bytes", v.dynamicShared_bytes}};
}

void from_json(const json& j, KernelLaunch& v)
{
    get(j, "grid", v.grid);
    get(j, "block", v.block);
    get(j, "registers", v.registers);
    get(j, "static_shared_bytes", v.staticShared_bytes);
    get(j, "dynamic_shared_bytes", v.dynamicShared_bytes);
}

void to_json(json& j, const TimelineTrack& v)
{
    j = {{"id", v.id}, {"kind", toString(v.kind)}, {"name", v.name}, {"thread", v.thread}};
}

void from_json(const json& j, TimelineTrack& v)
{
    j.at("id").get_to(v.id);
    getKnown(j, "kind", v.kind);
    get(j, "name", v.name);
    get(j, "thread", v.thread);
}

void to_json(json& j, const TimelineWindow& v)
{
    j = {{"start_ns", v.start_ns}, {"returned_ns", v.returned_ns}, {"stream_done_ns", v.streamDone_ns}, {"end_ns", v.end_ns}};
}

void from_json(const json& j, TimelineWindow& v)
{
    j.at("start_ns").get_to(v.start_ns);
    j.at("end_ns").get_to(v.end_ns);
    get(j, "returned_ns", v.returned_ns);
    get(j, "stream_done_ns", v.streamDone_ns);
}

void to_json(json& j, const TimelineThread& v)
{
    j = {{"id", v.id}, {"name", v.name}, {"inside_ns", v.inside_ns}, {"outside_ns", v.outside_ns}};
}

void from_json(const json& j, TimelineThread& v)
{
    get(j, "id", v.id);
    get(j, "name", v.name);
    get(j, "inside_ns", v.inside_ns);
    get(j, "outside_ns", v.outside_ns);
}

void to_json(json& j, const Timeline& v)
{
    Texts texts;
    json events = json::array();
    for (const TimelineEvent& event : v.events)
        events.push_back(eventJson(event, texts));
    j = {{"device", v.device},   {"windows", v.windows},     {"tracks", v.tracks}, {"events", std::move(events)},
         {"texts", texts.take()}, {"threads", v.threads}, {"notes", v.notes},   {"left_out", v.leftOut}};
}

void from_json(const json& j, Timeline& v)
{
    get(j, "device", v.device);
    get(j, "windows", v.windows);
    get(j, "tracks", v.tracks);
    std::vector<std::string> texts;
    get(j, "texts", texts);
    for (const json& event : j.at("events"))
        v.events.push_back(eventOf(event, texts));
    get(j, "threads", v.threads);
    get(j, "notes", v.notes);
    get(j, "left_out", v.leftOut);
}

void to_json(json& j, const TimelineAnswer& v)
{
    j = {{"task", v.task},
         {"candidate_name", v.candidateName},
         {"device", v.device},
         {"environment", v.environment},
         {"precision", toString(v.precision)},
         {"seed", v.seed},
         {"recorded_ms", v.recorded_ms},
         {"reference", v.reference},
         {"candidate", v.candidate ? json(*v.candidate) : json(nullptr)},
         {"output", v.output}};
}

void from_json(const json& j, TimelineAnswer& v)
{
    get(j, "task", v.task);
    get(j, "candidate_name", v.candidateName);
    get(j, "device", v.device);
    get(j, "environment", v.environment);
    getKnown(j, "precision", v.precision);
    get(j, "seed", v.seed);
    get(j, "recorded_ms", v.recorded_ms);
    j.at("reference").get_to(v.reference);
    if (const auto it = j.find("candidate"); it != j.end() && !it->is_null())
        v.candidate = it->get<Timeline>();
    get(j, "output", v.output);
}

} // namespace cudal1::protocol
