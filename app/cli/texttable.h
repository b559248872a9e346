// SPDX-License-Identifier: GPL-3.0-or-later
// Text laid out in aligned columns, and bars.
#pragma once

#include "app/cli/terminal.h"

#include <string>
#include <vector>

namespace cudal1::cli {

class TextTable {
public:
    enum class Align { Left, Right };
    /// What becomes of a column where a table is wider than the terminal: texts are cut, numbers and words that count
    /// stay whole, and bars are left out.
    enum class Fit { Cut, Whole, LeaveOut };
    struct Column {
        std::string title;
        Align align = Align::Left;
        Fit fit = align == Align::Right ? Fit::Whole : Fit::Cut;
    };

    /// Of numbers with words behind them, or of words that must be read.
    static Column whole(std::string title) { return {std::move(title), Align::Left, Fit::Whole}; }

    explicit TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) {}
    void add(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }
    bool empty() const { return m_rows.empty(); }
    /// Titles and rows, lines separated by '\n'; columns that are empty in every row are left out. Where that is wider
    /// than `width` columns, titles break at spaces, bars go, and then texts are cut, the widest first; 0: as wide as
    /// it is.
    std::string text(int width = tableWidth()) const;

private:
    std::vector<int> widthsFor(int width) const; ///< 0 for a column that is left out

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// A bar of `width` columns, filled by `part` (0 to 1) in eighths of a column; a part above 0 always shows.
std::string bar(double part, int width);
/// A speed-up as a bar on a logarithmic axis from 1 to `most`; empty for none.
std::string speedupBar(double speedup, double most, int width = 10);

} // namespace cudal1::cli
