// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of baselines with numbers worked out by hand, and the CSV's columns.
#include "core/baselines/baselinesummary.h"

#include <QTest>

#include <cmath>

using namespace cudal1;
using baselines::BaselineRow;
using baselines::BaselineSummary;

namespace {

BaselineRow row(int level, const char* kind, double speedup)
{
    BaselineRow out;
    out.kind = baselines::find(kind);
    out.task = {std::to_string(level) + "/1"};
    out.taskName = "Name, with a comma";
    out.level = level;
    out.suite = "kernelbench-v0";
    out.found.emplace();
    out.found->deviceModel = "GPU";
    out.found->verdict = speedup > 0 ? protocol::Verdict::Correct : protocol::Verdict::Crashed;
    if (speedup > 0)
        out.found->wall = {{speedup, speedup / 2, speedup * 2}, 8e6, 8e6 / speedup};
    else
        out.found->reason = {"exception", "cannot be captured", ""};
    return out;
}

} // namespace

class TestSummary : public QObject {
    Q_OBJECT
private slots:
    void byLevelAndKind()
    {
        BaselineRow open = row(1, "compile", 7);
        open.found.reset();
        const auto lines = baselines::summarise({row(2, "eager", 1), row(1, "compile", 4), row(1, "compile", 1),
                                                 row(1, "compile", 2), row(1, "compile", 8), row(1, "compile", 0), open,
                                                 row(0, "tf32", 0)});
        QCOMPARE(lines.size(), std::size_t(6)); // level 1, level 2, files, and three of all
        const BaselineSummary& first = lines[0];
        QVERIFY(first.level == 1 && first.kind->id == "compile" && first.measured == 5 && first.correct == 4 &&
                first.timed == 4);
        QCOMPARE(first.mean, 15.0 / 4);
        QCOMPARE(first.geometricMean, std::sqrt(8.0)); // fourth root of 64
        QCOMPARE(first.lowerQuartile, 1.75);           // a quarter of the way: 1 + 0.75 (2 - 1)
        QCOMPARE(first.median, 3.0);
        QCOMPARE(first.upperQuartile, 5.0); // 4 + 0.25 (8 - 4)
        QCOMPARE(first.maximum, 8.0);
        QVERIFY(lines[1].level == 2 && lines[1].kind->id == "eager");
        QVERIFY(lines[2].level == 0 && lines[2].correct == 0 && lines[2].timed == 0 && lines[2].mean == 0);
        QVERIFY(lines[3].level == BaselineSummary::allLevels && lines[3].kind->id == "eager");
        QVERIFY(baselines::summarise({open}).empty());
        QCOMPARE(baselines::summarise({row(1, "eager", 1)}).size(), std::size_t(1)); // one level needs no sum
    }

    void csv()
    {
        const std::string text = baselines::csvOf({row(1, "compile", 4), row(1, "cuda-graph", 0)});
        const QStringList lines = QString::fromStdString(text).split("\r\n");
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[1],
                 QString("1,1/1,\"Name, with a comma\",compile,correct,8,2,4,2,8,,,,,,,,,,,0,GPU,kernelbench-v0"));
        QCOMPARE(lines[2], QString("1,1/1,\"Name, with a comma\",cuda-graph,crashed,,,,,,,,,,,,exception,cannot be "
                                   "captured,,,0,GPU,kernelbench-v0"));
        for (int at = 1; at < 3; ++at)
            QCOMPARE(lines[at].count(',') - 1, lines[0].count(',')); // one of them is quoted
    }
};

QTEST_GUILESS_MAIN(TestSummary)
#include "tst_summary.moc"
