// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of a table's columns on a page.
#include "core/pages/tablelayout.h"

#include "core/pages/celllines.h"

#include <algorithm>
#include <numeric>

namespace cudal1::pages {

namespace {

constexpr double unlimited = 1e9;

double longestWord(const QString& text, Style style)
{
    double longest = 0;
    for (const QString& word : text.split(QLatin1Char(' ')))
        longest = std::max(longest, widthOf(word, style));
    return longest;
}

/// A tick in every row: the words of its title stand below each other, and more room says no more.
bool isOfSigns(const report::Table& table, std::size_t column)
{
    return !table.rows.empty() && std::ranges::all_of(table.rows, [column](const auto& row) {
        return row[column].text.size() <= 1 && row[column].detail.isEmpty() && row[column].below.isEmpty();
    });
}

/// Columns as they are on one line each, and the least that they can do with: numbers are never broken, detail may move
/// below.
void measure(const report::Table& table, const TableLook& look, std::vector<double>& natural,
             std::vector<double>& least)
{
    natural.assign(table.columns.size(), 0);
    least.assign(table.columns.size(), 0);
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
        const QString& title = table.columns[at].title;
        least[at] = longestWord(title, look.strong) + 10; // a line as wide as its column breaks when it is rounded
        natural[at] = isOfSigns(table, at) ? least[at] : std::min(widthOf(title, look.strong), 3 * least[at]);
        for (const auto& row : table.rows) {
            report::Cell cell = row[at];
            cell.below.clear();
            const auto lines = linesOf(cell, look.style, look.strong, look.small, unlimited);
            natural[at] = std::max(natural[at], widthOf(lines.front()));
            if (table.columns[at].numeric) {
                cell.detail.clear();
                const double main = widthOf(linesOf(cell, look.style, look.strong, look.small, unlimited).front());
                least[at] = std::max({least[at], main, widthOf(row[at].detail, look.small)});
            } else {
                least[at] = std::max(least[at], std::min(longestWord(row[at].text, look.style), 700.0));
                if (!row[at].below.isEmpty())
                    natural[at] = std::max(natural[at], std::min(widthOf(row[at].below, look.small), 1600.0));
            }
        }
    }
}

} // namespace

TableLook lookOf(const report::Table& table, double width)
{
    const double available = width - cellGap * double(table.columns.size());
    TableLook look;
    std::vector<double> natural, least;
    measure(table, look, natural, least);
    const auto sum = [](const std::vector<double>& widths) {
        return std::accumulate(widths.begin(), widths.end(), 0.0);
    };
    if (sum(least) > available) {
        look = {Style::Tiny, Style::TinyBold, Style::Tiny, {}};
        measure(table, look, natural, least);
    }
    const double wants = sum(natural), needs = sum(least);
    std::vector<bool> grows(table.columns.size());
    for (std::size_t at = 0; at < grows.size(); ++at)
        grows[at] = !isOfSigns(table, at);
    if (std::ranges::count(grows, true) == 0)
        grows.assign(grows.size(), true);
    const double growing = double(std::ranges::count(grows, true));
    look.widths.resize(table.columns.size());
    for (std::size_t at = 0; at < table.columns.size(); ++at) {
        double own = natural[at];
        if (wants < available)
            own += grows[at] ? (available - wants) / growing : 0;
        else if (needs < available) // what is left over the least goes where most is missing
            own = least[at] + (wants > needs ? (available - needs) * (natural[at] - least[at]) / (wants - needs) : 0);
        else
            own = least[at] * available / needs;
        look.widths[at] = own + cellGap;
    }
    return look;
}

} // namespace cudal1::pages
