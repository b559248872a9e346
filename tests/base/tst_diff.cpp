// SPDX-License-Identifier: GPL-3.0-or-later
// Diff arithmetic: cases derived by hand, and the property that the rows hold both texts and the fewest differences.
#include "core/base/diff.h"

#include <QTest>

#include <random>

using namespace cudal1::base;

namespace {

std::vector<std::uint32_t> symbols(const char* text)
{
    return {text, text + std::char_traits<char>::length(text)};
}

int edits(const std::vector<Hunk>& hunks)
{
    int count = 0;
    for (const Hunk& hunk : hunks)
        count += hunk.aCount + hunk.bCount;
    return count;
}

// The textbook quadratic table: an independent answer to compare with.
int fewestEdits(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)
{
    std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            common[i][j] = a[i - 1] == b[j - 1] ? common[i - 1][j - 1] + 1
                                                : std::max(common[i - 1][j], common[i][j - 1]);
    return int(a.size() + b.size()) - 2 * common[a.size()][b.size()];
}

std::vector<std::uint32_t> applied(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                                   const std::vector<Hunk>& hunks)
{
    std::vector<std::uint32_t> out;
    int at = 0;
    for (const Hunk& hunk : hunks) {
        out.insert(out.end(), a.begin() + at, a.begin() + hunk.aFirst);
        out.insert(out.end(), b.begin() + hunk.bFirst, b.begin() + hunk.bFirst + hunk.bCount);
        at = hunk.aFirst + hunk.aCount;
    }
    out.insert(out.end(), a.begin() + at, a.end());
    return out;
}

std::string joined(const std::vector<std::string_view>& lines, const SideBySide& diff, int DiffRow::*side)
{
    std::string out;
    for (const DiffRow& row : diff.rows)
        if (row.*side >= 0)
            out.append(lines[row.*side]).append("\n");
    return out;
}

} // namespace

class TestDiff : public QObject {
    Q_OBJECT
private slots:
    void equalSequencesHaveNoHunks()
    {
        QVERIFY(diffSequences(symbols("abc"), symbols("abc")).empty());
        QVERIFY(diffSequences({}, {}).empty());
    }

    void oneSideEmpty()
    {
        QCOMPARE(diffSequences({}, symbols("ab")), (std::vector<Hunk>{{0, 0, 0, 2}}));
        QCOMPARE(diffSequences(symbols("ab"), {}), (std::vector<Hunk>{{0, 2, 0, 0}}));
    }

    void myersPaperExample()
    {
        // ABCABBA to CBABAC needs five edits (Myers 1986, figure 1).
        QCOMPARE(edits(diffSequences(symbols("ABCABBA"), symbols("CBABAC"))), 5);
    }

    void replacedInTheMiddle()
    {
        QCOMPARE(diffSequences(symbols("abXcd"), symbols("abYZcd")), (std::vector<Hunk>{{2, 1, 2, 2}}));
    }

    void randomSequencesAreShortestAndApply()
    {
        std::mt19937 random(20250714);
        for (int round = 0; round < 3000; ++round) {
            const int alphabet = 1 + int(random() % 6);
            std::vector<std::uint32_t> a(random() % 24), b(random() % 24);
            for (auto& symbol : a)
                symbol = random() % alphabet;
            for (auto& symbol : b)
                symbol = random() % alphabet;
            const std::vector<Hunk> hunks = diffSequences(a, b);
            QCOMPARE(applied(a, b, hunks), b);
            QCOMPARE(edits(hunks), fewestEdits(a, b));
        }
    }

    void longSequencesWithLittleInCommon()
    {
        std::vector<std::uint32_t> a(40'000), b(40'000);
        for (std::uint32_t i = 0; i < a.size(); ++i) {
            a[i] = i;
            b[i] = 1'000'000 + i;
        }
        b[17] = 23;
        QCOMPARE(edits(diffSequences(a, b)), 79'998);
    }

    void linesEndInThreeWays()
    {
        QCOMPARE(splitLines("a\r\nb\rc\n\nd"), (std::vector<std::string_view>{"a", "b", "c", "", "d"}));
        QCOMPARE(splitLines("a\n"), (std::vector<std::string_view>{"a"}));
        QVERIFY(splitLines("").empty());
    }

    void wordsOfAChangedLine()
    {
        std::vector<ByteSpan> a, b;
        diffWords("x = torch.relu(self.fc(x))", "x = torch.gelu(self.fc(x))", a, b);
        QCOMPARE(a, (std::vector<ByteSpan>{{10, 4}}));
        QCOMPARE(b, (std::vector<ByteSpan>{{10, 4}}));
        diffWords("return x", "return x * scale", a, b);
        QVERIFY(a.empty());
        QCOMPARE(b, (std::vector<ByteSpan>{{8, 8}}));
    }

    void wordsNeverCutACharacter()
    {
        std::vector<ByteSpan> a, b;
        diffWords("speed of α = 1", "speed of β = 1", a, b);
        QCOMPARE(a, (std::vector<ByteSpan>{{9, 2}}));
        QCOMPARE(b, (std::vector<ByteSpan>{{9, 2}}));
    }

    void unlikeLinesHaveNoWords()
    {
        std::vector<ByteSpan> a, b;
        diffWords("import torch", "class Model(nn.Module):", a, b);
        QVERIFY(a.empty());
        QVERIFY(b.empty());
    }

    void editedLinesShareARowAndInsertedOnesGetFiller()
    {
        const SideBySide diff = sideBySide("def f(x):\n    y = x + 1\n    return y\n",
                                           "def f(x):\n    # faster\n    y = x + 2\n    return y\n");
        QCOMPARE(diff.rows.size(), std::size_t(4));
        QCOMPARE(diff.rows[1].kind, RowKind::OnlyB);
        QCOMPARE(diff.rows[1].b, 1);
        QCOMPARE(diff.rows[2].kind, RowKind::Changed);
        QCOMPARE(diff.rows[2].a, 1);
        QCOMPARE(diff.rows[2].b, 2);
        QCOMPARE(diff.rows[2].wordsA, (std::vector<ByteSpan>{{12, 1}}));
        QCOMPARE(diff.differences, (std::vector<TextDifference>{{1, 2}}));
        QCOMPARE(diff.added, 1);
        QCOMPARE(diff.changed, 1);
        QCOMPARE(diff.removed, 0);
    }

    void anInsertedFunctionIsShownWhole()
    {
        // The shortest script may as well start inside the new function; the row of its "def" is the one to show.
        const SideBySide diff = sideBySide(
            "def a():\n    return 1\n\ndef c():\n    return 1\n",
            "def a():\n    return 1\n\ndef b():\n    return 1\n\ndef c():\n    return 1\n");
        QCOMPARE(diff.differences, (std::vector<TextDifference>{{3, 3}}));
    }

    void rowsHoldBothTexts()
    {
        std::mt19937 random(7);
        const std::vector<std::string> pool{"",          "    x = 1",        "    x = 2", "    return x",
                                            "def f(x):", "    y = x * x + 1"};
        for (int round = 0; round < 1000; ++round) {
            std::string a, b;
            for (unsigned i = random() % 14; i > 0; --i)
                a += pool[random() % pool.size()] + "\n";
            for (unsigned i = random() % 14; i > 0; --i)
                b += pool[random() % pool.size()] + "\n";
            const std::vector<std::string_view> linesA = splitLines(a), linesB = splitLines(b);
            const SideBySide diff = sideBySide(a, b);
            QCOMPARE(joined(linesA, diff, &DiffRow::a), a);
            QCOMPARE(joined(linesB, diff, &DiffRow::b), b);
            int marked = 0;
            for (const TextDifference& difference : diff.differences)
                marked += difference.rowCount;
            for (const DiffRow& row : diff.rows) {
                if (row.kind == RowKind::Same) {
                    QCOMPARE(linesA[row.a], linesB[row.b]);
                } else {
                    --marked;
                    QVERIFY(row.kind != RowKind::Changed || linesA[row.a] != linesB[row.b]);
                }
            }
            QCOMPARE(marked, 0);
        }
    }

    void equalRunsStayAwayFromDifferences()
    {
        std::string a, b;
        for (int i = 0; i < 40; ++i) {
            a += std::to_string(i) + "\n";
            b += (i == 12 || i == 20 ? "x" + std::to_string(i) : std::to_string(i)) + "\n";
        }
        const SideBySide diff = sideBySide(a, b);
        // Rows 12 and 20 differ; with three rows around each, 16 alone is between them: too little to hide.
        QVERIFY((equalRuns(diff) == std::vector<EqualRun>{{1, 8}, {24, 16}}));
        QVERIFY((equalRuns(diff, 3, 1) == std::vector<EqualRun>{{1, 8}, {16, 1}, {24, 16}}));
        QVERIFY((equalRuns(diff, 0, 1) == std::vector<EqualRun>{{1, 11}, {13, 7}, {21, 19}}));
        QVERIFY(equalRuns(sideBySide(a, a)).empty());
        QVERIFY(equalRuns(sideBySide("", "")).empty());
    }

    void rowsOfLines()
    {
        const SideBySide diff = sideBySide("a\nb\nc\n", "a\nnew one\nb\nc\n");
        QCOMPARE(rowOfLine(diff, 1, true), 2);
        QCOMPARE(rowOfLine(diff, 1, false), 1);
        QCOMPARE(rowOfLine(diff, 3, true), -1);
        QCOMPARE(rowOfLine(diff, -1, true), -1); // filler is no line
    }

    void whiteSpaceCanBeIgnored()
    {
        const std::string a = "if x:\n    y = f(1)\n\nreturn y\n", b = "if x :\n  y = f( 2 )\nreturn y\n\n";
        QCOMPARE(sideBySide(a, b).differences.size(), std::size_t(2)); // three lines together, and the last one
        const SideBySide diff = sideBySide(a, b, WhiteSpace::Ignored);
        QCOMPARE(diff.changed, 1);
        QCOMPARE(diff.added + diff.removed, 0);                          // an empty line is none
        QCOMPARE(diff.rows.size(), std::size_t(5));                      // and is shown all the same
        QCOMPARE(diff.rows[1].wordsA, (std::vector<ByteSpan>{{10, 1}})); // the 1 alone, not the blanks
        QCOMPARE(diff.rows[1].wordsB, (std::vector<ByteSpan>{{9, 1}}));
        QVERIFY(sideBySide("a = 1\n", "a=1", WhiteSpace::Ignored).differences.empty());
    }

    void oneColumnHasWhatIsGoneAboveWhatCame()
    {
        const SideBySide diff = sideBySide("same\nx = 1\ny = 1\nlast\n", "same\nx = 2\ny = 2\nnew\nlast\n");
        const SideBySide column = oneColumn(diff);
        std::vector<std::pair<int, int>> lines;
        for (const DiffRow& row : column.rows)
            lines.emplace_back(row.a, row.b);
        QCOMPARE(lines,
                 (std::vector<std::pair<int, int>>{{0, 0}, {1, -1}, {2, -1}, {-1, 1}, {-1, 2}, {-1, 3}, {3, 4}}));
        QCOMPARE(column.differences, (std::vector<TextDifference>{{1, 5}}));
        QCOMPARE(column.rows[1].wordsA, diff.rows[1].wordsA);
        QCOMPARE(column.rows[3].wordsB, diff.rows[1].wordsB);
        QCOMPARE(column.changed, 2); // counted as before
        QCOMPARE(column.added, 1);
    }
};

QTEST_APPLESS_MAIN(TestDiff)
#include "tst_diff.moc"
