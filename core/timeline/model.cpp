// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of events: sorting, levels of nesting, running sums.
#include "core/timeline/model.h"

#include "core/base/counttext.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace cudal1::timeline {

using protocol::KernelLaunch;
using protocol::Timeline;
using protocol::TimelineEvent;
using protocol::TimelineTrack;
using protocol::TimelineWindow;
using Category = TimelineEvent::Category;

namespace {
/// Beyond this a track is no stack of calls but a fault of who wrote it.
constexpr std::size_t maxLevels = 256;

/// Events by their track, as they came.
struct ByTrack {
    std::vector<EventIndex> start; ///< where a track's events begin in `events`; one entry more than tracks
    std::vector<EventIndex> events;

    ByTrack(const std::vector<ModelEvent>& all, std::size_t tracks) : start(tracks + 1), events(all.size())
    {
        for (const ModelEvent& event : all)
            ++start[event.track + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<EventIndex> next(start.begin(), start.end() - 1);
        for (EventIndex i = 0; i < all.size(); ++i)
            events[next[all[i].track]++] = i;
    }
    std::span<EventIndex> of(std::uint32_t track)
    {
        return std::span(events).subspan(start[track], start[track + 1] - start[track]);
    }
};

void sortByBegin(const std::vector<ModelEvent>& all, std::span<EventIndex> events)
{
    const auto earlier = [&](EventIndex a, EventIndex b) {
        const ModelEvent &x = all[a], &y = all[b];
        return x.begin_ns != y.begin_ns ? x.begin_ns < y.begin_ns : x.end_ns > y.end_ns;
    };
    if (!std::is_sorted(events.begin(), events.end(), earlier))
        std::stable_sort(events.begin(), events.end(), earlier);
}

/// The events of a track divided into levels, in none of which two events overlap.
struct Levels {
    std::vector<EventIndex> events; ///< level by level, the outermost first
    std::vector<EventIndex> start;  ///< of each level in `events`; one entry more than levels
    std::size_t tooDeep = 0;        ///< events that are left out, since no level was free
};

/// Each event gets the outermost level that is free: nested events go below what they are in, and crossing ones below
/// each other. The events are sorted by begin.
Levels levelsOf(const std::vector<ModelEvent>& all, std::span<const EventIndex> events)
{
    Levels out;
    std::vector<std::int64_t> levelEnds;
    std::vector<EventIndex> inLevel;
    std::vector<std::size_t> levelOf(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        const ModelEvent& event = all[events[i]];
        std::size_t level = 0;
        while (level < levelEnds.size() && levelEnds[level] > event.begin_ns)
            ++level;
        levelOf[i] = level;
        if (level == maxLevels) {
            ++out.tooDeep;
            continue;
        }
        if (level == levelEnds.size()) {
            levelEnds.push_back(0);
            inLevel.push_back(0);
        }
        levelEnds[level] = event.end_ns;
        ++inLevel[level];
    }
    out.start.resize(inLevel.size() + 1);
    std::partial_sum(inLevel.begin(), inLevel.end(), out.start.begin() + 1);
    std::vector<EventIndex> next(out.start.begin(), out.start.end() - 1);
    out.events.resize(out.start.back());
    for (std::size_t i = 0; i < events.size(); ++i)
        if (levelOf[i] < maxLevels)
            out.events[next[levelOf[i]]++] = events[i];
    return out;
}

/// Fills the columns of a model, track by track.
class Columns {
public:
    Columns(Model& model, std::size_t events) : m_model(model)
    {
        const auto reserve = [events](auto& column, std::size_t more = 0) { column.reserve(events + more); };
        reserve(model.begin_ns), reserve(model.end_ns), reserve(model.name), reserve(model.rowOf);
        reserve(model.category), reserve(model.place), reserve(model.facts);
        reserve(model.before_ns, 1), reserve(model.misplacedBefore, 1);
    }

    void add(Model::Track track, const Levels& levels, const std::vector<ModelEvent>& all)
    {
        const auto base = static_cast<EventIndex>(m_model.begin_ns.size());
        track.firstRow = static_cast<std::uint32_t>(m_model.rows.size());
        for (std::size_t level = 0; level + 1 < levels.start.size(); ++level) {
            const auto row = static_cast<std::uint32_t>(m_model.rows.size());
            m_model.rows.push_back({static_cast<std::uint32_t>(m_model.tracks.size()), base + levels.start[level],
                                    base + levels.start[level + 1]});
            for (EventIndex i = levels.start[level]; i < levels.start[level + 1]; ++i)
                add(all[levels.events[i]], row);
        }
        track.lastRow = static_cast<std::uint32_t>(m_model.rows.size());
        m_model.tracks.push_back(std::move(track));
    }

    /// The sums over all events.
    void close()
    {
        m_model.before_ns.push_back(m_before_ns);
        m_model.misplacedBefore.push_back(m_misplaced);
    }

private:
    void add(const ModelEvent& event, std::uint32_t row)
    {
        m_model.begin_ns.push_back(event.begin_ns);
        m_model.end_ns.push_back(event.end_ns);
        m_model.before_ns.push_back(m_before_ns);
        m_model.misplacedBefore.push_back(m_misplaced);
        m_model.name.push_back(event.name);
        m_model.rowOf.push_back(row);
        m_model.category.push_back(event.category);
        m_model.place.push_back(event.place);
        m_model.facts.push_back(event.facts);
        m_before_ns += event.end_ns - event.begin_ns;
        m_misplaced += event.place != TimelineEvent::Place::Inside;
    }

    Model& m_model;
    std::int64_t m_before_ns = 0;
    std::uint32_t m_misplaced = 0;
};

/// Sets what all events and windows lie in.
void setEnds(Model& model)
{
    bool any = false;
    const auto cover = [&](std::int64_t from_ns, std::int64_t to_ns) {
        model.first_ns = any ? std::min(model.first_ns, from_ns) : from_ns;
        model.last_ns = any ? std::max(model.last_ns, to_ns) : to_ns;
        any = true;
    };
    for (const TimelineWindow& window : model.windows)
        cover(window.start_ns, window.end_ns);
    for (const Model::Row& row : model.rows)
        cover(model.begin_ns[row.first], model.end_ns[row.last - 1]);
}

} // namespace

bool Model::onDevice(EventIndex i) const
{
    return category[i] == Category::Kernel || category[i] == Category::Copy || category[i] == Category::Memset;
}

bool Model::isOperator(EventIndex i) const
{
    return category[i] == Category::Operator || category[i] == Category::UserScope;
}

EventIndex Model::nearest(std::uint32_t row, std::int64_t time_ns) const
{
    const Row& r = rows[row];
    if (r.first == r.last)
        return noEvent;
    const auto after = std::upper_bound(begin_ns.begin() + r.first, begin_ns.begin() + r.last, time_ns);
    const EventIndex next = static_cast<EventIndex>(after - begin_ns.begin());
    if (next == r.first)
        return next;
    const EventIndex previous = next - 1;
    if (next == r.last || time_ns < end_ns[previous])
        return previous;
    return begin_ns[next] - time_ns < time_ns - end_ns[previous] ? next : previous;
}

ModelBuilder::ModelBuilder() : m_names(1)
{
    m_numbers.emplace(std::string(), 0);
}

std::uint32_t ModelBuilder::name(std::string_view text)
{
    const auto known = m_numbers.find(text);
    if (known != m_numbers.end())
        return known->second;
    const auto number = static_cast<std::uint32_t>(m_names.size());
    m_names.emplace_back(text);
    m_numbers.emplace(m_names.back(), number);
    return number;
}

std::uint32_t ModelBuilder::launch(const KernelLaunch& launch)
{
    const std::int64_t parts[] = {launch.grid[0],
                                  launch.grid[1],
                                  launch.grid[2],
                                  launch.block[0],
                                  launch.block[1],
                                  launch.block[2],
                                  launch.registers,
                                  launch.staticShared_bytes,
                                  launch.dynamicShared_bytes};
    const std::string key(reinterpret_cast<const char*>(parts), sizeof parts);
    const auto [it, isNew] = m_launchNumbers.try_emplace(key, static_cast<std::uint32_t>(m_launches.size() + 1));
    if (isNew)
        m_launches.push_back(launch);
    return it->second;
}

std::uint32_t ModelBuilder::addTrack(TimelineTrack::Kind kind, std::string name, std::int64_t order)
{
    m_tracks.push_back({{kind, std::move(name), 0, 0}, order});
    return static_cast<std::uint32_t>(m_tracks.size() - 1);
}

std::shared_ptr<const Model> ModelBuilder::take(Model frame, std::stop_token stop)
{
    auto model = std::make_shared<Model>(std::move(frame));
    std::vector<std::uint32_t> shown(m_tracks.size());
    std::iota(shown.begin(), shown.end(), 0);
    std::stable_sort(shown.begin(), shown.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return m_tracks[a].order < m_tracks[b].order; });

    ByTrack byTrack(m_events, m_tracks.size());
    Columns columns(*model, m_events.size());
    std::size_t tooDeep = 0;
    for (const std::uint32_t number : shown) {
        if (stop.stop_requested())
            return nullptr;
        const std::span<EventIndex> events = byTrack.of(number);
        if (events.empty())
            continue;
        sortByBegin(m_events, events);
        const Levels levels = levelsOf(m_events, events);
        tooDeep += levels.tooDeep;
        columns.add(std::move(m_tracks[number].track), levels, m_events);
    }
    columns.close();
    if (tooDeep > 0)
        model->notes.push_back(base::countText(std::int64_t(tooDeep)) + " events are not shown: more than " +
                               std::to_string(maxLevels) + " ran at once on their track.");
    m_events = {};
    model->names = std::move(m_names);
    model->launches = std::move(m_launches);
    setEnds(*model);
    if (stop.stop_requested())
        return nullptr;
    model->gaps = gapsOf(*model);
    return model;
}

std::string shortName(const std::string& name)
{
    std::string_view text = name;
    if (text.starts_with("void "))
        text.remove_prefix(5);
    // Operators of the framework are known by their namespace: "aten::add".
    if (text.find_first_of("<(") == text.npos)
        return std::string(text);
    // The last "::" outside any brackets ends the namespaces.
    int depth = 0;
    std::size_t start = 0, before = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        const char c = text[i];
        if (c == '<' || c == '(')
            ++depth;
        else if (c == '>' || c == ')')
            --depth;
        else if (depth == 0 && c == ':' && text[i + 1] == ':') {
            before = start;
            start = ++i + 1;
        } else if (depth == 0 && c == ' ') {
            if (start == 0 || text.substr(start, i - start).find('(') != text.npos)
                break;              // a sentence, or behind the parameters
            before = start = i + 1; // behind the type of a template's result
        }
    }
    // Many libraries call theirs so: "gemvx::kernel<int>".
    return std::string(text.substr(text.substr(start).starts_with("kernel<") ? before : start));
}

std::shared_ptr<const Model> modelOf(const Timeline& timeline)
{
    ModelBuilder builder;
    std::map<int, std::uint32_t> tracks;
    for (const TimelineTrack& track : timeline.tracks)
        tracks.emplace(track.id, builder.addTrack(track.kind, track.name, track.id));
    for (const TimelineEvent& event : timeline.events) {
        const auto track = tracks.find(event.track);
        if (track == tracks.end())
            continue; // problemOf() refuses such a timeline
        ModelEvent out;
        out.track = track->second;
        out.name = builder.name(event.name);
        out.category = event.category;
        out.place = event.place;
        out.begin_ns = event.start_ns;
        out.end_ns = event.start_ns + event.duration_ns;
        out.facts = {event.correlation,
                     event.bytes,
                     builder.name(event.detail),
                     event.launch ? builder.launch(*event.launch) : 0,
                     static_cast<std::int32_t>(event.stream),
                     event.device,
                     event.graph};
        builder.add(out);
    }
    Model frame;
    frame.windows = timeline.windows;
    frame.threads = timeline.threads;
    frame.device = timeline.device;
    frame.notes = timeline.notes;
    return builder.take(std::move(frame));
}

} // namespace cudal1::timeline
