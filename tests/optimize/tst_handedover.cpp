// SPDX-License-Identifier: GPL-3.0-or-later
// What a task is handed over with.
#include "core/optimize/handedover.h"

#include <QTest>

using namespace cudal1;

namespace {

store::VariantRow row(std::int64_t id, protocol::Verdict verdict, double speedup)
{
    store::VariantRow out;
    out.id = {id};
    out.evaluation = store::EvaluationSummary();
    out.evaluation->verdict = verdict;
    if (speedup > 0)
        out.evaluation->wall = {speedup, speedup * 0.99, speedup * 1.01};
    return out;
}

} // namespace

class TestHandedOver : public QObject {
    Q_OBJECT
private slots:
    void onlyAWholeIntervalAboveOneIsFaster()
    {
        QVERIFY(optimize::referenceIsBest({0.61, 0.60, 0.62}));
        QVERIFY(optimize::referenceIsBest({1.2, 0.99, 1.4}));
        QVERIFY(optimize::referenceIsBest({1.0, 0.995, 1.005}));
        QVERIFY(optimize::referenceIsBest({})); // none, or not timed
        QVERIFY(!optimize::referenceIsBest({1.02, 1.01, 1.03}));
    }

    void theFastestIsCorrectTimedAndOfThisText()
    {
        using protocol::Verdict;
        std::vector<store::VariantRow> rows{row(1, Verdict::Correct, 9), row(2, Verdict::Incorrect, 0),
                                            row(3, Verdict::Correct, 0), row(4, Verdict::Correct, 2),
                                            row(5, Verdict::Correct, 1.5)};
        rows[0].stale = true;
        rows.insert(rows.begin(), store::VariantRow{}); // not judged
        QVERIFY(optimize::fastestOf(rows) && optimize::fastestOf(rows)->id == base::VariantId{4});
        rows.insert(rows.begin(), row(6, Verdict::Correct, 20));
        rows.front().counts = false; // at another precision
        QVERIFY(optimize::fastestOf(rows) && optimize::fastestOf(rows)->id == base::VariantId{4});
        rows.resize(5);
        QVERIFY(!optimize::fastestOf(rows));
    }

    void texts()
    {
        QCOMPARE(optimize::referenceIsBestText({12}, {0.61, 0.60, 0.62}),
                 std::string("The reference is best: no variant is faster by its whole interval. The fastest is "
                             "variant 12, 0.61× (0.60–0.62)."));
        QCOMPARE(optimize::referenceIsBestText({}, {}),
                 std::string("The reference is best: no variant is correct and was timed."));
        store::TaskRecord task;
        task.id = {"/tmp/a\nimport os.py"};
        task.source = "class Model: pass\n";
        const std::string program = optimize::referenceProgram(task, {}, {});
        QVERIFY(program.starts_with("# /tmp/a import os.py \n# The reference is best"));
        QVERIFY(program.ends_with("class Model: pass\n\n\nclass ModelNew(Model):\n    pass\n"));
    }
};

QTEST_GUILESS_MAIN(TestHandedOver)
#include "tst_handedover.moc"
