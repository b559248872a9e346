// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and bars of text.
#include "app/cli/texttable.h"

#include "app/cli/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cudal1::cli {

std::string TextTable::text() const
{
    std::vector<int> widths(m_columns.size(), 0);
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        for (const auto& row : m_rows)
            if (column < row.size())
                widths[column] = std::max(widths[column], displayWidth(row[column]));
        if (widths[column] > 0)
            widths[column] = std::max(widths[column], displayWidth(m_columns[column].title));
    }
    std::string out;
    const auto addLine = [&](const auto& cell) {
        std::string line;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            if (widths[column] == 0)
                continue;
            const std::string text = cell(column);
            const std::string space(std::size_t(widths[column] - displayWidth(text)), ' ');
            if (!line.empty())
                line += "  ";
            line += m_columns[column].align == Align::Right ? space + text : text + space;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += (out.empty() ? "" : "\n") + line;
    };
    addLine([&](std::size_t column) { return m_columns[column].title; });
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
