// SPDX-License-Identifier: GPL-3.0-or-later
// Means by each clock under each rule for failures, disagreements, and the table as comma-separated values.
#include "core/rejudge/rejudgecsv.h"
#include "core/rejudge/rejudgesummary.h"

#include <QTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::rejudge;
using protocol::Verdict;

namespace {

ClaimOutcome judged(std::int64_t variant, std::optional<double> claimed, double event, double wall, double width = 0.01)
{
    ClaimOutcome row;
    row.source = "s";
    row.key = row.task.value = "1/" + std::to_string(variant);
    row.variant = {variant};
    row.claimed = claimed;
    row.found.emplace();
    row.found->verdict = Verdict::Correct;
    row.found->event = {event, event * (1 - width), event * (1 + width)};
    row.found->wall = {wall, wall * (1 - width), wall * (1 + width)};
    return row;
}

ClaimOutcome failed(std::int64_t variant, std::optional<double> claimed, Verdict verdict, const std::string& code)
{
    ClaimOutcome row = judged(variant, claimed, 0, 0);
    row.found->verdict = verdict;
    row.found->reasons = {{code, "why", ""}};
    return row;
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-12 * std::max(1.0, std::abs(b));
}

} // namespace

class TestSummary : public QObject {
    Q_OBJECT
private slots:
    void rulesForFailures()
    {
        // 4, 1, and a failure: means by hand.
        const std::vector<std::optional<double>> values{4.0, 1.0, {}};
        const auto one = *summarise(values, Failures::One);
        QVERIFY(one.count == 3 && one.failures == 1);
        QVERIFY(near(one.mean, 2.0) && near(one.geometricMean, std::cbrt(4.0)) && near(one.median, 1.0) &&
                near(one.above, 1.0 / 3));
        const auto zero = *summarise(values, Failures::Zero);
        QVERIFY(zero.count == 3 && near(zero.mean, 5.0 / 3) && zero.geometricMean == 0 && near(zero.median, 1.0));
        const auto left = *summarise(values, Failures::LeftOut);
        QVERIFY(left.count == 2 && left.failures == 1);
        QVERIFY(near(left.mean, 2.5) && near(left.geometricMean, 2.0) && near(left.median, 2.5) &&
                near(left.above, 0.5));
        const std::vector<std::optional<double>> none{{}, {}};
        QVERIFY(!summarise(none, Failures::One)); // a clock that does not exist has no mean of 1
        QVERIFY(!summarise(std::vector<std::optional<double>>(), Failures::LeftOut));
        const std::vector<std::optional<double>> edge{1.01, 1.0100001};
        QVERIFY(near(summarise(edge, Failures::One)->above, 0.5));
        for (const Failures rule : {Failures::One, Failures::Zero, Failures::LeftOut}) {
            Failures back = Failures::One;
            QVERIFY(fromString(toString(rule), back) && back == rule);
        }
        Failures untouched = Failures::Zero;
        QVERIFY(!fromString("two", untouched) && untouched == Failures::Zero);
    }

    void rowsByVerdictAndClock()
    {
        ClaimOutcome noCode;
        noCode.task = {"1/9"};
        ClaimOutcome waiting = judged(8, 5.0, 1, 1);
        waiting.found.reset();
        ClaimOutcome stale = waiting;
        stale.stale = true;
        ClaimOutcome agreed = judged(3, 1.002, 1.0, 1.0); // the claim lies in the interval
        agreed.found->labels = {"precision"};
        const std::vector<ClaimOutcome> rows{judged(1, 449.0, 120.0, 3.2),
                                             judged(2, 2.0, 2.0, 4.0),
                                             agreed,
                                             failed(4, 20.0, Verdict::Incorrect, "wrong_values"),
                                             failed(5, {}, Verdict::Crashed, "segfault"),
                                             noCode,
                                             waiting,
                                             stale};
        const RejudgeSummary summary = summarise(rows, Failures::One);
        QCOMPARE(summary.rows, 6);
        QCOMPARE(summary.unsettled, 2);
        QVERIFY(
            (summary.verdicts ==
             std::map<std::string, int>{
                 {"correct", 3}, {"incorrect", 1}, {"crashed", 1}, {"no_code", 1}, {"not_judged", 1}, {"stale", 1}}));
        QVERIFY((summary.reasons == std::map<std::string, int>{{"wrong_values", 1}, {"segfault", 1}}));
        QVERIFY((summary.labels == std::map<std::string, int>{{"precision", 1}}));
        QVERIFY(near(summary.claimed->mean, (449.0 + 2 + 1.002 + 20 + 1 + 1) / 6));
        QVERIFY(near(summary.event->mean, (120.0 + 2 + 1 + 1 + 1 + 1) / 6));
        QVERIFY(near(summary.wall->mean, (3.2 + 4 + 1 + 1 + 1 + 1) / 6));
        QCOMPARE(summary.claimed->failures, 2);
        QCOMPARE(summary.wall->failures, 3);
        QVERIFY(near(summary.clearlyFaster, 2.0 / 6));
        QCOMPARE(summary.disagreements.size(), std::size_t(2)); // never of a wrong one, whose speed says nothing
        QCOMPARE(summary.disagreements[0].row->variant.value, std::int64_t(1));
        QVERIFY(near(summary.disagreements[0].ratio, 449.0 / 3.2));
        QCOMPARE(summary.disagreements[1].row->variant.value, std::int64_t(2)); // a claim of too little is one too
        QVERIFY(near(summary.disagreements[1].ratio, 0.5));
        QCOMPARE(summarise(rows, Failures::One, 1).disagreements.size(), std::size_t(1));
        QCOMPARE(summary.stale, 1);
    }

    void versionsAreNamedAndOtherTextsLeftOut()
    {
        ClaimOutcome one = judged(1, 2.0, 2.0, 2.0), two = judged(2, 8.0, 8.0, 8.0),
                     other = judged(3, 100.0, 100.0, 100.0);
        one.suite = "v0";
        two.suite = other.suite = "imported";
        other.stale = true; // judged, and then the text of its task changed
        const RejudgeSummary summary = summarise({one, two, other}, Failures::One);
        QCOMPARE(summary.rows, 2);
        QCOMPARE(summary.stale, 1);
        QVERIFY(near(summary.wall->geometricMean, 4.0)); // sqrt(2 * 8)
        QVERIFY((summary.suites == std::map<std::string, int>{{"v0", 1}, {"imported", 1}}));
        QCOMPARE(other.word(), std::string("stale"));
    }

    void commaSeparatedValues()
    {
        ClaimOutcome row = failed(7, 1.5, Verdict::Incorrect, "wrong_values");
        row.taskName = "a, \"b\"\nc";
        row.found->labels = {"x", "y"};
        row.claimedCorrect = true;
        row.irregularities = {"fenced: taken away"};
        row.found->seconds = 2.5;
        const std::string table = csvOf({row, judged(2, {}, 2, 4)});
        QStringList lines = QString::fromStdString(table).split("\r\n");
        QCOMPARE(lines.size(), 4); // the last one is empty
        QCOMPARE(lines[0].count(','), 18);
        QCOMPARE(lines[1], QString("s,1/7,1/7,\"a, \"\"b\"\"\nc\",7,1.5,true,,,,,,,incorrect,wrong_values,why,x; "
                                   "y,fenced: taken away,2.5"));
        QCOMPARE(lines[2], QString("s,1/2,1/2,,2,,,2,1.98,2.02,4,3.96,4.04,correct,,,,,0"));
    }
};

QTEST_GUILESS_MAIN(TestSummary)
#include "tst_summary.moc"
