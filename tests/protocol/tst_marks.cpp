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
        QCOMPARE(marksOf(true, "TF32", "not_degenerate_task_either "), std::string());
        QCOMPARE(marksOf(true, "", "crowded degenerate_task "), std::string("!"));
        QCOMPARE(marksOf(false, "TF32", "crowded degenerate_task "), std::string("*TF32!"));
        QVERIFY(isQuestioned("*TF32!") && isOfOtherPrecision("*TF32!"));
        QVERIFY(!isQuestioned("*TF32") && !isOfOtherPrecision("!") && !isQuestioned("") && !isOfOtherPrecision(""));
    }

    void merits()
    {
        const cudal1::base::Interval gain{2, 1.9, 2.1}, more{7, 6.9, 7.1}, loss{0.5, 0.4, 0.6}, unclear{1.1, 0.9, 1.3},
            slight{1.007, 1.006, 1.008};
        QVERIFY(meritOf(gain, "") == Merit::Gain);
        QVERIFY(meritOf(gain, "*TF32") == Merit::OtherPrecision);
        QVERIFY(meritOf(gain, "*TF32!") == Merit::Questioned);
        QVERIFY(meritOf(loss, "!") == Merit::Loss);
        QVERIFY(meritOf(unclear, "") == Merit::NotFaster && meritOf({}, "") == Merit::NotFaster);
        // A smaller gain that is one comes first, and no gain at all last.
        QVERIFY(isBetter(gain, "", more, "*TF32") && !isBetter(more, "*TF32", gain, ""));
        QVERIFY(isBetter(gain, "*TF32", more, "!") && !isBetter(more, "!", gain, "*"));
        QVERIFY(isBetter(more, "!", slight, "") && isBetter(more, "!", unclear, "") && isBetter(more, "", gain, ""));
        QVERIFY(isBetter(unclear, "", loss, "") && !isBetter(loss, "", unclear, ""));
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
        QCOMPARE(marksWord("*TF32"), std::string("TF32"));
        QCOMPARE(marksWord("*TF32!"), std::string("questioned"));
        QVERIFY(marksText("*TF32!").starts_with("TF32: ") &&
                marksText("*TF32!").find("\nquestioned: ") != std::string::npos);
        QVERIFY(marksText("*TF32*BF16!*TF32**").starts_with("TF32, BF16, precision: its results have another"));
        QVERIFY(marksText("*").starts_with("precision: ") && marksText("*").find('\n') == std::string::npos);
        QVERIFY(marksText("*!").find("\nquestioned: ") != std::string::npos);
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

    void theSettingIsNamed()
    {
        const auto setting = [](const char* candidate, const char* reference, const char* effective) {
            PrecisionReport precision;
            precision.candidate = candidate;
            precision.reference = reference;
            precision.oracle.effective = effective;
            precision.matched = false;
            return otherSetting(precision);
        };
        const char* usual = "products fp32, convolutions tf32";
        QCOMPARE(setting("products tf32, convolutions tf32", usual, "as the reference"), std::string("TF32"));
        QCOMPARE(setting("products tf32, convolutions tf32", usual, "bf16"), std::string("BF16")); // the lowest of them
        QCOMPARE(setting(usual, usual, "tf32"), std::string("TF32"));
        QCOMPARE(setting(usual, usual, ""), std::string()); // what both chose says nothing
        QCOMPARE(setting("products fp32, convolutions fp32", usual, ""), std::string("FP32"));
        PrecisionReport same;
        same.candidate = "products tf32";
        QVERIFY(otherSetting(same).empty());
    }
};

QTEST_APPLESS_MAIN(TestMarks)
#include "tst_marks.moc"
