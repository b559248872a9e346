// SPDX-License-Identifier: GPL-3.0-or-later
// Differences between two texts as rows of a side-by-side view: pure arithmetic on UTF-8, no Qt, any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::base {

/// A maximal region in which two sequences differ. Either count may be 0, never both.
struct Hunk {
    int aFirst = 0, aCount = 0;
    int bFirst = 0, bCount = 0;

    bool operator==(const Hunk&) const = default;
};

/// The fewest deletions and insertions that turn `a` into `b` (Myers' O(ND) algorithm in linear space), in order.
std::vector<Hunk> diffSequences(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

/// Whether lines that differ in blanks alone differ, and blank lines count.
enum class WhiteSpace { Counts, Ignored };

/// Bytes of a line, from `first`.
struct ByteSpan {
    int first = 0, count = 0;

    bool operator==(const ByteSpan&) const = default;
};

enum class RowKind {
    Same,
    Changed, ///< both sides have a line, and they differ
    OnlyA,   ///< b is filler
    OnlyB,   ///< a is filler
};

/// One row of the view. A line is -1 where that side shows filler.
struct DiffRow {
    int a = -1, b = -1;
    RowKind kind = RowKind::Same;
    std::vector<ByteSpan> wordsA,
        wordsB; ///< what differs within a changed line; empty where the lines have little in common
};

/// A run of rows that are not Same.
struct TextDifference {
    int firstRow = 0, rowCount = 0;

    bool operator==(const TextDifference&) const = default;
};

/// A run of equal rows that says little: neither side changes near it.
struct EqualRun {
    int firstRow = 0, rowCount = 0;

    bool operator==(const EqualRun&) const = default;
};

struct SideBySide {
    std::vector<DiffRow> rows;
    std::vector<TextDifference> differences;
    int added = 0, removed = 0, changed = 0; ///< lines
};

/// Lines without their ends ("\n", "\r\n" or "\r"); a text that ends with a line end has no empty last line.
std::vector<std::string_view> splitLines(std::string_view text);

/// Words of two lines that differ: identifiers and numbers whole, everything else by character.
void diffWords(std::string_view a, std::string_view b, std::vector<ByteSpan>& wordsA, std::vector<ByteSpan>& wordsB,
               WhiteSpace space = WhiteSpace::Counts);

/// Whether a byte belongs to an identifier or a number. Bytes of multi-byte characters count as letters, so that no
/// character is ever cut.
bool isWordByte(char c);

/// Sets `differences` and the numbers of lines from the rows.
void countDifferences(SideBySide& diff);

/// Rows that show `a` on the left and `b` on the right. Within a hunk the lines that resemble each other share a row.
SideBySide sideBySide(std::string_view a, std::string_view b, WhiteSpace space = WhiteSpace::Counts);

/// The same differences one below the other: no row is Changed, since its two lines have a row each, those of `a`
/// first. The numbers of lines stay those of `diff`.
SideBySide oneColumn(const SideBySide& diff);

/// Runs of equal rows that are more than `context` rows away from any difference, of at least `least` rows; row 0 is in
/// none. None where the texts are equal.
std::vector<EqualRun> equalRuns(const SideBySide& diff, int context = 3, int least = 4);

/// The row that shows line `line` (0-based) of the left or the right side; -1 when there is none.
int rowOfLine(const SideBySide& diff, int line, bool left);

} // namespace cudal1::base
