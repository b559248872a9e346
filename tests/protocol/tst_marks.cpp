// SPDX-License-Identifier: GPL-3.0-or-later
// Marks behind speed-ups, and in what a precision is another.
#include "core/protocol/marks.h"

#include <QTest>

using namespace cudal1::protocol;

class TestMarks : public QObject {
    Q_OBJECT
private slots:
    void ofAnEvaluation()
    {
        Evaluation evaluation;
        evaluation.verdict = Verdict::Correct;
        evaluation.labels = {{"library_calls", "", ""}, {"large_speedup", "", ""}};
        QCOMPARE(marksOf(evaluation), std::string());
        evaluation.labels.push_back({"not_reproduced", "", ""});
        QCOMPARE(marksOf(evaluation), std::string("!"));
        evaluation.precision.matched = false;
        QCOMPARE(marksOf(evaluation), std::string("*!"));
        evaluation.verdict = Verdict::Incorrect;
        QCOMPARE(marksOf(evaluation), std::string());
        QCOMPARE(marksOf(true, "not_degenerate_task_either "), std::string());
        QCOMPARE(marksOf(true, "crowded degenerate_task "), std::string("!"));
    }

    void meansKeepTheReferenceWhereThereIsNoGain()
    {
        const auto counted = [](const cudal1::base::Interval& best, bool inQuestion = false) {
            return countedInMeans(best, inQuestion).estimate;
        };
        QCOMPARE(counted({2, 1.9, 2.1}), 2.0);
        QCOMPARE(counted({2, 1.9, 2.1}, true), 1.0);
        QCOMPARE(counted({1.05, 0.97, 1.14}), 1.0);
        QCOMPARE(counted({0.5, 0.4, 0.6}), 1.0);
        QCOMPARE(counted({}), 1.0);
        QVERIFY(countedInMeansText().find("keep the reference") != std::string::npos);
    }

    void areExplained()
    {
        QVERIFY(marksText("").empty() && marksWord("").empty());
        QCOMPARE(marksWord("*!"), std::string("questioned"));
        QCOMPARE(marksWord("*"), std::string("precision"));
        QVERIFY(marksText("*").starts_with("precision: ") && marksText("*").find('\n') == std::string::npos);
        QVERIFY(marksText("*!*").find("\nquestioned: ") != std::string::npos);
    }

    void otherPrecisions()
    {
        PrecisionReport precision;
        precision.candidate = precision.reference = "products fp32";
        QVERIFY(otherPrecision(precision).empty());
        precision.matched = false;
        precision.oracle.effective = "tf32";
        QCOMPARE(otherPrecision(precision),
                 std::string(
                     "with the same settings its results are less precise than the reference's, as precise as tf32"));
        precision.candidate = "products tf32";
        QCOMPARE(otherPrecision(precision),
                 std::string("the candidate computes with products tf32, the reference with products fp32"));
    }
};

QTEST_APPLESS_MAIN(TestMarks)
#include "tst_marks.moc"
