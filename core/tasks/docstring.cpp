// SPDX-License-Identifier: GPL-3.0-or-later
// Finds and tidies a module's docstring.
#include "core/tasks/docstring.h"

#include <algorithm>
#include <vector>

namespace cudal1::tasks {

namespace {

constexpr std::string_view blank = " \t\r\f";

/// Without comments and blank lines before the first statement.
std::string_view fromFirstStatement(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t at = text.find_first_not_of(" \t\r\f\n");
        if (at == std::string_view::npos)
            return {};
        text.remove_prefix(at);
        if (text.front() != '#')
            return text;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    return text;
}

std::string tidied(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        line = line.substr(0, line.find_last_not_of(blank) + 1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::size_t indent = std::string_view::npos;
    for (std::size_t i = 1; i < lines.size(); ++i)
        if (!lines[i].empty())
            indent = std::min(indent, lines[i].find_first_not_of(blank));
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t skip = i == 0 ? std::min(lines[i].find_first_not_of(blank), lines[i].size())
                                        : std::min(indent, lines[i].size());
        out += std::string(lines[i].substr(skip)) + "\n";
    }
    const std::size_t first = out.find_first_not_of('\n'), last = out.find_last_not_of('\n');
    return first == std::string::npos ? std::string() : out.substr(first, last - first + 1);
}

} // namespace

std::string docstringOf(std::string_view source)
{
    std::string_view text = fromFirstStatement(source);
    if (!text.empty() && std::string_view("rRuU").find(text.front()) != std::string_view::npos)
        text.remove_prefix(1);
    for (const std::string_view quotes : {"\"\"\"", "'''", "\"", "'"}) {
        if (!text.starts_with(quotes))
            continue;
        text.remove_prefix(quotes.size());
        std::size_t end = 0;
        while (end < text.size() && !text.substr(end).starts_with(quotes) && (quotes.size() == 3 || text[end] != '\n'))
            end += text[end] == '\\' ? 2 : 1;
        return end < text.size() && text[end] != '\n' ? tidied(text.substr(0, end)) : std::string();
    }
    return {};
}

} // namespace cudal1::tasks
