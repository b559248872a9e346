// SPDX-License-Identifier: GPL-3.0-or-later
// One entry of a trace in Chrome's JSON format, read as far as it says something here.
#pragma once

#include "core/timeline/jsonreader.h"
#include "core/timeline/model.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::timeline {

/// A process' or thread's id: a number, or a text that some writers use.
struct TraceIdent {
    std::int64_t number = 0;
    bool isText = false; ///< then `number` is the text's

    std::uint64_t key() const { return static_cast<std::uint64_t>(number) << 1 | std::uint64_t(isText); }
};

/// Texts of a file by number; 0 is the empty one.
class TraceTexts {
public:
    std::uint32_t name(std::string_view text);
    const std::string& text(std::uint32_t number) const { return m_list[number]; }

private:
    ModelBuilder m_builder;
    std::vector<std::string> m_list{std::string()};
};

/// Names and categories are numbers of TraceTexts, 0 where there is none.
struct TraceEntry {
    char phase = 0;
    std::uint32_t name = 0, category = 0;
    std::int64_t time_ns = 0, duration_ns = 0;
    bool hasTime = false, hasDuration = false;
    TraceIdent process, thread;
    EventFacts facts;
    protocol::KernelLaunch launch;
    bool hasLaunch = false;
    std::uint32_t givenName = 0; ///< args.name of a name event
    std::int64_t sortIndex = 0;
    std::string detail; ///< input shapes, or what else its writer says of it
    bool hasDetail = false;
};

/// Reads the entries of traceEvents one after another. Throws JsonError.
class TraceEntryReader {
public:
    TraceEntryReader(JsonReader& reader, TraceTexts& texts) : m_reader(reader), m_texts(texts) {}

    /// The entry whose object was just begun; good until the next one is read.
    const TraceEntry& read();

private:
    void readArguments();
    void readFact(JsonReader::Token value);
    void readExtent(std::array<std::int32_t, 3>& out);
    void appendValue(JsonReader::Token token);
    std::uint32_t intern(JsonReader::Token value);
    TraceIdent ident(JsonReader::Token value);
    bool time(JsonReader::Token value, std::int64_t& time_ns);

    JsonReader& m_reader;
    TraceTexts& m_texts;
    TraceEntry m_entry;
    std::string m_key;
};

/// "12.345" microseconds are 12345; exact to the nanosecond where a double is not. False when it is no time.
bool nanosecondsOf(std::string_view microseconds, std::int64_t& time_ns);

} // namespace cudal1::timeline
