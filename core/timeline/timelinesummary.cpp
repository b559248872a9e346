// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline in numbers.
#include "core/timeline/timelinesummary.h"

#include "core/base/counttext.h"
#include "core/base/ratiotext.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cudal1::timeline {

using nlohmann::json;
using protocol::Timeline;
using protocol::TimelineEvent;
using protocol::TimelineTrack;
using protocol::TimelineWindow;
using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;

namespace {

std::int64_t endOf(const TimelineEvent& event)
{
    return event.start_ns + event.duration_ns;
}

bool isOperator(const TimelineEvent& event)
{
    return event.category == Category::Operator || event.category == Category::UserScope;
}

/// Time of each event without what ran inside it on its track. Events are ordered by track, start, the longer first.
std::vector<std::int64_t> ownTimes(const std::vector<TimelineEvent>& events)
{
    std::vector<std::int64_t> own(events.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < events.size(); ++i) {
        own[i] = events[i].duration_ns;
        if (i > 0 && events[i].track != events[i - 1].track)
            open.clear();
        while (!open.empty() && endOf(events[open.back()]) <= events[i].start_ns)
            open.pop_back();
        if (!open.empty() && isOperator(events[i]))
            own[open.back()] -= events[i].duration_ns;
        open.push_back(i);
    }
    return own;
}

class Rows {
public:
    void add(const TimelineEvent& event, std::int64_t time_ns)
    {
        const std::string detail = isOperator(event) ? std::string() : event.detail;
        EventTotal& row = m_rows[{event.category, event.name, detail}];
        row.category = event.category;
        row.name = event.name;
        row.detail = detail;
        ++row.count;
        row.total_ns += time_ns;
        row.moved.add(event.bytes, event.duration_ns, time_ns);
        if (event.launch) {
            row.oneLaunch = row.oneLaunch && (!row.launch || *row.launch == *event.launch);
            auto& longest = m_longest[&row];
            if (!row.launch || event.duration_ns > longest)
                row.launch = event.launch;
            longest = std::max(longest, event.duration_ns);
        }
    }

    std::vector<EventTotal> take(double windows_ns)
    {
        std::vector<EventTotal> rows;
        for (auto& [key, row] : m_rows) {
            row.share = windows_ns > 0 ? static_cast<double>(row.total_ns) / windows_ns : 0;
            rows.push_back(std::move(row));
        }
        std::stable_sort(rows.begin(), rows.end(),
                         [](const EventTotal& a, const EventTotal& b) { return a.total_ns > b.total_ns; });
        return rows;
    }

private:
    std::map<std::tuple<Category, std::string, std::string>, EventTotal> m_rows;
    std::map<const EventTotal*, std::int64_t> m_longest;
};

void note(Misplaced& misplaced, const TimelineEvent& event, std::int64_t& earliest)
{
    if (misplaced.count++ == 0 || event.start_ns < earliest) {
        earliest = event.start_ns;
        misplaced.first = event.name;
    }
    misplaced.total_ns += event.duration_ns;
}

struct Coverage {
    std::int64_t busy_ns = 0, gap_ns = 0;
};

/// `work` is ordered by start.
Coverage coverageOf(const TimelineWindow& window, const std::vector<const TimelineEvent*>& work)
{
    Coverage out;
    std::int64_t covered = window.start_ns;
    for (const TimelineEvent* event : work) {
        const std::int64_t start = std::max(event->start_ns, window.start_ns),
                           end = std::min(endOf(*event), window.end_ns);
        if (end <= covered || start >= end)
            continue;
        out.gap_ns = std::max(out.gap_ns, start - covered);
        out.busy_ns += end - std::max(start, covered);
        covered = end;
    }
    out.gap_ns = std::max(out.gap_ns, window.end_ns - covered);
    return out;
}

json rowsJson(const std::vector<EventTotal>& rows)
{
    json out = json::array();
    for (const EventTotal& row : rows) {
        json j = {{"category", toString(row.category)},
                  {"name", row.name},
                  {"count", row.count},
                  {"total_ns", row.total_ns},
                  {"share", row.share}};
        if (!row.detail.empty())
            j["detail"] = row.detail;
        if (row.moved.bytes > 0) {
            j["bytes"] = row.moved.bytes;
            j["bytes_per_second"] = row.moved.bytesPerSecond();
        }
        if (row.launch) {
            j["launch"] = *row.launch;
            j["one_launch"] = row.oneLaunch;
        }
        out.push_back(std::move(j));
    }
    return out;
}

json misplacedJson(const Misplaced& v)
{
    return {{"count", v.count}, {"total_ns", v.total_ns}, {"first", v.first}};
}

} // namespace

TimelineSummary summarise(const Timeline& timeline)
{
    TimelineSummary out;
    out.calls = timeline.windows.size();
    out.device = timeline.device != "cpu";

    double windows_ns = 0;
    for (const TimelineWindow& window : timeline.windows)
        windows_ns += static_cast<double>(window.duration_ns());

    Rows device, operators, calls;
    std::vector<const TimelineEvent*> work;
    std::int64_t firstOutside = 0, firstBeyond = 0;
    const std::vector<std::int64_t> own = ownTimes(timeline.events);
    for (std::size_t i = 0; i < timeline.events.size(); ++i) {
        const TimelineEvent& event = timeline.events[i];
        if (out.device ? event.onDevice() : isOperator(event))
            work.push_back(&event);
        if (event.place == Place::Outside) {
            note(out.outside, event, firstOutside);
            continue;
        }
        if (event.place == Place::BeyondStream)
            note(out.beyondStream, event, firstBeyond);
        if (event.onDevice())
            device.add(event, event.duration_ns);
        else if (isOperator(event))
            operators.add(event, own[i]);
        else if (event.category != Category::Wait)
            calls.add(event, event.duration_ns);
    }
    out.deviceRows = device.take(windows_ns);
    out.operatorRows = operators.take(windows_ns);
    out.callRows = calls.take(windows_ns);

    std::sort(work.begin(), work.end(),
              [](const TimelineEvent* a, const TimelineEvent* b) { return a->start_ns < b->start_ns; });
    std::vector<double> durations, busy, gaps, unseen;
    for (const TimelineWindow& window : timeline.windows) {
        const Coverage coverage = coverageOf(window, work);
        durations.push_back(static_cast<double>(window.duration_ns()));
        busy.push_back(static_cast<double>(coverage.busy_ns));
        gaps.push_back(static_cast<double>(coverage.gap_ns));
        std::int64_t last = window.streamDone_ns;
        if (window.streamDone_ns >= 0)
            for (const TimelineEvent* event : work)
                if (event->place == Place::BeyondStream && endOf(*event) > last && event->start_ns < window.end_ns &&
                    endOf(*event) > window.start_ns)
                    last = endOf(*event);
        unseen.push_back(static_cast<double>(last - window.streamDone_ns));
    }
    out.call_ns = base::median(durations);
    out.busy_ns = base::median(busy);
    out.longestGap_ns = base::median(gaps);
    out.unseen_ns = base::median(unseen);
    return out;
}

std::string besideJudgeText(const TimelineSummary& reference, const TimelineSummary& candidate,
                            const base::Interval& judged)
{
    constexpr double slack = 1.1;
    if (!judged.valid() || reference.call_ns <= 0 || candidate.call_ns <= 0)
        return {};
    const double recorded = reference.call_ns / candidate.call_ns;
    if (recorded > judged.low / slack && recorded < judged.high * slack)
        return {};
    const std::size_t calls = std::min(reference.calls, candidate.calls);
    return "The recorded calls give " + base::ratioText(recorded) + ", the judge " + base::ratioText(judged) +
           ". The judge's number counts: a recording has " + base::countText(std::int64_t(calls)) +
           (calls == 1 ? " call" : " calls") +
           " of each side, one side after the other, and writes down every operator and kernel, which slows short "
           "calls most" +
           (reference.device ? "." : "; on a CPU, what else the machine does falls on one side alone.");
}

void to_json(json& j, const TimelineSummary& v)
{
    j = {{"calls", v.calls},
         {"call_ns", v.call_ns},
         {"busy_ns", v.busy_ns},
         {"longest_gap_ns", v.longestGap_ns},
         {"unseen_ns", v.unseen_ns},
         {"device_work", rowsJson(v.deviceRows)},
         {"operators", rowsJson(v.operatorRows)},
         {"calls_of_cuda", rowsJson(v.callRows)},
         {"outside", misplacedJson(v.outside)},
         {"beyond_stream", misplacedJson(v.beyondStream)}};
}

nlohmann::json answerJson(const protocol::TimelineAnswer& answer, const TimelineSummary& reference,
                          const TimelineSummary* candidate)
{
    const auto side = [](const protocol::Timeline& timeline, const TimelineSummary& summary) {
        nlohmann::json j = summary;
        j["windows"] = timeline.windows;
        j["threads"] = timeline.threads;
        j["notes"] = timeline.notes;
        return j;
    };
    return {{"task", answer.task},
            {"candidate_name", answer.candidateName},
            {"device", answer.device},
            {"environment", answer.environment},
            {"recorded_ms", answer.recorded_ms},
            {"precision", toString(answer.precision)},
            {"seed", answer.seed},
            {"reference", side(answer.reference, reference)},
            {"candidate", candidate ? side(*answer.candidate, *candidate) : nlohmann::json(nullptr)}};
}

nlohmann::json shortAnswerJson(const protocol::TimelineAnswer& answer, int rows)
{
    const TimelineSummary reference = summarise(answer.reference);
    const TimelineSummary candidate = answer.candidate ? summarise(*answer.candidate) : TimelineSummary();
    nlohmann::json out = answerJson(answer, reference, answer.candidate ? &candidate : nullptr);
    out.erase("environment");
    for (const char* name : {"reference", "candidate"}) {
        nlohmann::json& shown = out[name];
        if (!shown.is_object())
            continue;
        shown.erase("threads");
        for (const char* table : {"device_work", "operators", "calls_of_cuda"})
            if (shown.contains(table) && shown[table].size() > std::size_t(rows))
                shown[table].erase(shown[table].begin() + rows, shown[table].end());
    }
    return out;
}

} // namespace cudal1::timeline
