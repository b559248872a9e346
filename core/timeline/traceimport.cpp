// SPDX-License-Identifier: GPL-3.0-or-later
// From entries of traces to events of models.
#include "core/timeline/traceimport.h"

#include "core/base/counttext.h"
#include "core/timeline/chrometrace.h"
#include "core/timeline/traceentry.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

namespace cudal1::timeline {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
using protocol::TimelineEvent;
using protocol::TimelineTrack;
using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;
using Token = JsonReader::Token;

namespace {

struct Stopped {};

std::string referenceTitle(const protocol::TimelineAnswer& answer)
{
    return "reference " + answer.task;
}
std::string candidateTitle(const protocol::TimelineAnswer& answer)
{
    return answer.candidateName.empty() ? "candidate" : answer.candidateName;
}

Category categoryOf(std::string_view word)
{
    Category category = Category::UserScope;
    if (protocol::fromString(word, category))
        return category;
    if (word == "gpu_memcpy")
        return Category::Copy;
    if (word == "gpu_memset")
        return Category::Memset;
    if (word == "cuda_runtime")
        return Category::Runtime;
    if (word == "cuda_driver")
        return Category::Driver;
    if (word == "cuda_sync")
        return Category::Wait;
    if (word == "cpu_op")
        return Category::Operator;
    return Category::UserScope;
}

TimelineTrack::Kind kindOf(Category category)
{
    switch (category) {
    case Category::Runtime:
    case Category::Driver: return TimelineTrack::Kind::Calls;
    case Category::Wait: return TimelineTrack::Kind::Waits;
    case Category::Kernel: return TimelineTrack::Kind::Stream;
    case Category::Copy:
    case Category::Memset: return TimelineTrack::Kind::Copies;
    default: return TimelineTrack::Kind::Operators;
    }
}

class Importer {
public:
    Importer(JsonReader& reader, std::string file) : m_reader(reader), m_file(std::move(file)) {}

    void read()
    {
        Token token = m_reader.next();
        if (token == Token::BeginArray) {
            m_found = true;
            readEvents(true);
        } else if (token == Token::BeginObject) {
            while ((token = m_reader.next()) == Token::Key) {
                const std::string key(m_reader.text());
                token = m_reader.next();
                if (key == "traceEvents" && token == Token::BeginArray) {
                    m_found = true;
                    readEvents(false);
                } else if (key == "cudal1_timeline" && token == Token::BeginObject && !m_found) {
                    takeDescription(m_reader.valueOf(token));
                } else {
                    m_reader.skip(token);
                }
            }
        } else {
            throw JsonError("a trace is an object or a list", m_reader.position());
        }
        if (!m_cutShort)
            m_reader.next(); // nothing may follow
    }

    bool found() const { return m_found; }

    OpenedTrace take(const Watch& watch)
    {
        OpenedTrace out;
        out.ours = m_ours.has_value();
        const auto add = [&](Source& source, std::string title, Model frame) {
            auto model = source.builder.take(std::move(frame), watch.stop);
            if (!model)
                throw Stopped{};
            out.sides.push_back({std::move(title), std::move(model)});
        };
        if (m_ours) {
            out.device = m_ours->device.model;
            add(m_sources[0], referenceTitle(*m_ours), frameOf(m_ours->reference));
            if (m_ours->candidate)
                add(m_sources[1], candidateTitle(*m_ours), frameOf(*m_ours->candidate));
            return out;
        }
        closeOpen();
        nameTracks();
        Source& all = m_sources[0];
        for (ModelEvent& event : all.builder.events()) {
            event.begin_ns -= m_first_ns;
            event.end_ns -= m_first_ns;
        }
        Model frame;
        if (m_others > 0)
            frame.notes.push_back(base::countText(std::int64_t(m_others)) +
                                  " entries of other kinds (counters, flows, asynchronous) are not shown.");
        if (m_unmatched > 0)
            frame.notes.push_back(base::countText(std::int64_t(m_unmatched)) +
                                  " begins or ends of events have no counterpart.");
        if (m_cutShort)
            frame.notes.push_back("The file has no end: it may have been cut short.");
        add(all, m_file, std::move(frame));
        return out;
    }

private:
    struct Source {
        ModelBuilder builder;
    };
    struct Track {
        std::size_t source = 0;
        std::uint32_t number = 0;
        std::uint64_t process = 0;
        std::string threadText;
        bool skipped = false; ///< ours: the rows of windows and marks
        bool used = false;
        std::uint32_t name = 0; ///< given by the file
        std::int64_t sortIndex = 0;
        std::vector<ModelEvent> open; ///< begun and not ended
    };
    struct Process {
        std::string text;
        std::uint32_t name = 0;
        std::int64_t sortIndex = 0;
    };

    static Model frameOf(const protocol::Timeline& timeline)
    {
        Model frame;
        frame.windows = timeline.windows;
        frame.threads = timeline.threads;
        frame.device = timeline.device;
        frame.notes = timeline.notes;
        return frame;
    }

    void takeDescription(json description)
    {
        const int version = description.at("version").get<int>();
        if (version > traceVersion)
            throw Error{ErrorCode::TooNew,
                        "This timeline is of version " + std::to_string(version) + ", this program reads version " +
                            std::to_string(traceVersion),
                        m_file, "Install a later version"};
        m_offset_ns = description.at("offset_ns").get<std::int64_t>();
        for (const char* side : {"reference", "candidate"})
            if (description.contains(side) && description[side].is_object())
                description[side]["events"] = json::array();
        m_ours = description.get<protocol::TimelineAnswer>();
        for (const protocol::Timeline* side : {&m_ours->reference, m_ours->candidate ? &*m_ours->candidate : nullptr})
            if (const std::string problem = side ? problemOf(*side) : std::string(); !problem.empty())
                throw Error{ErrorCode::Unreadable, "This timeline is damaged: " + problem, m_file, {}};
        m_sources.resize(2);
        addTracks(1, 0, m_ours->reference);
        if (m_ours->candidate)
            addTracks(2, 1, *m_ours->candidate);
    }

    void addTracks(int process, std::size_t source, const protocol::Timeline& timeline)
    {
        for (const TimelineTrack& track : timeline.tracks) {
            Track added;
            added.source = source;
            added.number = m_sources[source].builder.addTrack(track.kind, track.name, track.id);
            m_tracks.emplace(key({process, false}, {threadOf(process, track.id), false}), std::move(added));
        }
    }

    void readEvents(bool endIsOptional)
    {
        for (;;) {
            Token token;
            try {
                token = m_reader.next();
            } catch (const JsonError& error) {
                // A program that is killed leaves a list without its end; the format allows that between events.
                if (!endIsOptional || !error.atEnd())
                    throw;
                m_cutShort = true;
                return;
            }
            if (token == Token::EndArray)
                return;
            if (token != Token::BeginObject)
                throw JsonError("an event is an object", m_reader.position());
            m_entryAt = m_reader.position();
            take(m_entries.read());
        }
    }

    static std::int64_t threadOf(int process, int track) { return std::int64_t(process) * threadsOfAProcess + track; }

    static std::uint64_t key(TraceIdent process, TraceIdent thread)
    {
        // Ids are small, so that this mixes without collisions in practice; equal keys would share a track.
        return process.key() * 0x9E3779B97F4A7C15ull ^ thread.key();
    }

    Track& trackOf(const TraceEntry& entry)
    {
        const std::uint64_t wanted = key(entry.process, entry.thread);
        if (m_last && wanted == m_lastKey)
            return *m_last;
        const auto [it, isNew] = m_tracks.try_emplace(wanted);
        Track& track = it->second;
        if (isNew) {
            if (m_ours)
                track.skipped = true;
            else
                track.number = m_sources[0].builder.addTrack(TimelineTrack::Kind::Operators, {});
            track.process = entry.process.key();
            track.threadText = textOf(entry.thread);
            Process& process = m_processes[track.process];
            if (process.text.empty())
                process.text = textOf(entry.process);
        }
        m_last = &track;
        m_lastKey = wanted;
        return track;
    }

    std::string textOf(TraceIdent ident) const
    {
        return ident.isText ? m_texts.text(static_cast<std::uint32_t>(ident.number)) : std::to_string(ident.number);
    }

    void take(const TraceEntry& entry)
    {
        switch (entry.phase) {
        case 'X':
        case 'B':
        case 'i':
        case 'I':
            if (!entry.hasTime)
                throw JsonError("an event has no time", m_entryAt);
            break;
        case 'E':
            if (!entry.hasTime)
                throw JsonError("an event has no time", m_entryAt);
            return end(entry);
        case 'M': return takeName(entry);
        default: ++m_others; return;
        }
        if (m_ours && entry.phase != 'X')
            return; // marks, which the places of events say too
        Track& track = trackOf(entry);
        if (track.skipped) {
            if (m_texts.text(entry.category) != "window")
                throw JsonError("an event is on a track that is not there", m_entryAt);
            return;
        }
        if (++m_count == noEvent)
            throw JsonError("there are more events than this program can number", m_entryAt);
        ModelBuilder& builder = m_sources[track.source].builder;
        ModelEvent event;
        event.track = track.number;
        event.name = builder.name(m_texts.text(entry.name));
        takeCategory(entry, event);
        event.begin_ns = entry.time_ns - m_offset_ns;
        event.end_ns = event.begin_ns +
                       (entry.phase == 'X' && entry.hasDuration ? std::max<std::int64_t>(0, entry.duration_ns) : 0);
        event.facts = entry.facts;
        if (entry.hasDetail)
            event.facts.detail = builder.name(entry.detail);
        if (entry.hasLaunch)
            event.facts.launch = builder.launch(entry.launch);
        m_first_ns = std::min(m_first_ns, event.begin_ns);
        m_last_ns = std::max(m_last_ns, event.end_ns);
        if (!track.used && !m_ours)
            builder.track(track.number).kind = kindOf(event.category);
        track.used = true;
        if (entry.phase == 'B')
            track.open.push_back(event);
        else
            builder.add(event);
    }

    void takeCategory(const TraceEntry& entry, ModelEvent& event)
    {
        if (entry.category >= m_categories.size())
            m_categories.resize(entry.category + 1);
        auto& known = m_categories[entry.category];
        if (!known) {
            std::string_view word = m_texts.text(entry.category), place;
            if (const std::size_t comma = word.find(','); comma != word.npos && m_ours) {
                place = word.substr(comma + 1);
                word = word.substr(0, comma);
            }
            known.emplace();
            known->first = categoryOf(word);
            if (m_ours && ((!protocol::fromString(word, known->first)) ||
                           (!place.empty() && !protocol::fromString(place, known->second))))
                throw JsonError("the category \"" + m_texts.text(entry.category) + "\" is not known", m_entryAt);
        }
        event.category = known->first;
        event.place = known->second;
    }

    void end(const TraceEntry& entry)
    {
        Track& track = trackOf(entry);
        if (track.open.empty()) {
            ++m_unmatched;
            return;
        }
        ModelEvent event = track.open.back();
        track.open.pop_back();
        event.end_ns = std::max(event.begin_ns, entry.time_ns - m_offset_ns);
        m_last_ns = std::max(m_last_ns, event.end_ns);
        m_sources[track.source].builder.add(event);
    }

    /// What was never ended goes on to the end of the trace.
    void closeOpen()
    {
        for (auto& [wanted, track] : m_tracks)
            for (ModelEvent& event : track.open) {
                event.end_ns = m_last_ns;
                m_sources[track.source].builder.add(event);
                ++m_unmatched;
            }
    }

    void takeName(const TraceEntry& entry)
    {
        if (m_ours)
            return;
        const std::string& what = m_texts.text(entry.name);
        if (what == "process_name" || what == "process_sort_index") {
            Process& process = m_processes[entry.process.key()];
            if (process.text.empty())
                process.text = textOf(entry.process);
            (what == "process_name" ? process.name : m_ignored) = entry.givenName;
            if (what == "process_sort_index")
                process.sortIndex = entry.sortIndex;
        } else if (what == "thread_name") {
            trackOf(entry).name = entry.givenName;
        } else if (what == "thread_sort_index") {
            trackOf(entry).sortIndex = entry.sortIndex;
        }
    }

    void nameTracks()
    {
        const bool several = std::count_if(m_processes.begin(), m_processes.end(),
                                           [](const auto& p) { return !p.second.text.empty(); }) > 1;
        const auto clamped = [](std::int64_t index) {
            return std::clamp<std::int64_t>(index, -1'000'000'000, 1'000'000'000);
        };
        for (auto& [wanted, track] : m_tracks) {
            const Process& process = m_processes[track.process];
            std::string name = track.name ? m_texts.text(track.name) : "thread " + track.threadText;
            while (!name.empty() && name.back() == ' ')
                name.pop_back();
            if (several)
                name += " · " + (process.name ? m_texts.text(process.name) : process.text);
            m_sources[0].builder.track(track.number).name = name;
            m_sources[0].builder.setOrder(track.number,
                                          clamped(process.sortIndex) * 4'000'000'000 + clamped(track.sortIndex));
        }
    }

    JsonReader& m_reader;
    std::string m_file;
    bool m_found = false, m_cutShort = false;
    std::optional<protocol::TimelineAnswer> m_ours;
    std::int64_t m_offset_ns = 0;
    std::vector<Source> m_sources = std::vector<Source>(1);
    TraceTexts m_texts;
    TraceEntryReader m_entries{m_reader, m_texts};
    std::unordered_map<std::uint64_t, Track> m_tracks;
    std::unordered_map<std::uint64_t, Process> m_processes;
    std::vector<std::optional<std::pair<Category, Place>>> m_categories;
    Track* m_last = nullptr; ///< references into the map stay good
    std::uint64_t m_lastKey = 0;
    std::uint64_t m_entryAt = 0;
    std::uint32_t m_ignored = 0;
    std::uint32_t m_count = 0;
    std::int64_t m_first_ns = std::numeric_limits<std::int64_t>::max(),
                 m_last_ns = std::numeric_limits<std::int64_t>::min();
    std::size_t m_others = 0, m_unmatched = 0;
};

Error unreadable(const std::string& what, const std::string& name, std::string hint = {})
{
    return {ErrorCode::Unreadable, what, name, hint.empty() ? "Open a trace in Chrome's JSON format" : std::move(hint)};
}

} // namespace

std::vector<Side> sidesOf(const protocol::TimelineAnswer& answer)
{
    std::vector<Side> sides{{referenceTitle(answer), modelOf(answer.reference)}};
    if (answer.candidate)
        sides.push_back({candidateTitle(answer), modelOf(*answer.candidate)});
    return sides;
}

base::Result<OpenedTrace> openTrace(JsonReader::Fill fill, std::uint64_t size, const std::string& name,
                                    const Watch& watch)
{
    std::uint64_t done = 0;
    bool first = true;
    JsonReader reader([&](char* to, std::size_t most) {
        if (watch.stop.stop_requested())
            throw Stopped{};
        const std::size_t got = fill(to, most);
        if (std::exchange(first, false) && got >= 2 && to[0] == '\x1f' && to[1] == '\x8b')
            throw unreadable("This file is compressed", name, "Unpack it first, with gunzip");
        done += got;
        // Building the columns takes the rest of the time.
        if (watch.progress && size > 0)
            watch.progress(std::min(1.0, static_cast<double>(done) / static_cast<double>(size)) * 0.8);
        return got;
    });
    try {
        Importer importer(reader, name);
        importer.read();
        if (!importer.found())
            return unreadable("This file is no trace: it has no traceEvents", name);
        OpenedTrace trace = importer.take(watch);
        if (std::all_of(trace.sides.begin(), trace.sides.end(),
                        [](const Side& side) { return side.model->size() == 0 && side.model->windows.empty(); }))
            return unreadable("This trace has no events", name);
        if (watch.progress)
            watch.progress(1);
        return trace;
    } catch (const Stopped&) {
        return Error{ErrorCode::Cancelled, "Opening was stopped", name, {}};
    } catch (const JsonError& error) {
        return unreadable("This file is no trace, or was cut short: " + std::string(error.what()) + ", at byte " +
                              std::to_string(error.position()),
                          name);
    } catch (const Error& error) {
        return error;
    } catch (const json::exception& error) {
        return unreadable(std::string("This timeline is damaged: ") + error.what(), name);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::Unavailable, "There is not enough memory for this trace", name, "Record a shorter one"};
    }
}

base::Result<OpenedTrace> openTrace(const std::filesystem::path& path, const Watch& watch)
{
    if (const auto there = traceFileIsThere(path); !there)
        return there.error();
    std::error_code error;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file)
        return Error{ErrorCode::Unreadable, "The file cannot be read", path.string(), "Look at who may read it"};
    std::setvbuf(file.get(), nullptr, _IONBF, 0); // the reader's pieces are large
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return openTrace([&](char* to, std::size_t most) { return std::fread(to, 1, most, file.get()); }, error ? 0 : size,
                     path.filename().string(), watch);
}

} // namespace cudal1::timeline
