// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting texts.
#include "core/base/cuttext.h"

#include "core/base/bytestext.h"

#include <vector>

namespace cudal1::base {

namespace {

bool isInside(std::string_view text, std::size_t at)
{
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

/// The last border of a character at or before `at`.
std::size_t borderBefore(std::string_view text, std::size_t at)
{
    while (at > 0 && isInside(text, at))
        --at;
    return at;
}

std::string narrow(std::string_view line, std::size_t width)
{
    std::size_t at = 0;
    for (std::size_t characters = 0; at < line.size(); ++at)
        if (!isInside(line, at) && ++characters > width)
            break;
    if (at == line.size())
        return std::string(line);
    return std::string(line.substr(0, at)) + " … " + bytesText(double(line.size() - at)) + " more";
}

} // namespace

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \t\r\n\f";
    const std::size_t begin = text.find_first_not_of(blank);
    return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::string withoutMiddle(std::string_view text, std::size_t most)
{
    if (text.size() <= most)
        return std::string(text);
    const std::size_t begin = borderBefore(text, most - most / 3);
    const std::size_t end = borderBefore(text, text.size() - most / 3);
    return std::string(text.substr(0, begin)) + "\n… " + bytesText(double(end - begin)) + " left out …\n" +
           std::string(text.substr(end));
}

std::string fewLines(std::string_view text, std::size_t most, std::size_t width)
{
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    const std::size_t tail = most / 3, head = most - tail;
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines.size() > most && i == head) {
            i = lines.size() - tail;
            out += "… " + std::to_string(i - head) + " lines left out …\n";
        }
        if (i < lines.size())
            out += narrow(lines[i], width) + '\n';
    }
    if (!out.empty())
        out.pop_back();
    return out;
}

} // namespace cudal1::base
