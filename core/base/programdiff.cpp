// SPDX-License-Identifier: GPL-3.0-or-later
// Finds what a candidate leaves out of its task.
#include "core/base/programdiff.h"

#include <algorithm>
#include <array>
#include <limits>

namespace cudal1::base {

namespace {

/// The text with the word ModelNew as Model; lines stay where they are.
std::string withOneName(std::string_view text)
{
    constexpr std::string_view candidate = "ModelNew", reference = "Model";
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = at + candidate.size();
        if (text.substr(at, candidate.size()) == candidate && (at == 0 || !isWordByte(text[at - 1])) &&
            (end == text.size() || !isWordByte(text[end]))) {
            out += reference;
            at = end;
        } else {
            out += text[at++];
        }
    }
    return out;
}

bool makesInputs(std::string_view line)
{
    return line.starts_with("def get_inputs(") || line.starts_with("def get_init_inputs(");
}

/// "batch_size = 16", "N, M = 4, 8"
bool isConstant(std::string_view line)
{
    const std::size_t end = line.find('=');
    return end != std::string_view::npos && end > 0 && line.substr(end, 2) != "==" &&
           std::all_of(line.begin(), line.begin() + std::ptrdiff_t(end),
                       [](char c) { return isWordByte(c) || c == ' ' || c == ','; });
}

enum class Part { Other, Constant, Function }; ///< Function: one that makes inputs

/// What each line belongs to.
std::vector<Part> partsOf(const std::vector<std::string_view>& lines)
{
    std::vector<Part> parts(lines.size(), Part::Other);
    Part part = Part::Other;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = lines[i];
        if (!line.empty() && (isWordByte(line[0]) || line[0] == '@'))
            part = makesInputs(line) ? Part::Function : isConstant(line) ? Part::Constant : Part::Other;
        parts[i] = part;
    }
    return parts;
}

/// Which lines belong to the functions that make inputs, and to the constants beside them.
std::vector<bool> linesOfInputs(const std::vector<std::string_view>& lines)
{
    const std::vector<Part> parts = partsOf(lines);
    // What stands before such a function belongs to it: constants, comments and empty lines.
    bool before = false;
    std::vector<bool> found(lines.size());
    for (std::size_t i = lines.size(); i-- > 0;) {
        const bool light = lines[i].find_first_not_of(" \t") == std::string_view::npos || lines[i].starts_with('#');
        before = parts[i] == Part::Function || (before && (parts[i] == Part::Constant || light));
        found[i] = before;
    }
    return found;
}

/// A program less its functions that make inputs, and less the constants beside them that the other program does not
/// have and the empty lines between: so none of these lines is paired with one of the other program. All of it where
/// that one makes inputs.
struct Compared {
    /// `inputs`: linesOfInputs() of `all`.
    Compared(const std::vector<std::string_view>& all, const std::vector<bool>& inputs,
             const std::vector<std::string_view>& other, bool leavesOut)
    {
        const auto parts = partsOf(all);
        const auto isOnlyHere = [&](std::string_view line) {
            return std::find(other.begin(), other.end(), line) == other.end();
        };
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool isOut = leavesOut && inputs[i] &&
                               (parts[i] == Part::Function || all[i].empty() ||
                                (parts[i] == Part::Constant && isOnlyHere(all[i])));
            (isOut ? out : places).push_back(int(i));
            if (!isOut)
                kept += std::string(all[i]) + '\n';
        }
    }

    std::string kept;
    std::vector<int> places; ///< of its lines in the whole text
    std::vector<int> out;    ///< lines that were left out, in order
};

/// The rows by the lines of the whole texts, with a row for each line that was left out.
std::vector<DiffRow> wholeRows(const std::vector<DiffRow>& rows, const Compared& a, const Compared& b)
{
    std::vector<DiffRow> out;
    std::size_t nextA = 0, nextB = 0;
    const auto show = [&](int beforeA, int beforeB) {
        for (; nextA < a.out.size() && a.out[nextA] < beforeA; ++nextA)
            out.push_back({a.out[nextA], -1, RowKind::Same, {}, {}});
        for (; nextB < b.out.size() && b.out[nextB] < beforeB; ++nextB)
            out.push_back({-1, b.out[nextB], RowKind::Same, {}, {}});
    };
    for (DiffRow row : rows) {
        row.a = row.a < 0 ? -1 : a.places[std::size_t(row.a)];
        row.b = row.b < 0 ? -1 : b.places[std::size_t(row.b)];
        show(row.a, row.b);
        out.push_back(std::move(row));
    }
    constexpr int end = std::numeric_limits<int>::max();
    show(end, end);
    return out;
}

} // namespace

SideBySide programsSideBySide(std::string_view a, std::string_view b, WhiteSpace space)
{
    const std::array lines{splitLines(a), splitLines(b)};
    const std::array inputs{linesOfInputs(lines[0]), linesOfInputs(lines[1])};
    const auto has = [&](std::size_t side) { return std::any_of(lines[side].begin(), lines[side].end(), makesInputs); };
    const std::array leftOut{!has(1), !has(0)}; // the other side makes no inputs, so that these lines are no difference
    const Compared left(lines[0], inputs[0], lines[1], leftOut[0]), right(lines[1], inputs[1], lines[0], leftOut[1]);
    SideBySide diff = sideBySide(withOneName(left.kept), withOneName(right.kept), space);
    diff.rows = wholeRows(diff.rows, left, right);
    for (DiffRow& row : diff.rows) {
        if (row.kind == RowKind::Changed) // places of words as they are in the texts
            diffWords(lines[0][std::size_t(row.a)], lines[1][std::size_t(row.b)], row.wordsA, row.wordsB, space);
        else if ((row.kind == RowKind::OnlyA && leftOut[0] && inputs[0][std::size_t(row.a)]) ||
                 (row.kind == RowKind::OnlyB && leftOut[1] && inputs[1][std::size_t(row.b)]))
            row.kind = RowKind::Same;
    }
    countDifferences(diff);
    return diff;
}

} // namespace cudal1::base
