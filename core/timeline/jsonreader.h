// SPDX-License-Identifier: GPL-3.0-or-later
// A pull reader of JSON that comes in pieces: one token at a time, nothing kept of what was read. For files of hundreds
// of megabytes.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::timeline {

/// What is wrong, and at which byte of the text, from 0.
class JsonError : public std::runtime_error {
public:
    JsonError(const std::string& what, std::uint64_t position, bool atEnd = false)
        : std::runtime_error(what), m_position(position), m_atEnd(atEnd)
    {
    }
    std::uint64_t position() const { return m_position; }
    /// The text ended too early.
    bool atEnd() const { return m_atEnd; }

private:
    std::uint64_t m_position;
    bool m_atEnd;
};

class JsonReader {
public:
    enum class Token { BeginObject, EndObject, BeginArray, EndArray, Key, String, Number, True, False, Null, End };
    /// Writes at most `most` bytes to `to` and returns how many; 0 is the end. What it throws passes through.
    using Fill = std::function<std::size_t(char* to, std::size_t most)>;

    explicit JsonReader(Fill fill, std::size_t piece = std::size_t(1) << 20);

    /// Throws JsonError. End follows the one value of the text, and only white space may follow that.
    Token next();
    /// Of a Key or String, without quotes and escapes; of a Number as it is written. Until the next call of next().
    std::string_view text() const { return m_text; }
    /// The value that begins with `token`, the last one, whole. For small ones.
    nlohmann::json valueOf(Token token);
    /// After BeginObject or BeginArray: reads to its end. After any other token of a value: nothing.
    void skip(Token token);
    /// Where the last token began.
    std::uint64_t position() const { return m_position; }
    /// How many objects and arrays are open.
    std::size_t depth() const { return m_open.size(); }

    static constexpr std::size_t maxDepth = 512;

private:
    enum class State { Value, ValueOrEnd, KeyOrEnd, KeyAfterComma, AfterValue, Done };
    bool more();
    int peek();
    char skipSpace();
    Token value(char c);
    Token close(char c);
    void string();
    void unescape(std::size_t from);
    void number();
    void word(const char* text);
    [[noreturn]] void fail(const std::string& what) const;

    Fill m_fill;
    std::size_t m_piece;
    std::vector<char> m_buffer;
    std::size_t m_start = 0; ///< of the token that is being read: kept in the buffer
    std::size_t m_at = 0, m_end = 0;
    std::uint64_t m_before = 0; ///< bytes that came before the buffer's first
    std::uint64_t m_position = 0;
    std::string_view m_text;
    std::string m_unescaped;
    std::vector<char> m_open; ///< '{' or '['
    State m_state = State::Value;
};

} // namespace cudal1::timeline
