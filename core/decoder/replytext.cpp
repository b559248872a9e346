// SPDX-License-Identifier: GPL-3.0-or-later
// Whole characters and stop strings.
#include "core/decoder/replytext.h"

#include <algorithm>

namespace cudal1::decoder {

namespace {

struct Character {
    std::size_t size;  ///< bytes that belong together
    bool isValid;      ///< a character of UTF-8
    bool isUnfinished; ///< the bytes end before the character does
};

/// The character at `at`. Overlong forms, surrogates and what is above U+10FFFF are not valid.
Character characterAt(const std::string& bytes, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned first = byte(at);
    if (first < 0x80)
        return {1, true, false};
    const std::size_t size = first >= 0xc2 && first < 0xe0 ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
    if (size == 0)
        return {1, false, false};
    for (std::size_t i = 1; i < size; ++i) {
        if (at + i == bytes.size())
            return {i, false, true};
        unsigned low = 0x80, high = 0xbf;
        if (i == 1 && first == 0xe0)
            low = 0xa0;
        if (i == 1 && first == 0xed)
            high = 0x9f;
        if (i == 1 && first == 0xf0)
            low = 0x90;
        if (i == 1 && first == 0xf4)
            high = 0x8f;
        if (byte(at + i) < low || byte(at + i) > high)
            return {i, false, false};
    }
    return {size, true, false};
}

} // namespace

std::size_t wholeCharacters(const std::string& bytes)
{
    std::size_t at = 0;
    while (at < bytes.size()) {
        const Character next = characterAt(bytes, at);
        if (next.isUnfinished)
            break;
        at += next.size;
    }
    return at;
}

std::string validUtf8(const std::string& bytes)
{
    std::string out;
    for (std::size_t at = 0; at < bytes.size();) {
        const Character next = characterAt(bytes, at);
        if (next.isValid)
            out.append(bytes, at, next.size);
        else
            out += "\xef\xbf\xbd";
        at += next.size;
    }
    return out;
}

ReplyText::ReplyText(std::vector<std::string> stops) : m_stops(std::move(stops))
{
    std::erase_if(m_stops, [](const std::string& stop) { return stop.empty(); });
}

std::string ReplyText::release(std::size_t count)
{
    std::string out = validUtf8(m_held.substr(0, count));
    m_held.erase(0, count);
    m_text += out;
    return out;
}

std::string ReplyText::add(const std::string& bytes)
{
    if (m_stopped)
        return {};
    m_held += bytes;
    std::size_t stop = std::string::npos;
    for (const std::string& text : m_stops)
        stop = std::min(stop, m_held.find(text));
    if (stop != std::string::npos) {
        std::string out = release(stop);
        m_held.clear();
        m_stopped = true;
        return out;
    }
    // The longest end of what is held that begins a stop string.
    std::size_t begin = m_held.size();
    for (const std::string& text : m_stops)
        for (std::size_t size = std::min(text.size() - 1, m_held.size()); size > 0; --size)
            if (m_held.compare(m_held.size() - size, size, text, 0, size) == 0) {
                begin = std::min(begin, m_held.size() - size);
                break;
            }
    return release(std::min(begin, wholeCharacters(m_held)));
}

std::string ReplyText::finish()
{
    return m_stopped ? std::string() : release(m_held.size());
}

} // namespace cudal1::decoder
