// SPDX-License-Identifier: GPL-3.0-or-later
// What every candidate differs in from its task is no difference; everything else is.
#include "core/base/programdiff.h"

#include <QTest>

using namespace cudal1::base;

namespace {

const std::string head = "import torch\n\nclass Model(nn.Module):\n    def forward(self, x):\n        return x + 1\n";
const std::string inputs =
    "\nbatch_size = 16\nN, M = 4, 8\n\ndef get_inputs():\n    return [torch.randn(batch_size, N)]\n\n"
    "def get_init_inputs():\n    return []  # none\n";

std::string named(std::string text, const std::string& name)
{
    return text.replace(text.find("Model("), 5, name);
}

} // namespace

class TestProgramDiff : public QObject {
    Q_OBJECT

private slots:
    void aCandidateThatComputesTheSameDiffersInNothing()
    {
        const SideBySide diff = programsSideBySide(head + inputs, named(head, "ModelNew"));
        QVERIFY(diff.differences.empty());
        QCOMPARE(diff.added + diff.removed + diff.changed, 0);
        QCOMPARE(diff.rows.size(), splitLines(head + inputs).size()); // the lines are shown all the same
        QCOMPARE(diff.rows.back().b, -1);
    }

    void theOtherWayRoundToo()
    {
        QVERIFY(programsSideBySide(named(head, "ModelNew"), head + inputs).differences.empty());
    }

    /// A function that the candidate adds stands where the task makes its inputs, and is compared with nothing there.
    void inputsArePairedWithNothing()
    {
        const std::string added = "\n    def original(self, x):\n        return [x]\n";
        const SideBySide diff = programsSideBySide(head + inputs, named(head, "ModelNew") + added);
        QCOMPARE(diff.removed + diff.changed, 0);
        QCOMPARE(diff.added, int(splitLines(added).size()));
        for (const DiffRow& row : diff.rows)
            if (row.a >= 0 && splitLines(head + inputs)[std::size_t(row.a)].starts_with("def get_"))
                QVERIFY(row.kind == RowKind::Same && row.b < 0);
        // Every line of both is shown once and in its order.
        for (const bool left : {true, false}) {
            int next = 0;
            for (const DiffRow& row : diff.rows)
                if (const int line = left ? row.a : row.b; line >= 0)
                    QCOMPARE(line, next++);
        }
    }

    void anotherNameIsADifference() { QCOMPARE(programsSideBySide(head, named(head, "ModelNewer")).changed, 1); }

    void inputsThatBothHaveAreCompared()
    {
        std::string other = inputs;
        other.replace(other.find("16"), 2, "32");
        QCOMPARE(programsSideBySide(head + inputs, head + other).changed, 1);
    }

    void constantsOfTheCandidateAreDifferences()
    {
        const std::string constant = "BLOCK = 128\n";
        const SideBySide diff = programsSideBySide(head + inputs, constant + named(head, "ModelNew"));
        QCOMPARE(diff.added, 1);
        QCOMPARE(diff.differences, (std::vector<TextDifference>{{0, 1}}));
    }

    void changedWordsAreWhereTheyAreInTheTexts()
    {
        const std::string line = "class ModelNew(nn.Module): ";
        const SideBySide diff = programsSideBySide("class Model(nn.Module): a = 1\n", line + "a = 2\n");
        QCOMPARE(diff.rows.at(0).kind, RowKind::Changed);
        QCOMPARE(diff.rows.at(0).wordsB.back(), (ByteSpan{int(line.size()) + 4, 1}));
    }

    void whiteSpaceIsIgnoredOnRequest()
    {
        std::string wide = named(head, "ModelNew");
        wide.replace(wide.find("x + 1"), 5, "x  +  1");
        QCOMPARE(programsSideBySide(head + inputs, wide).changed, 1);
        QVERIFY(programsSideBySide(head + inputs, wide, WhiteSpace::Ignored).differences.empty());
    }
};

QTEST_APPLESS_MAIN(TestProgramDiff)
#include "tst_programdiff.moc"
