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

    void areExplained()
    {
        QVERIFY(marksText("").empty());
        QVERIFY(marksText("*").starts_with("* ") && marksText("*").find('\n') == std::string::npos);
        QVERIFY(marksText("*!*").find("\n! ") != std::string::npos);
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
