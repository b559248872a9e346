// SPDX-License-Identifier: GPL-3.0-or-later
// Chrome's trace format: writing and reading.
#include "core/timeline/chrometrace.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>

namespace cudal1::timeline {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
using protocol::Timeline;
using protocol::TimelineAnswer;
using protocol::TimelineEvent;
using protocol::TimelineTrack;
using protocol::TimelineWindow;
using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;

namespace {

constexpr int windowRow = 0, markRow = threadsOfAProcess - 1;
constexpr int referenceProcess = 1, candidateProcess = 2;

std::string quoted(const std::string& text)
{
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string microseconds(std::int64_t time_ns)
{
    char text[40];
    const std::int64_t size = time_ns < 0 ? -time_ns : time_ns;
    std::snprintf(text, sizeof text, "%s%lld.%03lld", time_ns < 0 ? "-" : "", static_cast<long long>(size / 1000),
                  static_cast<long long>(size % 1000));
    return text;
}

json argumentsOf(const TimelineEvent& event)
{
    json args = json::object();
    if (event.correlation)
        args["correlation"] = event.correlation;
    if (!event.detail.empty())
        args["detail"] = event.detail;
    if (event.bytes) {
        args["bytes"] = event.bytes;
        if (event.duration_ns > 0)
            args["bytes_per_second"] = static_cast<double>(event.bytes) * 1e9 / static_cast<double>(event.duration_ns);
    }
    if (event.device >= 0)
        args["device"] = event.device;
    if (event.stream >= 0)
        args["stream"] = event.stream;
    if (event.graph)
        args["graph"] = event.graph;
    if (event.graphNode)
        args["graph_node"] = event.graphNode;
    if (event.launch)
        args.update(json(*event.launch));
    return args;
}

class Writer {
public:
    Writer(std::ostream& out, const TimelineAnswer& answer, std::stop_token stop)
        : m_out(out), m_answer(answer), m_stop(std::move(stop))
    {
        for (const Timeline* side : {&answer.reference, answer.candidate ? &*answer.candidate : nullptr})
            if (side)
                for (const TimelineEvent& event : side->events)
                    m_offset = std::max(m_offset, -event.start_ns);
    }

    bool write()
    {
        m_out << "{\"displayTimeUnit\":\"ns\",\n\"cudal1_timeline\":"
              << description().dump(-1, ' ', false, json::error_handler_t::replace) << ",\n\"traceEvents\":[";
        side(referenceProcess, "reference " + m_answer.task, m_answer.reference);
        if (m_answer.candidate)
            side(candidateProcess, "candidate " + m_answer.candidateName, *m_answer.candidate);
        m_out << "\n]}\n";
        return !m_stop.stop_requested();
    }

private:
    static json sideDescription(const Timeline& timeline)
    {
        Timeline rest = timeline;
        rest.events.clear();
        json j = rest;
        j.erase("events");
        j.erase("texts");
        return j;
    }

    json description() const
    {
        return {{"version", traceVersion},
                {"offset_ns", m_offset},
                {"task", m_answer.task},
                {"candidate_name", m_answer.candidateName},
                {"device", m_answer.device},
                {"environment", m_answer.environment},
                {"precision", toString(m_answer.precision)},
                {"seed", m_answer.seed},
                {"recorded_ms", m_answer.recorded_ms},
                {"output", m_answer.output},
                {"reference", sideDescription(m_answer.reference)},
                {"candidate", m_answer.candidate ? sideDescription(*m_answer.candidate) : json(nullptr)}};
    }

    std::ostream& begin()
    {
        m_out << (m_first ? "\n" : ",\n");
        m_first = false;
        return m_out;
    }

    static std::string where(int process, int row)
    {
        return "\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(process * threadsOfAProcess + row);
    }

    void name(int process, int row, const char* what, const std::string& text)
    {
        begin() << "{\"ph\":\"M\"," << where(process, row) << ",\"name\":\"" << what
                << "\",\"args\":{\"name\":" << quoted(text) << "}}";
    }

    void order(int process, int row, const char* what, int index)
    {
        begin() << "{\"ph\":\"M\"," << where(process, row) << ",\"name\":\"" << what
                << "\",\"args\":{\"sort_index\":" << index << "}}";
    }

    void complete(int process, int row, const std::string& category, const std::string& text, std::int64_t start_ns,
                  std::int64_t duration_ns, const json& args)
    {
        begin() << "{\"ph\":\"X\"," << where(process, row) << ",\"ts\":" << microseconds(start_ns + m_offset)
                << ",\"dur\":" << microseconds(duration_ns) << ",\"cat\":\"" << category
                << "\",\"name\":" << quoted(text);
        if (!args.empty())
            m_out << ",\"args\":" << args.dump(-1, ' ', false, json::error_handler_t::replace);
        m_out << "}";
    }

    void windows(int process, const Timeline& timeline)
    {
        name(process, windowRow, "thread_name", "timed window");
        order(process, windowRow, "thread_sort_index", -2);
        for (std::size_t i = 0; i < timeline.windows.size(); ++i) {
            const TimelineWindow& window = timeline.windows[i];
            json args = {{"from", "idle device"}, {"to", "idle device"}};
            if (window.streamDone_ns >= 0)
                args["the caller's stream was done after, us"] = static_cast<double>(window.streamDone_ns -
                                                                                     window.start_ns) /
                                                                 1e3;
            complete(process, windowRow, "window", "call " + std::to_string(i + 1), window.start_ns,
                     window.duration_ns(), args);
            complete(process, windowRow, "window", "forward", window.start_ns, window.returned_ns - window.start_ns,
                     {});
            if (timeline.device != "cpu")
                complete(process, windowRow, "window", "wait for the device", window.returned_ns,
                         window.end_ns - window.returned_ns, {});
        }
    }

    void marks(int process, const Timeline& timeline)
    {
        bool any = false;
        for (const TimelineEvent& event : timeline.events) {
            if (event.place == Place::Inside)
                continue;
            if (!any) {
                name(process, markRow, "thread_name", "outside the window");
                order(process, markRow, "thread_sort_index", -1);
            }
            any = true;
            const char* how = event.place == Place::Outside ? "outside: " : "after the caller's stream: ";
            begin() << "{\"ph\":\"i\",\"s\":\"t\"," << where(process, markRow)
                    << ",\"ts\":" << microseconds(event.start_ns + m_offset)
                    << ",\"cat\":\"mark\",\"name\":" << quoted(how + event.name) << "}";
        }
    }

    /// One arrow for each piece of work on the device, also when one call launched a graph of hundreds.
    void arrows(int process, const Timeline& timeline)
    {
        std::map<std::uint64_t, const TimelineEvent*> calls;
        for (const TimelineEvent& event : timeline.events)
            if (event.correlation && (event.category == Category::Runtime || event.category == Category::Driver))
                calls.emplace(event.correlation, &event);
        for (const TimelineEvent& event : timeline.events) {
            const auto call = event.onDevice() ? calls.find(event.correlation) : calls.end();
            if (call == calls.end())
                continue;
            const auto end = [&](const char* phase, const TimelineEvent& at) {
                begin() << "{\"ph\":\"" << phase << "\",\"id\":" << m_arrow << "," << where(process, at.track)
                        << ",\"ts\":" << microseconds(at.start_ns + m_offset)
                        << ",\"cat\":\"launch\",\"name\":\"launch\"}";
            };
            ++m_arrow;
            end("s", *call->second);
            end("f\",\"bp\":\"e", event);
        }
    }

    void side(int process, const std::string& title, const Timeline& timeline)
    {
        name(process, windowRow, "process_name", title);
        order(process, windowRow, "process_sort_index", process);
        windows(process, timeline);
        marks(process, timeline);
        for (const TimelineTrack& track : timeline.tracks) {
            name(process, track.id, "thread_name", track.name);
            order(process, track.id, "thread_sort_index", track.id);
        }
        for (const TimelineEvent& event : timeline.events) {
            if (m_stop.stop_requested())
                return;
            std::string category(toString(event.category));
            if (event.place != Place::Inside)
                category += "," + std::string(toString(event.place));
            complete(process, event.track, category, event.name, event.start_ns, event.duration_ns, argumentsOf(event));
        }
        arrows(process, timeline);
    }

    std::ostream& m_out;
    const TimelineAnswer& m_answer;
    std::stop_token m_stop;
    std::int64_t m_offset = 0;
    std::uint64_t m_arrow = 0;
    bool m_first = true;
};

// ---- reading -------------------------------------------------------------------------------------------------------

std::int64_t nanoseconds(const json& event, const char* key)
{
    const double time_us = event.at(key).get<double>();
    // Beyond this a double no longer tells nanoseconds apart, and an integer would overflow.
    if (!(std::abs(time_us) < 1e12))
        throw std::out_of_range(std::string(key) + " is no time of a timeline");
    return std::llround(time_us * 1000);
}

template<class T> void get(const json& j, const char* key, T& out)
{
    if (const auto it = j.find(key); it != j.end())
        it->get_to(out);
}

TimelineEvent eventOf(const json& j, int track, std::int64_t offset_ns)
{
    TimelineEvent event;
    event.track = track;
    j.at("name").get_to(event.name);
    event.start_ns = nanoseconds(j, "ts") - offset_ns;
    event.duration_ns = nanoseconds(j, "dur");
    std::string category = j.at("cat").get<std::string>(), place;
    if (const std::size_t comma = category.find(','); comma != std::string::npos) {
        place = category.substr(comma + 1);
        category.resize(comma);
    }
    if (!fromString(category, event.category) || (!place.empty() && !fromString(place, event.place)))
        throw std::out_of_range("the category \"" + j.at("cat").get<std::string>() + "\" is not known");
    if (const auto args = j.find("args"); args != j.end()) {
        get(*args, "correlation", event.correlation);
        get(*args, "detail", event.detail);
        get(*args, "bytes", event.bytes);
        get(*args, "device", event.device);
        get(*args, "stream", event.stream);
        get(*args, "graph", event.graph);
        get(*args, "graph_node", event.graphNode);
        if (args->contains("grid"))
            event.launch = args->get<protocol::KernelLaunch>();
    }
    return event;
}

/// Throws what a damaged file leads to: json::exception, std::out_of_range.
TimelineAnswer answerOf(const json& file)
{
    json description = file.at("cudal1_timeline");
    const std::int64_t offset_ns = description.at("offset_ns").get<std::int64_t>();
    for (const char* side : {"reference", "candidate"})
        if (description.contains(side) && description[side].is_object())
            description[side]["events"] = json::array();
    auto answer = description.get<TimelineAnswer>();

    std::size_t number = 0;
    for (const json& j : file.at("traceEvents")) {
        ++number;
        try {
            if (j.at("ph") != "X" || j.at("cat") == "window")
                continue;
            const int process = j.at("pid").get<int>();
            if (process != referenceProcess && !(process == candidateProcess && answer.candidate))
                throw std::out_of_range("there is no side " + std::to_string(process));
            Timeline& side = process == referenceProcess ? answer.reference : *answer.candidate;
            side.events.push_back(eventOf(j, j.at("tid").get<int>() - process * threadsOfAProcess, offset_ns));
        } catch (const std::exception& error) {
            throw std::out_of_range("event " + std::to_string(number) + ": " + error.what());
        }
    }
    for (const Timeline* side : {&answer.reference, answer.candidate ? &*answer.candidate : nullptr})
        if (const std::string problem = side ? problemOf(*side) : std::string(); !problem.empty())
            throw std::out_of_range(problem);
    return answer;
}

} // namespace

bool writeTrace(std::ostream& out, const TimelineAnswer& answer, std::stop_token stop)
{
    return Writer(out, answer, std::move(stop)).write();
}

base::Status saveTrace(const std::filesystem::path& path, const TimelineAnswer& answer, std::stop_token stop)
{
    namespace fs = std::filesystem;
    std::error_code error;
    const auto failed = [&path](const std::string& why) {
        return Error{ErrorCode::Unavailable, "The timeline cannot be written: " + why, path.string(),
                     "Choose a file in a folder that can be written and has room"};
    };
    // What a link leads to is replaced, not the link; what is no file, such as a pipe, is written into.
    fs::path target = path;
    for (int links = 0; links < 40 && fs::is_symlink(target, error); ++links)
        target = target.parent_path() / fs::read_symlink(target, error);
    if (fs::is_directory(target, error))
        return failed("it is a folder");
    const bool replaced = !fs::exists(target, error) || fs::is_regular_file(target, error);
    fs::path partial = target;
    if (replaced)
        partial += ".partial";
    const auto discard = [&] {
        if (replaced)
            fs::remove(partial, error);
    };
    {
        errno = 0;
        std::ofstream out(partial, std::ios::binary);
        const bool whole = out && writeTrace(out, answer, std::move(stop));
        out.close();
        const int failure = errno;
        if (out && !whole) {
            discard();
            return Error{ErrorCode::Cancelled, "Writing was stopped; nothing was written", path.string(), {}};
        }
        if (!out) {
            discard();
            return failed(failure ? std::strerror(failure) : "not all of it arrived");
        }
    }
    if (!replaced)
        return {};
    fs::rename(partial, target, error);
    if (error) {
        const std::string why = error.message();
        discard();
        return failed(why);
    }
    return {};
}

base::Result<TimelineAnswer> readTrace(std::string_view text, const std::string& name)
{
    const char* const ours = "Make one with `cudal1 timeline TASK -o FILE`";
    try {
        const json file = json::parse(text.begin(), text.end());
        if (!file.is_object() || !file.contains("traceEvents"))
            return Error{ErrorCode::Unreadable, "This file is no trace: it has no traceEvents", name, ours};
        if (!file.contains("cudal1_timeline"))
            return Error{ErrorCode::InvalidArgument, "This trace was written by another program", name,
                         std::string("It has no timed windows to compare: `cudal1 timeline show FILE` and the window's "
                                     "Timeline page show it all the same. ") +
                             ours};
        const int version = file.at("cudal1_timeline").at("version").get<int>();
        if (version > traceVersion)
            return Error{ErrorCode::TooNew,
                         "This timeline is of version " + std::to_string(version) + ", this program reads version " +
                             std::to_string(traceVersion),
                         name, "Install a later version"};
        return answerOf(file);
    } catch (const json::parse_error& error) {
        return Error{ErrorCode::Unreadable,
                     "This file is no trace, or was cut short: its JSON ends or breaks at byte " +
                         std::to_string(error.byte),
                     name, ours};
    } catch (const std::exception& error) {
        return Error{ErrorCode::Unreadable, std::string("This timeline is damaged: ") + error.what(), name, ours};
    }
}

base::Status traceFileIsThere(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return Error{ErrorCode::NotFound, "There is no file " + path.string(), {}, {}};
    if (std::filesystem::is_directory(path, error))
        return Error{ErrorCode::Unreadable, "This is a folder, not a trace", path.string(), "Name a file in it"};
    if (std::filesystem::is_character_file(path, error) || std::filesystem::is_block_file(path, error))
        return Error{ErrorCode::Unreadable, "This is a device, not a trace", path.string(), "Name a file"};
    return {};
}

base::Result<TimelineAnswer> loadTrace(const std::filesystem::path& path)
{
    if (const auto file = traceFileIsThere(path); !file)
        return file.error();
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in)
        return Error{ErrorCode::Unreadable, "The file cannot be read", path.string(), "Look at who may read it"};
    return readTrace(text.view(), path.string());
}

} // namespace cudal1::timeline
