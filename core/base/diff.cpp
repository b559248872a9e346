// SPDX-License-Identifier: GPL-3.0-or-later
// From hunks to rows: which lines stand beside each other, and which of their words differ.
#include "core/base/diff.h"

#include <algorithm>
#include <unordered_map>

namespace cudal1::base {

namespace {

// Below this share of common characters two lines are shown as replaced, not as edited.
constexpr double resemblance = 0.4;
// Pairing within a hunk costs the product of its sides; larger hunks are paired in order.
constexpr long pairingLimit = 250'000;

class Interner {
public:
    std::uint32_t id(std::string_view text)
    {
        return m_ids.try_emplace(text, std::uint32_t(m_ids.size())).first->second;
    }

private:
    std::unordered_map<std::string_view, std::uint32_t> m_ids;
};

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

std::vector<std::string_view> words(std::string_view line)
{
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        if (isWordByte(line[i]))
            while (end < line.size() && isWordByte(line[end]))
                ++end;
        else if (isBlank(line[i]))
            while (end < line.size() && isBlank(line[end]))
                ++end;
        out.push_back(line.substr(i, end - i));
        i = end;
    }
    return out;
}

int inkOf(std::string_view text)
{
    return int(std::count_if(text.begin(), text.end(), [](char c) { return !isBlank(c); }));
}

// Twice the common non-blank bytes over all, words counted without regard to order: cheap, and enough to pair lines.
double similarity(const std::vector<std::string_view>& sortedA, int inkA, const std::vector<std::string_view>& sortedB,
                  int inkB)
{
    if (inkA + inkB == 0)
        return 1;
    int common = 0;
    for (auto a = sortedA.begin(), b = sortedB.begin(); a != sortedA.end() && b != sortedB.end();) {
        const int order = a->compare(*b);
        if (order == 0)
            common += inkOf(*a);
        if (order <= 0)
            ++a;
        if (order >= 0)
            ++b;
    }
    return 2.0 * common / (inkA + inkB);
}

struct Bag {
    std::vector<std::string_view> sorted;
    int ink = 0;

    explicit Bag(std::string_view line) : sorted(words(line)), ink(inkOf(line))
    {
        std::sort(sorted.begin(), sorted.end());
    }
};

// Pairs of lines (offsets in the hunk) in rising order on both sides, with the greatest sum of similarities.
std::vector<std::pair<int, int>> pairLines(std::span<const std::string_view> a, std::span<const std::string_view> b)
{
    const int n = int(a.size()), m = int(b.size());
    std::vector<std::pair<int, int>> pairs;
    if (long(n) * m > pairingLimit) {
        for (int i = 0; i < std::min(n, m); ++i)
            pairs.emplace_back(i, i);
        return pairs;
    }
    std::vector<Bag> bagsA(a.begin(), a.end()), bagsB(b.begin(), b.end());
    const auto at = [m](int i, int j) { return std::size_t(i) * (m + 1) + j; };
    std::vector<double> best(at(n, m) + 1), score(best.size());
    for (int i = n - 1; i >= 0; --i) {
        for (int j = m - 1; j >= 0; --j) {
            score[at(i, j)] = similarity(bagsA[i].sorted, bagsA[i].ink, bagsB[j].sorted, bagsB[j].ink);
            best[at(i, j)] = std::max(best[at(i + 1, j)], best[at(i, j + 1)]);
            if (score[at(i, j)] >= resemblance)
                best[at(i, j)] = std::max(best[at(i, j)], score[at(i, j)] + best[at(i + 1, j + 1)]);
        }
    }
    for (int i = 0, j = 0; i < n && j < m;) {
        if (score[at(i, j)] >= resemblance && best[at(i, j)] == score[at(i, j)] + best[at(i + 1, j + 1)])
            pairs.emplace_back(i++, j++);
        else if (best[at(i, j)] == best[at(i + 1, j)])
            ++i;
        else
            ++j;
    }
    return pairs;
}

// An insertion or deletion may often slide over equal lines; it reads best where its first line is indented least.
void slide(Hunk& hunk, int lowest, int highest, const std::vector<std::string_view>& lines, bool inB)
{
    const int first = inB ? hunk.bFirst : hunk.aFirst, count = inB ? hunk.bCount : hunk.aCount;
    const auto indent = [&](int line) {
        const std::size_t at = lines[line].find_first_not_of(" \t");
        return at == std::string_view::npos ? 1 << 20 : int(at);
    };
    int best = 0;
    int up = 0, down = 0;
    while (up < lowest && lines[first - up - 1] == lines[first + count - up - 1]) {
        ++up;
        if (indent(first - up) < indent(first + best))
            best = -up;
    }
    while (down < highest && lines[first + down] == lines[first + count + down]) {
        ++down;
        if (indent(first + down) <= indent(first + best))
            best = down;
    }
    hunk.aFirst += best;
    hunk.bFirst += best;
}

void slideHunks(std::vector<Hunk>& hunks, const std::vector<std::string_view>& a,
                const std::vector<std::string_view>& b)
{
    for (std::size_t i = 0; i < hunks.size(); ++i) {
        Hunk& hunk = hunks[i];
        if (hunk.aCount > 0 && hunk.bCount > 0)
            continue;
        const int before = i == 0 ? hunk.aFirst : hunk.aFirst - hunks[i - 1].aFirst - hunks[i - 1].aCount;
        const int end = i + 1 < hunks.size() ? hunks[i + 1].aFirst : int(a.size());
        // One equal line stays between two hunks, so that they never run together.
        const int room = end - hunk.aFirst - hunk.aCount - (i + 1 < hunks.size() ? 1 : 0);
        slide(hunk, i == 0 ? before : before - 1, room, hunk.bCount > 0 ? b : a, hunk.bCount > 0);
    }
}

std::vector<ByteSpan> spansOf(const std::vector<std::string_view>& parts, const char* start,
                              std::span<const std::pair<int, int>> ranges)
{
    std::vector<ByteSpan> out;
    for (const auto& [first, count] : ranges) {
        if (count == 0)
            continue;
        const int from = int(parts[first].data() - start);
        const std::string_view last = parts[first + count - 1];
        const int to = int(last.data() - start) + int(last.size());
        // Two changed words with only a blank between them read as one change.
        if (!out.empty()) {
            const std::string_view gap(start + out.back().first + out.back().count,
                                       from - out.back().first - out.back().count);
            if (inkOf(gap) == 0) {
                out.back().count = to - out.back().first;
                continue;
            }
        }
        out.push_back({from, to - from});
    }
    return out;
}

/// Without blanks at their ends; what is blank alone goes.
void trimSpans(std::string_view line, std::vector<ByteSpan>& spans)
{
    for (ByteSpan& span : spans) {
        for (; span.count > 0 && isBlank(line[std::size_t(span.first)]); ++span.first)
            --span.count;
        while (span.count > 0 && isBlank(line[std::size_t(span.first + span.count - 1)]))
            --span.count;
    }
    std::erase_if(spans, [](const ByteSpan& span) { return span.count == 0; });
}

} // namespace

bool isWordByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("\r\n");
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2 : 1));
    }
    return lines;
}

void diffWords(std::string_view a, std::string_view b, std::vector<ByteSpan>& wordsA, std::vector<ByteSpan>& wordsB,
               WhiteSpace space)
{
    wordsA.clear();
    wordsB.clear();
    Interner interner;
    const std::vector<std::string_view> partsA = words(a), partsB = words(b);
    std::vector<std::uint32_t> idsA, idsB;
    for (const std::string_view part : partsA)
        idsA.push_back(interner.id(part));
    for (const std::string_view part : partsB)
        idsB.push_back(interner.id(part));
    std::vector<std::pair<int, int>> rangesA, rangesB;
    int inkA = 0, inkB = 0;
    for (const Hunk& hunk : diffSequences(idsA, idsB)) {
        rangesA.emplace_back(hunk.aFirst, hunk.aCount);
        rangesB.emplace_back(hunk.bFirst, hunk.bCount);
        for (int i = 0; i < hunk.aCount; ++i)
            inkA += inkOf(partsA[hunk.aFirst + i]);
        for (int i = 0; i < hunk.bCount; ++i)
            inkB += inkOf(partsB[hunk.bFirst + i]);
    }
    const int all = inkOf(a) + inkOf(b);
    if (all > 0 && double(all - inkA - inkB) / all < resemblance)
        return;
    wordsA = spansOf(partsA, a.data(), rangesA);
    wordsB = spansOf(partsB, b.data(), rangesB);
    if (space == WhiteSpace::Ignored) {
        trimSpans(a, wordsA);
        trimSpans(b, wordsB);
    }
}

void countDifferences(SideBySide& diff)
{
    diff.differences.clear();
    diff.added = diff.removed = diff.changed = 0;
    bool same = true;
    for (int i = 0; i < int(diff.rows.size()); ++i) {
        const RowKind kind = diff.rows[std::size_t(i)].kind;
        diff.added += kind == RowKind::OnlyB;
        diff.removed += kind == RowKind::OnlyA;
        diff.changed += kind == RowKind::Changed;
        if (kind != RowKind::Same && same)
            diff.differences.push_back({i, 0});
        same = kind == RowKind::Same;
        if (!same)
            ++diff.differences.back().rowCount;
    }
}

namespace {

/// Without blanks; lines stay where they are.
std::string inkIn(std::string_view text)
{
    std::string out;
    for (const std::string_view line : splitLines(text)) {
        std::copy_if(line.begin(), line.end(), std::back_inserter(out), [](char c) { return inkOf({&c, 1}) > 0; });
        out += '\n';
    }
    return out;
}

SideBySide withoutSpace(std::string_view a, std::string_view b)
{
    SideBySide diff = sideBySide(inkIn(a), inkIn(b));
    const std::vector<std::string_view> linesA = splitLines(a), linesB = splitLines(b);
    for (DiffRow& row : diff.rows) {
        if (row.kind == RowKind::Changed)
            diffWords(linesA[std::size_t(row.a)], linesB[std::size_t(row.b)], row.wordsA, row.wordsB,
                      WhiteSpace::Ignored);
        else if ((row.kind == RowKind::OnlyA && inkOf(linesA[std::size_t(row.a)]) == 0) ||
                 (row.kind == RowKind::OnlyB && inkOf(linesB[std::size_t(row.b)]) == 0))
            row.kind = RowKind::Same;
    }
    countDifferences(diff);
    return diff;
}

} // namespace

SideBySide sideBySide(std::string_view a, std::string_view b, WhiteSpace space)
{
    if (space == WhiteSpace::Ignored)
        return withoutSpace(a, b);
    const std::vector<std::string_view> linesA = splitLines(a), linesB = splitLines(b);
    Interner interner;
    std::vector<std::uint32_t> idsA, idsB;
    for (const std::string_view line : linesA)
        idsA.push_back(interner.id(line));
    for (const std::string_view line : linesB)
        idsB.push_back(interner.id(line));
    std::vector<Hunk> hunks = diffSequences(idsA, idsB);
    slideHunks(hunks, linesA, linesB);

    SideBySide out;
    int i = 0, j = 0;
    const auto same = [&](int until) {
        while (i < until)
            out.rows.push_back({i++, j++, RowKind::Same, {}, {}});
    };
    for (const Hunk& hunk : hunks) {
        same(hunk.aFirst);
        const int endA = i + hunk.aCount, endB = j + hunk.bCount;
        std::vector<std::pair<int, int>> pairs = pairLines(std::span(linesA).subspan(i, hunk.aCount),
                                                           std::span(linesB).subspan(j, hunk.bCount));
        pairs.emplace_back(hunk.aCount, hunk.bCount);
        const int baseA = i, baseB = j;
        for (const auto& [offsetA, offsetB] : pairs) {
            while (i < baseA + offsetA || j < baseB + offsetB) {
                const bool left = i < baseA + offsetA, right = j < baseB + offsetB;
                out.rows.push_back({left ? i++ : -1,
                                    right ? j++ : -1,
                                    left && right ? RowKind::Changed
                                    : left        ? RowKind::OnlyA
                                                  : RowKind::OnlyB,
                                    {},
                                    {}});
            }
            if (i < endA && j < endB) {
                DiffRow row{i, j, RowKind::Changed, {}, {}};
                diffWords(linesA[i++], linesB[j++], row.wordsA, row.wordsB);
                out.rows.push_back(std::move(row));
            }
        }
    }
    same(int(linesA.size()));
    countDifferences(out);
    return out;
}

SideBySide oneColumn(const SideBySide& diff)
{
    SideBySide out;
    std::vector<DiffRow> added; // wait until all lines of their difference that are gone stand
    const auto flush = [&] {
        std::move(added.begin(), added.end(), std::back_inserter(out.rows));
        added.clear();
    };
    for (const DiffRow& row : diff.rows) {
        if (row.kind == RowKind::Same) {
            flush();
            out.rows.push_back(row);
            continue;
        }
        if (row.a >= 0)
            out.rows.push_back({row.a, -1, RowKind::OnlyA, row.wordsA, {}});
        if (row.b >= 0)
            added.push_back({-1, row.b, RowKind::OnlyB, {}, row.wordsB});
    }
    flush();
    countDifferences(out);
    out.added = diff.added;
    out.removed = diff.removed;
    out.changed = diff.changed;
    return out;
}

std::vector<EqualRun> equalRuns(const SideBySide& diff, int context, int least)
{
    std::vector<EqualRun> runs;
    if (diff.differences.empty())
        return runs;
    int begin = 1; // an editor cannot hide its first line, and what follows it needs something to stand behind
    for (std::size_t i = 0; i <= diff.differences.size(); ++i) {
        const bool last = i == diff.differences.size();
        const int end = last ? int(diff.rows.size()) : diff.differences[i].firstRow - context;
        if (end - begin >= least)
            runs.push_back({begin, end - begin});
        if (!last)
            begin = diff.differences[i].firstRow + diff.differences[i].rowCount + context;
    }
    return runs;
}

int rowOfLine(const SideBySide& diff, int line, bool left)
{
    const auto found = std::find_if(diff.rows.begin(), diff.rows.end(),
                                    [=](const DiffRow& row) { return (left ? row.a : row.b) == line; });
    return line < 0 || found == diff.rows.end() ? -1 : int(found - diff.rows.begin());
}

} // namespace cudal1::base
