// SPDX-License-Identifier: GPL-3.0-or-later
// Two sources as a unified difference.
#include "core/report/differences.h"

#include "core/base/programdiff.h"
#include "core/charts/numbertext.h"
#include "core/report/cells.h"

#include <algorithm>

namespace cudal1::report {

namespace {

constexpr int context = 3;

DiffLine lineOf(DiffLine::Kind kind, std::string_view text, const std::vector<base::ByteSpan>& words)
{
    DiffLine line{kind, fromUtf8(text), {}};
    for (const base::ByteSpan& word : words) {
        const int first = int(fromUtf8(text.substr(0, std::size_t(word.first))).size());
        line.words.emplace_back(first,
                                int(fromUtf8(text.substr(std::size_t(word.first), std::size_t(word.count))).size()));
    }
    return line;
}

} // namespace

CodeDifference differenceOf(const QString& from, const std::string& a, const QString& to, const std::string& b,
                            bool open)
{
    const base::SideBySide both = base::programsSideBySide(a, b);
    const auto linesA = base::splitLines(a), linesB = base::splitLines(b);
    CodeDifference out{QStringLiteral("%1 → %2").arg(from, to),
                       QStringLiteral("+%1 −%2").arg(both.added + both.changed).arg(both.removed + both.changed),
                       {},
                       open};

    const int rows = int(both.rows.size());
    std::vector<bool> kept(std::size_t(rows), false);
    for (const base::TextDifference& difference : both.differences)
        for (int row = std::max(0, difference.firstRow - context);
             row < std::min(rows, difference.firstRow + difference.rowCount + context); ++row)
            kept[std::size_t(row)] = true;
    const auto lineA = [&](const base::DiffRow& row) { return linesA[std::size_t(row.a)]; };
    const auto lineB = [&](const base::DiffRow& row) { return linesB[std::size_t(row.b)]; };
    for (int at = 0; at < rows;) {
        if (!kept[std::size_t(at)]) {
            int end = at;
            while (end < rows && !kept[std::size_t(end)])
                ++end;
            out.lines.push_back({DiffLine::Kind::Gap, charts::counted(end - at, "equal line", "equal lines"), {}});
            at = end;
            continue;
        }
        if (both.rows[std::size_t(at)].kind == base::RowKind::Same) {
            const base::DiffRow& row = both.rows[std::size_t(at)];
            out.lines.push_back(lineOf(DiffLine::Kind::Same, row.b >= 0 ? lineB(row) : lineA(row), {}));
            ++at;
            continue;
        }
        // Within a difference what went stands before what came.
        int end = at;
        while (end < rows && both.rows[std::size_t(end)].kind != base::RowKind::Same)
            ++end;
        for (int row = at; row < end; ++row)
            if (both.rows[std::size_t(row)].a >= 0)
                out.lines.push_back(lineOf(DiffLine::Kind::Removed, lineA(both.rows[std::size_t(row)]),
                                           both.rows[std::size_t(row)].wordsA));
        for (int row = at; row < end; ++row)
            if (both.rows[std::size_t(row)].b >= 0)
                out.lines.push_back(lineOf(DiffLine::Kind::Added, lineB(both.rows[std::size_t(row)]),
                                           both.rows[std::size_t(row)].wordsB));
        at = end;
    }
    return out;
}

} // namespace cudal1::report
