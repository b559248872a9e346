// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and bars of text.
#include "app/cli/texttable.h"

#include "app/cli/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cudal1::cli {

namespace {

constexpr int between = 2;     ///< columns of the terminal between two of the table
constexpr int leastOfText = 8; ///< what a text is not cut below

/// A title in lines of at most `width` columns, where its words allow it.
std::vector<std::string> broken(const std::string& title, int width)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < title.size();) {
        const std::size_t end = std::min(title.find(' ', at), title.size());
        const std::string word = title.substr(at, end - at);
        if (lines.empty() || displayWidth(lines.back()) + 1 + displayWidth(word) > width)
            lines.push_back(word);
        else
            lines.back() += " " + word;
        at = end + 1;
    }
    return lines;
}

int longestWord(const std::string& title)
{
    int most = 0;
    for (const std::string& word : broken(title, 0))
        most = std::max(most, displayWidth(word));
    return most;
}

int sumOf(const std::vector<int>& widths)
{
    int sum = -between;
    for (const int width : widths)
        sum += width > 0 ? width + between : 0;
    return sum;
}

} // namespace

std::vector<int> TextTable::widthsFor(int width) const
{
    std::vector<int> cells(m_columns.size(), 0);
    for (const auto& row : m_rows)
        for (std::size_t column = 0; column < std::min(row.size(), cells.size()); ++column)
            cells[column] = std::max(cells[column], displayWidth(row[column]));
    std::vector<int> widths = cells;
    for (std::size_t column = 0; column < widths.size(); ++column)
        if (widths[column] > 0)
            widths[column] = std::max(widths[column], displayWidth(m_columns[column].title));
    if (width <= 0 || sumOf(widths) <= width)
        return widths;
    for (std::size_t column = 0; column < widths.size(); ++column)
        if (widths[column] > 0)
            widths[column] = std::max(cells[column], longestWord(m_columns[column].title));
    if (sumOf(widths) > width)
        for (std::size_t column = 0; column < widths.size(); ++column)
            if (m_columns[column].fit == Fit::LeaveOut)
                widths[column] = 0;
    while (sumOf(widths) > width) {
        int* widest = nullptr;
        for (std::size_t column = 0; column < widths.size(); ++column)
            if (m_columns[column].fit == Fit::Cut && widths[column] > leastOfText &&
                (!widest || widths[column] > *widest))
                widest = &widths[column];
        if (!widest)
            break;
        --*widest;
    }
    return widths;
}

std::string TextTable::text(int width) const
{
    const std::vector<int> widths = widthsFor(width);
    std::string out;
    const auto addLine = [&](const auto& cell) {
        std::string line;
        bool first = true;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            if (widths[column] == 0)
                continue;
            const std::string text = elided(cell(column), widths[column]);
            const std::string space(std::size_t(std::max(0, widths[column] - displayWidth(text))), ' ');
            if (!first)
                line += std::string(between, ' ');
            first = false;
            line += m_columns[column].align == Align::Right ? space + text : text + space;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += (out.empty() ? "" : "\n") + line;
    };
    std::vector<std::vector<std::string>> titles;
    std::size_t lines = 1;
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        titles.push_back(broken(m_columns[column].title, widths[column]));
        lines = std::max(lines, widths[column] > 0 ? titles.back().size() : 0);
    }
    for (std::size_t line = 0; line < lines; ++line)
        addLine(
            [&](std::size_t column) { return line < titles[column].size() ? titles[column][line] : std::string(); });
    for (const auto& row : m_rows)
        addLine([&](std::size_t column) { return column < row.size() ? row[column] : std::string(); });
    return out;
}

std::string bar(double part, int width)
{
    static constexpr std::array<const char*, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int full = width * 8;
    int filled = int(std::lround(std::clamp(part, 0.0, 1.0) * full));
    if (part > 0)
        filled = std::max(filled, 1);
    std::string out;
    for (int cell = 0; cell < filled / 8; ++cell)
        out += "█";
    out += eighths[std::size_t(filled % 8)];
    out += std::string(std::size_t(width - (filled + 7) / 8), ' ');
    return out;
}

std::string speedupBar(double speedup, double most, int width)
{
    if (!(speedup > 1) || !(most > 1))
        return {};
    return bar(std::log(speedup) / std::log(most), width);
}

} // namespace cudal1::cli
