// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of a Python text, with strings, comments and classes left out.
#include "core/tasks/sizes.h"

#include <cctype>
#include <charconv>
#include <string>

namespace cudal1::tasks {

namespace {

constexpr std::uint64_t leastSize = 8;

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}

/// The first byte after the string that begins with the quote at `at`.
std::size_t endOfString(std::string_view text, std::size_t at)
{
    const char quote = text[at];
    const bool triple = text.substr(at, 3) == std::string(3, quote);
    const std::size_t width = triple ? 3 : 1;
    for (at += width; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (!triple && text[at] == '\n')
            return at;
        else if (text.substr(at, width) == std::string(width, quote))
            return at + width;
    }
    return text.size();
}

} // namespace

std::set<std::uint64_t> sizesOf(std::string_view text)
{
    std::set<std::uint64_t> sizes;
    int brackets = 0;
    bool inClass = false;
    bool lineStart = true; ///< column 0 of a statement
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\n' || c == '\r') {
            lineStart = brackets == 0;
            ++at;
            continue;
        }
        if (c == '#') {
            while (at < text.size() && text[at] != '\n')
                ++at;
            continue;
        }
        if (lineStart && c != ' ' && c != '\t' && c != '\f')
            inClass = text.substr(at, 6) == "class " || (inClass && c == '@');
        lineStart = false;
        if (c == '"' || c == '\'') {
            at = endOfString(text, at);
        } else if (isWord(c)) {
            const std::size_t begin = at;
            while (at < text.size() && isWord(text[at]))
                ++at;
            std::string digits;
            for (const char digit : text.substr(begin, at - begin))
                if (digit != '_')
                    digits += digit;
            std::uint64_t value = 0;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            // A dot on either side makes it a part of a decimal.
            const bool decimal = (begin > 0 && text[begin - 1] == '.') || (at < text.size() && text[at] == '.');
            if (!inClass && !decimal && error == std::errc() && end == digits.data() + digits.size() &&
                value >= leastSize)
                sizes.insert(value);
        } else {
            brackets += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
            ++at;
        }
    }
    return sizes;
}

} // namespace cudal1::tasks
