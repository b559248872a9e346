// SPDX-License-Identifier: GPL-3.0-or-later
// From tokens of JSON to entries.
#include "core/timeline/traceentry.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace cudal1::timeline {

using Token = JsonReader::Token;

namespace {

std::int64_t integerOf(std::string_view text)
{
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error == std::errc() && (end == text.data() + text.size() || *end == '.'))
        return out;
    const double number = std::strtod(std::string(text).c_str(), nullptr);
    return number > -9e18 && number < 9e18 ? static_cast<std::int64_t>(number) : 0;
}

enum class Field { Phase, Name, Category, Time, Duration, Process, Thread, Arguments, Other };

Field fieldOf(std::string_view key)
{
    if (key == "ph")
        return Field::Phase;
    if (key == "name")
        return Field::Name;
    if (key == "ts")
        return Field::Time;
    if (key == "dur")
        return Field::Duration;
    if (key == "pid")
        return Field::Process;
    if (key == "tid")
        return Field::Thread;
    if (key == "cat")
        return Field::Category;
    if (key == "args")
        return Field::Arguments;
    return Field::Other;
}

} // namespace

std::uint32_t TraceTexts::name(std::string_view text)
{
    const auto number = m_builder.name(text);
    if (number >= m_list.size())
        m_list.emplace_back(text);
    return number;
}

const TraceEntry& TraceEntryReader::read()
{
    TraceEntry& entry = m_entry;
    std::string detail = std::move(entry.detail); // its room serves all entries
    detail.clear();
    entry = {};
    entry.detail = std::move(detail);
    while (m_reader.next() == Token::Key) {
        const Field field = fieldOf(m_reader.text());
        const Token value = m_reader.next();
        switch (field) {
        case Field::Phase: entry.phase = m_reader.text().empty() ? '\0' : m_reader.text().front(); break;
        case Field::Name: entry.name = intern(value); break;
        case Field::Category: entry.category = intern(value); break;
        case Field::Time: entry.hasTime = time(value, entry.time_ns); break;
        case Field::Duration: entry.hasDuration = time(value, entry.duration_ns); break;
        case Field::Process: entry.process = ident(value); break;
        case Field::Thread: entry.thread = ident(value); break;
        case Field::Arguments:
            if (value == Token::BeginObject)
                readArguments();
            else
                m_reader.skip(value);
            break;
        case Field::Other: m_reader.skip(value); break;
        }
    }
    return entry;
}

void TraceEntryReader::readArguments()
{
    TraceEntry& entry = m_entry;
    while (m_reader.next() == Token::Key) {
        m_key.assign(m_reader.text());
        const Token value = m_reader.next();
        if (value == Token::BeginArray && (m_key == "grid" || m_key == "block")) {
            readExtent(m_key == "grid" ? entry.launch.grid : entry.launch.block);
            entry.hasLaunch = true;
        } else if (value == Token::BeginArray && (m_key == "Input Dims" || m_key == "Input dims")) {
            entry.detail.clear();
            appendValue(value);
            entry.hasDetail = true;
        } else if (value == Token::String || value == Token::Number) {
            readFact(value);
        } else {
            m_reader.skip(value);
        }
    }
}

/// A list as text: "[[64, 256], []]".
void TraceEntryReader::appendValue(Token token)
{
    if (token != Token::BeginArray) {
        m_entry.detail += m_reader.text();
        return m_reader.skip(token);
    }
    m_entry.detail += '[';
    for (Token t = m_reader.next(); t != Token::EndArray; t = m_reader.next()) {
        if (m_entry.detail.back() != '[')
            m_entry.detail += ", ";
        appendValue(t);
    }
    m_entry.detail += ']';
}

void TraceEntryReader::readFact(Token value)
{
    TraceEntry& entry = m_entry;
    const std::string_view text = m_reader.text();
    if (m_key == "name") {
        entry.givenName = intern(value);
    } else if (m_key == "detail" && value == Token::String) {
        entry.detail.assign(text);
        entry.hasDetail = true;
    } else if (value == Token::Number) {
        const auto number = [&] { return integerOf(text); };
        if (m_key == "correlation")
            entry.facts.correlation = static_cast<std::uint64_t>(number());
        else if (m_key == "stream")
            entry.facts.stream = static_cast<std::int32_t>(number());
        else if (m_key == "device")
            entry.facts.device = static_cast<std::int32_t>(number());
        else if (m_key == "bytes")
            entry.facts.bytes = number();
        else if (m_key == "graph")
            entry.facts.graph = number();
        else if (m_key == "registers" || m_key == "registers per thread")
            entry.launch.registers = static_cast<int>(number());
        else if (m_key == "static_shared_bytes")
            entry.launch.staticShared_bytes = number();
        else if (m_key == "dynamic_shared_bytes" || m_key == "shared memory")
            entry.launch.dynamicShared_bytes = number();
        else if (m_key == "sort_index")
            entry.sortIndex = number();
    }
}

void TraceEntryReader::readExtent(std::array<std::int32_t, 3>& out)
{
    std::size_t i = 0;
    for (Token token = m_reader.next(); token != Token::EndArray; token = m_reader.next()) {
        if (token == Token::Number && i < out.size())
            out[i++] = static_cast<std::int32_t>(integerOf(m_reader.text()));
        else
            m_reader.skip(token);
    }
}

std::uint32_t TraceEntryReader::intern(Token value)
{
    if (value != Token::String && value != Token::Number) {
        m_reader.skip(value);
        return 0;
    }
    return m_texts.name(m_reader.text());
}

TraceIdent TraceEntryReader::ident(Token value)
{
    if (value == Token::Number)
        return {integerOf(m_reader.text()), false};
    return {intern(value), true};
}

bool TraceEntryReader::time(Token value, std::int64_t& time_ns)
{
    if (value != Token::Number && value != Token::String) {
        m_reader.skip(value);
        return false;
    }
    if (!nanosecondsOf(m_reader.text(), time_ns))
        throw JsonError("a time is out of range", m_reader.position());
    return true;
}

bool nanosecondsOf(std::string_view text, std::int64_t& time_ns)
{
    // Times are subtracted: beyond this, which is 143 years, they could overflow.
    constexpr std::int64_t longest_ns = 4'500'000'000'000'000'000;
    const bool negative = !text.empty() && text.front() == '-';
    std::int64_t value = 0;
    int decimals = -1;
    bool roundUp = false;
    for (const char c : text.substr(negative)) {
        if (c == '.' && decimals < 0) {
            decimals = 0;
        } else if (c >= '0' && c <= '9') {
            if (decimals == 3) {
                roundUp = c >= '5';
                decimals = 4;
            }
            if (decimals > 3)
                continue;
            value = value * 10 + (c - '0');
            if (decimals >= 0)
                ++decimals;
            if (value > (decimals < 0 ? longest_ns / 1000 : longest_ns))
                return false;
        } else {
            const double us = std::strtod(std::string(text).c_str(), nullptr);
            if (!(us > -longest_ns / 1e3 && us < longest_ns / 1e3))
                return false;
            time_ns = static_cast<std::int64_t>(us * 1000 + (us < 0 ? -0.5 : 0.5));
            return true;
        }
    }
    for (int i = std::max(decimals, 0); i < 3; ++i)
        value *= 10;
    if (value > longest_ns)
        return false;
    value += roundUp;
    time_ns = negative ? -value : value;
    return true;
}

} // namespace cudal1::timeline
