// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens of JSON from a buffer that is filled again when it has been read.
#include "core/timeline/jsonreader.h"

#include <algorithm>
#include <cstring>

namespace cudal1::timeline {

namespace {

bool isSpace(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
bool isDigit(int c)
{
    return c >= '0' && c <= '9';
}

void appendUtf8(std::string& out, std::uint32_t code)
{
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | code >> 18);
        out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

} // namespace

JsonReader::JsonReader(Fill fill, std::size_t piece) : m_fill(std::move(fill)), m_piece(piece), m_buffer(piece) {}

void JsonReader::fail(const std::string& what) const
{
    throw JsonError(what, m_before + m_at);
}

/// Gets more text behind m_end, keeping everything from m_start on; false at the end.
bool JsonReader::more()
{
    if (m_start > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_start, m_end - m_start);
        m_before += m_start;
        m_at -= m_start;
        m_end -= m_start;
        m_start = 0;
    }
    if (m_buffer.size() - m_end < m_piece / 2)
        m_buffer.resize(m_buffer.size() + m_piece);
    const std::size_t got = m_fill(m_buffer.data() + m_end, m_buffer.size() - m_end);
    m_end += got;
    return got > 0;
}

/// The next byte, or -1 at the end.
int JsonReader::peek()
{
    if (m_at == m_end && !more())
        return -1;
    return static_cast<unsigned char>(m_buffer[m_at]);
}

/// The first byte that is no white space, which the next token begins with; 0 at the end of the text.
char JsonReader::skipSpace()
{
    for (;;) {
        while (m_at < m_end && isSpace(m_buffer[m_at]))
            ++m_at;
        if (m_at < m_end)
            break;
        m_start = m_at;
        if (!more())
            return 0;
    }
    m_start = m_at;
    return m_buffer[m_at];
}

JsonReader::Token JsonReader::next()
{
    m_text = {};
    char c = skipSpace();
    m_position = m_before + m_at;
    const auto take = [&] {
        ++m_at;
        c = skipSpace();
        m_position = m_before + m_at;
    };
    if (m_state == State::AfterValue) {
        if (m_open.empty()) {
            if (c != 0 || m_at < m_end)
                fail("something follows the end of the JSON text");
            m_state = State::Done;
            return Token::End;
        }
        if (c == '}' || c == ']')
            return close(c);
        if (c == ',') {
            take();
            m_state = m_open.back() == '{' ? State::KeyAfterComma : State::Value;
        } else if (c != 0 || m_at < m_end) {
            fail(m_open.back() == '{' ? "a comma or } is missing" : "a comma or ] is missing");
        }
    }
    if (m_state == State::Done)
        return Token::End;
    if (c == 0 && m_at == m_end)
        throw JsonError("the text ends too early", m_before + m_end, true);
    switch (m_state) {
    case State::ValueOrEnd:
        if (c == ']')
            return close(c);
        return value(c);
    case State::KeyOrEnd:
        if (c == '}')
            return close(c);
        [[fallthrough]];
    case State::KeyAfterComma: {
        if (c != '"')
            fail("a name in quotes is missing");
        string();
        // The colon may be in the next piece, and getting that moves the buffer.
        const bool inBuffer = m_text.data() != m_unescaped.data();
        int after = peek();
        while (after >= 0 && isSpace(static_cast<char>(after))) {
            ++m_at;
            after = peek();
        }
        if (after < 0)
            throw JsonError("the text ends too early", m_before + m_end, true);
        if (after != ':')
            fail("a colon is missing");
        ++m_at;
        if (inBuffer)
            m_text = std::string_view(m_buffer.data() + m_start + 1, m_text.size());
        m_state = State::Value;
        return Token::Key;
    }
    default: return value(c);
    }
}

JsonReader::Token JsonReader::value(char c)
{
    m_state = State::AfterValue;
    switch (c) {
    case '{':
    case '[':
        if (m_open.size() == maxDepth)
            fail("it is nested too deeply");
        m_open.push_back(c);
        ++m_at;
        m_state = c == '{' ? State::KeyOrEnd : State::ValueOrEnd;
        return c == '{' ? Token::BeginObject : Token::BeginArray;
    case '"': string(); return Token::String;
    case 't': word("true"); return Token::True;
    case 'f': word("false"); return Token::False;
    case 'n': word("null"); return Token::Null;
    default:
        if (c != '-' && !isDigit(c))
            fail("a value is missing");
        number();
        return Token::Number;
    }
}

JsonReader::Token JsonReader::close(char c)
{
    if (m_open.back() != (c == '}' ? '{' : '['))
        fail(std::string(1, c) + " closes nothing");
    m_open.pop_back();
    ++m_at;
    m_state = State::AfterValue;
    return c == '}' ? Token::EndObject : Token::EndArray;
}

/// Leaves the contents in m_text. Offsets are counted from m_start, which stays the token's begin when the buffer
/// moves.
void JsonReader::string()
{
    std::size_t length = 1; // the opening quote
    bool escaped = false;
    for (;;) {
        m_at = m_start + length;
        if (peek() < 0)
            throw JsonError("the text ends too early", m_before + m_end, true);
        const char* const begin = m_buffer.data() + m_start;
        const char* p = begin + length;
        const char* const end = m_buffer.data() + m_end;
        while (p < end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20)
            ++p;
        length = static_cast<std::size_t>(p - begin);
        if (p == end)
            continue;
        if (*p == '"')
            break;
        if (*p != '\\') {
            m_at = m_start + length;
            fail("a control character stands in a text");
        }
        escaped = true;
        m_at = m_start + length + 1;
        if (peek() < 0)
            throw JsonError("the text ends too early", m_before + m_end, true);
        length += 2;
    }
    m_at = m_start + length + 1;
    m_text = std::string_view(m_buffer.data() + m_start + 1, length - 1);
    if (escaped)
        unescape(m_before + m_start + 1);
}

/// `from` is the position of the text, for errors.
void JsonReader::unescape(std::size_t from)
{
    std::string out;
    out.reserve(m_text.size());
    const std::string_view in = m_text;
    const auto wrong = [&](std::size_t i) -> JsonError { return {"an escape in a text is wrong", from + i}; };
    const auto hex = [&](std::size_t i) {
        if (i + 4 > in.size())
            throw wrong(i);
        std::uint32_t code = 0;
        for (std::size_t k = i; k < i + 4; ++k) {
            const char c = in[k];
            const int digit = isDigit(c)           ? c - '0'
                            : c >= 'a' && c <= 'f' ? c - 'a' + 10
                            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                   : -1;
            if (digit < 0)
                throw wrong(i);
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        return code;
    };
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (in[i] != '\\') {
            out += in[i];
            continue;
        }
        switch (in[++i]) {
        case '"': out += '"'; break;
        case '\\': out += '\\'; break;
        case '/': out += '/'; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u': {
            std::uint32_t code = hex(i + 1);
            i += 4;
            if (code >= 0xD800 && code < 0xDC00 && i + 6 < in.size() && in[i + 1] == '\\' && in[i + 2] == 'u') {
                const std::uint32_t low = hex(i + 3);
                if (low >= 0xDC00 && low < 0xE000) {
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    i += 6;
                }
            }
            appendUtf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
            break;
        }
        default: throw wrong(i - 1);
        }
    }
    m_unescaped = std::move(out);
    m_text = m_unescaped;
}

void JsonReader::number()
{
    const auto digits = [this] {
        if (!isDigit(peek()))
            fail("a number is wrong");
        while (isDigit(peek()))
            ++m_at;
    };
    if (m_buffer[m_at] == '-')
        ++m_at;
    digits();
    if (peek() == '.') {
        ++m_at;
        digits();
    }
    if (peek() == 'e' || peek() == 'E') {
        ++m_at;
        if (peek() == '+' || peek() == '-')
            ++m_at;
        digits();
    }
    m_text = std::string_view(m_buffer.data() + m_start, m_at - m_start);
}

void JsonReader::word(const char* text)
{
    for (const char* p = text; *p; ++p, ++m_at)
        if (peek() != *p)
            fail("a value is missing");
}

nlohmann::json JsonReader::valueOf(Token token)
{
    using nlohmann::json;
    switch (token) {
    case Token::BeginObject: {
        json out = json::object();
        for (Token t = next(); t == Token::Key; t = next()) {
            std::string key(m_text);
            out[std::move(key)] = valueOf(next());
        }
        return out;
    }
    case Token::BeginArray: {
        json out = json::array();
        for (Token t = next(); t != Token::EndArray; t = next())
            out.push_back(valueOf(t));
        return out;
    }
    case Token::Number: return json::parse(m_text);
    case Token::String: return std::string(m_text);
    case Token::True: return true;
    case Token::False: return false;
    default: return nullptr;
    }
}

void JsonReader::skip(Token token)
{
    if (token != Token::BeginObject && token != Token::BeginArray)
        return;
    const std::size_t outside = m_open.size() - 1;
    while (m_open.size() > outside)
        next();
}

} // namespace cudal1::timeline
