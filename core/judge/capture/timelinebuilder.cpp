// SPDX-License-Identifier: GPL-3.0-or-later
// From what was recorded to a timeline.
#include "core/judge/capture/timelinebuilder.h"

#include "core/base/counttext.h"
#include "core/judge/capture/kernelbytes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace cudal1::judge {

namespace {

using protocol::Timeline;
using protocol::TimelineEvent;
using protocol::TimelineTrack;
using protocol::TimelineWindow;
using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;
using TrackKind = TimelineTrack::Kind;

// Times of the device are brought to the host's clock by CUPTI, and from CUPTI's to ours by two readings: some
// microseconds of that is error, not work outside a window.
constexpr std::int64_t clockTolerance_ns = 5'000;
// On the device's own clock.
constexpr std::int64_t streamTolerance_ns = 1'000;
// Names of templates can have thousands of characters.
constexpr std::size_t longestName = 500;
// A call that put nothing on the device and took less is a query, and there are thousands.
constexpr std::int64_t shortestCall_ns = 1'000;

/// A row before it has its number: kind, thread or stream, which of the rows side by side.
using TrackKey = std::tuple<TrackKind, std::int64_t, std::int64_t, int>;

struct PlacedEvent {
    TrackKey key;
    TimelineEvent event;
};

std::int64_t endOf(const TimelineEvent& event)
{
    return event.start_ns + event.duration_ns;
}

class TimelineBuilder {
public:
    explicit TimelineBuilder(RecordedTimeline recorded)
        : m_in(std::move(recorded)), m_origin(m_in.windows.at(0).start_ns)
    {
    }

    Timeline build()
    {
        m_out.device = m_in.device;
        m_out.threads = std::move(m_in.threads);
        m_out.notes = std::move(m_in.notes);
        for (const RecordedWindow& window : m_in.windows)
            m_out.windows.push_back(
                {window.start_ns - m_origin, window.returned_ns - m_origin, -1, window.end_ns - m_origin});
        m_kernelBytes = kernelBytes(m_in.operators, m_in.activity,
                                    [this](std::uint64_t time_ns) { return fromActivity(time_ns) + m_origin; });
        addOperators();
        addActivity();
        sortByStart();
        for (PlacedEvent& placed : m_events)
            placed.event.place = placeOf(placed.event);
        keepWhatFits();
        makeTracks();
        return std::move(m_out);
    }

private:
    std::int64_t fromActivity(std::uint64_t time_ns) const
    {
        const double activitySpan = static_cast<double>(m_in.end.activity_ns) -
                                    static_cast<double>(m_in.begin.activity_ns);
        const double rate = activitySpan > 0 ? static_cast<double>(m_in.end.host_ns - m_in.begin.host_ns) / activitySpan
                                             : 1;
        const auto since = static_cast<std::int64_t>(time_ns -
                                                     m_in.begin.activity_ns); // wraps to negative when earlier
        return m_in.begin.host_ns - m_origin + static_cast<std::int64_t>(static_cast<double>(since) * rate);
    }

    bool inJudgeWork(std::int64_t time_ns) const
    {
        return std::any_of(m_in.judgeWork.begin(), m_in.judgeWork.end(), [&](const auto& span) {
            return time_ns >= span.first - m_origin && time_ns < span.second - m_origin;
        });
    }

    void add(const TrackKey& key, TimelineEvent event)
    {
        const std::int64_t until = m_in.windows.back().until_ns - m_origin;
        if (event.name.size() > longestName) {
            event.name.resize(longestName);
            event.name += "…";
        }
        if (endOf(event) > 0 && event.start_ns < until)
            m_events.push_back({key, std::move(event)});
    }

    void addOperators()
    {
        for (OperatorRecord& record : m_in.operators) {
            TimelineEvent event;
            event.category = record.userScope ? Category::UserScope : Category::Operator;
            event.name = std::move(record.name);
            event.start_ns = record.start_ns - m_origin;
            event.duration_ns = std::max<std::int64_t>(0, record.end_ns - record.start_ns);
            event.detail = std::move(record.shapes);
            add({TrackKind::Operators, record.thread, 0, 0}, std::move(event));
        }
        m_in.operators.clear();
    }

    /// Calls of the driver inside one of the runtime are its inner workings: dropped, and what they put on the device
    /// belongs to the outer call.
    void foldDriverCalls()
    {
        std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>
            last;                                            // thread -> end and correlation of its runtime call
        for (const ActivityRecord& record : m_in.activity) { // ordered by start
            if (record.kind == ActivityRecord::Kind::Runtime) {
                auto& [end, correlation] = last[record.thread];
                if (record.end_ns > end)
                    std::tie(end, correlation) = std::tuple(record.end_ns, record.correlation);
            } else if (record.kind == ActivityRecord::Kind::Driver) {
                const auto outer = last.find(record.thread);
                if (outer != last.end() && record.end_ns <= outer->second.first)
                    m_outerOf[record.correlation] = outer->second.second;
            }
        }
    }

    std::uint32_t outermost(std::uint32_t correlation) const
    {
        const auto outer = m_outerOf.find(correlation);
        return outer == m_outerOf.end() ? correlation : outer->second;
    }

    void addActivity()
    {
        using RecordKind = ActivityRecord::Kind;
        foldDriverCalls();
        std::set<std::uint32_t> judges, used; // correlations: of the judge's calls, of what ran on the device
        for (const ActivityRecord& record : m_in.activity) {
            const bool isCall = record.kind == RecordKind::Runtime || record.kind == RecordKind::Driver;
            if (isCall && record.thread == m_in.judgeThread && inJudgeWork(fromActivity(record.start_ns)))
                judges.insert(outermost(record.correlation));
            else if (!isCall && record.kind != RecordKind::Wait)
                used.insert(outermost(record.correlation));
        }
        for (ActivityRecord& record : m_in.activity) {
            const std::uint32_t correlation = outermost(record.correlation);
            const std::int64_t start = fromActivity(record.start_ns), end = fromActivity(record.end_ns);
            if (judges.contains(correlation)) {
                if (record.kind == RecordKind::Memset)
                    noteStreamDone(end);
                continue;
            }
            if (record.end_ns < record.start_ns || record.end_ns == 0)
                continue; // CUPTI could not read its times
            TimelineEvent event;
            event.name = std::move(record.name);
            event.start_ns = start;
            event.duration_ns = end - start;
            event.correlation = correlation;
            event.stream = record.stream == std::numeric_limits<std::uint32_t>::max() ? -1
                                                                                      : std::int64_t{record.stream};
            switch (record.kind) {
            case RecordKind::Runtime:
            case RecordKind::Driver:
                if (record.kind == RecordKind::Driver && m_outerOf.contains(record.correlation))
                    continue;
                if (event.duration_ns < shortestCall_ns && !used.contains(correlation))
                    continue;
                event.category = record.kind == RecordKind::Runtime ? Category::Runtime : Category::Driver;
                event.stream = -1;
                add({TrackKind::Calls, record.thread, 0, 0}, std::move(event));
                break;
            case RecordKind::Wait:
                // Of the judge's own: not every driver gives a wait the number of the call that waits.
                if (inJudgeWork(start + event.duration_ns / 2))
                    continue;
                event.category = Category::Wait;
                add({TrackKind::Waits, 0, 0, 0}, std::move(event));
                break;
            default: addDeviceWork(record, std::move(event));
            }
        }
        m_in.activity.clear();
    }

    void addDeviceWork(ActivityRecord& record, TimelineEvent event)
    {
        event.device = static_cast<int>(record.device);
        event.graph = record.graph;
        event.graphNode = static_cast<std::int64_t>(record.graphNode);
        event.bytes = static_cast<std::int64_t>(record.bytes);
        event.detail = std::move(record.detail);
        if (record.kind == ActivityRecord::Kind::Kernel) {
            event.category = Category::Kernel;
            if (const auto known = m_kernelBytes.find(record.correlation); known != m_kernelBytes.end())
                event.bytes = known->second;
            event.launch = protocol::KernelLaunch{record.grid, record.block, record.registers,
                                                  record.staticShared_bytes, record.dynamicShared_bytes};
            add({TrackKind::Stream, record.device, record.stream, 0}, std::move(event));
        } else {
            event.category = record.kind == ActivityRecord::Kind::Copy ? Category::Copy : Category::Memset;
            add({TrackKind::Copies, record.device, 0, 0}, std::move(event));
        }
    }

    void noteStreamDone(std::int64_t time_ns)
    {
        for (TimelineWindow& window : m_out.windows)
            if (time_ns >= window.start_ns && time_ns <= window.end_ns + clockTolerance_ns)
                window.streamDone_ns = time_ns;
    }

    void sortByStart()
    {
        std::sort(m_events.begin(), m_events.end(), [](const PlacedEvent& a, const PlacedEvent& b) {
            return std::pair(a.event.start_ns, -a.event.duration_ns) <
                   std::pair(b.event.start_ns, -b.event.duration_ns);
        });
    }

    /// Events that must not be dropped for want of room come first, then those of the device, then the longest: what
    /// lies within another goes before it.
    static bool matters(const PlacedEvent& a, const PlacedEvent& b)
    {
        const auto rank = [](const TimelineEvent& event) {
            return std::tuple(event.place == Place::Inside, !event.onDevice(), -event.duration_ns, event.start_ns);
        };
        return rank(a.event) < rank(b.event);
    }

    /// As many whole calls as there is room for, from the front; of a call that is too long, what matters most. Work
    /// outside of the windows stays in any case: a flood of operators must not hide it.
    void keepWhatFits()
    {
        const std::size_t all = m_events.size(), allWindows = m_in.windows.size();
        if (all <= m_in.maxEvents)
            return;
        const auto ofFirst = [this](std::size_t windows) {
            const std::int64_t until = m_in.windows[windows - 1].until_ns - m_origin;
            return [until](const PlacedEvent& placed) {
                return placed.event.place != Place::Inside || placed.event.start_ns < until;
            };
        };
        std::size_t windows = allWindows - 1;
        while (windows > 1 && static_cast<std::size_t>(
                                  std::count_if(m_events.begin(), m_events.end(), ofFirst(windows))) > m_in.maxEvents)
            --windows;
        if (windows > 0) {
            const auto belongs = ofFirst(windows);
            std::erase_if(m_events, [&](const PlacedEvent& placed) { return !belongs(placed); });
            m_out.windows.resize(windows);
        }
        const bool cut = m_events.size() > m_in.maxEvents;
        if (cut) {
            const auto end = m_events.begin() + static_cast<std::ptrdiff_t>(m_in.maxEvents);
            std::nth_element(m_events.begin(), end, m_events.end(), matters);
            m_events.erase(end, m_events.end());
            sortByStart();
        }
        m_out.leftOut = static_cast<std::int64_t>(all - m_events.size());
        std::string what = cut ? "the shortest" : "";
        if (const std::size_t calls = allWindows - m_out.windows.size(); calls > 0)
            what += std::string(cut ? ", and " : "") +
                    (calls == 1 ? "those of the last call" : "those of the last " + std::to_string(calls) + " calls");
        m_out.notes.push_back(base::countText(m_out.leftOut) + " of " + base::countText(std::int64_t(all)) +
                              " events are left out: " + what + ".");
    }

    Place placeOf(const TimelineEvent& event) const
    {
        for (const TimelineWindow& window : m_out.windows) {
            if (event.start_ns < window.start_ns - clockTolerance_ns ||
                endOf(event) > window.end_ns + clockTolerance_ns)
                continue;
            const bool beyond = event.onDevice() && window.streamDone_ns >= 0 &&
                                endOf(event) > window.streamDone_ns + streamTolerance_ns;
            return beyond ? Place::BeyondStream : Place::Inside;
        }
        return Place::Outside;
    }

    /// Puts events that cross side by side. On host rows a call may lie within another; on the device two at the same
    /// time are always two.
    void separate()
    {
        std::map<TrackKey, std::vector<std::vector<std::int64_t>>> rows; // of a key, the open ends of each row
        for (PlacedEvent& placed : m_events) {
            const bool nests = std::get<0>(placed.key) == TrackKind::Operators ||
                               std::get<0>(placed.key) == TrackKind::Calls;
            auto& lanes = rows[placed.key];
            const std::int64_t start = placed.event.start_ns, end = endOf(placed.event);
            std::size_t lane = 0;
            for (;; ++lane) {
                if (lane == lanes.size())
                    lanes.emplace_back();
                auto& open = lanes[lane];
                while (!open.empty() && open.back() <= start)
                    open.pop_back();
                if (open.empty() || (nests && end <= open.back()))
                    break;
            }
            lanes[lane].push_back(end);
            std::get<3>(placed.key) = static_cast<int>(lane);
        }
    }

    /// The judge's thread first: it is where forward runs.
    std::tuple<int, int, std::int64_t, int, std::int64_t, int> orderOf(const TrackKey& key) const
    {
        const auto& [kind, owner, stream, lane] = key;
        const bool host = kind == TrackKind::Operators || kind == TrackKind::Calls;
        return {host ? 0 : 1,     host && owner != m_in.judgeThread ? 1 : 0,
                host ? owner : 0, static_cast<int>(kind),
                stream,           lane};
    }

    std::string nameOf(const TrackKey& key) const
    {
        const auto& [kind, owner, stream, lane] = key;
        const std::string beside = lane > 0 ? " (" + std::to_string(lane + 1) + ")" : "";
        if (kind == TrackKind::Stream)
            return "stream " + std::to_string(stream) + beside;
        if (kind == TrackKind::Copies)
            return "copies and memsets" + beside;
        if (kind == TrackKind::Waits)
            return "waits for the device" + beside;
        const auto known = m_in.threadNames.find(owner);
        return std::string(kind == TrackKind::Calls ? "CUDA calls of " : "") + "thread " + std::to_string(owner) +
               (known != m_in.threadNames.end() && !known->second.empty() ? " (" + known->second + ")" : "") + beside;
    }

    void makeTracks()
    {
        separate();
        const auto before = [this](const TrackKey& a, const TrackKey& b) {
            return std::pair(orderOf(a), a) < std::pair(orderOf(b), b);
        };
        std::map<TrackKey, int, decltype(before)> ids(before);
        for (const PlacedEvent& placed : m_events)
            ids.emplace(placed.key, 0);
        for (auto& [key, id] : ids) {
            id = static_cast<int>(m_out.tracks.size()) + 1;
            const bool host = std::get<0>(key) == TrackKind::Operators || std::get<0>(key) == TrackKind::Calls;
            m_out.tracks.push_back({id, std::get<0>(key), nameOf(key), host ? std::get<1>(key) : 0});
        }
        for (PlacedEvent& placed : m_events) {
            placed.event.track = ids.at(placed.key);
            m_out.events.push_back(std::move(placed.event));
        }
        std::stable_sort(m_out.events.begin(), m_out.events.end(),
                         [](const TimelineEvent& a, const TimelineEvent& b) { return a.track < b.track; });
    }

    RecordedTimeline m_in;
    std::int64_t m_origin;
    Timeline m_out;
    std::vector<PlacedEvent> m_events;                   ///< ordered by start, the longer first, from sortByStart on
    std::map<std::uint32_t, std::int64_t> m_kernelBytes; ///< by correlation, of the kernels that tell
    std::map<std::uint32_t, std::uint32_t> m_outerOf;    ///< driver call inside a runtime call
};

} // namespace

Timeline buildTimeline(RecordedTimeline recorded)
{
    return TimelineBuilder(std::move(recorded)).build();
}

} // namespace cudal1::judge
