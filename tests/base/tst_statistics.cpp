// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics against numbers derived by hand, and the interval's coverage on synthetic pairs.
#include "core/base/statistics.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace cudal1::base;

class TestStatistics : public QObject {
    Q_OBJECT
private slots:
    void medians();
    void quantiles();
    void roundTimes();
    void geometricMeans();
    void roundsTowardOne_data();
    void roundsTowardOne();
    void comparisons_data();
    void comparisons();
    void ratios();
    void relativeHalfWidth();
    void pairedByHand();
    void pairedOfOneAndOfNone();
    void pairedIgnoresImpossibleTimes();
    void pairedIsReproducible();
    void instancesCountMoreThanPairs();
    void knownSpreadMakesOneInstanceHonest();
    void moreInstancesDoNotHideTheReferencesProcess();
    void intervalCoversTheTruth();
};

void TestStatistics::medians()
{
    QCOMPARE(median({}), 0.0);
    QCOMPARE(median(std::vector{7.0}), 7.0);
    QCOMPARE(median(std::vector{3.0, 1.0, 2.0}), 2.0);
    QCOMPARE(median(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5);
    QCOMPARE(median(std::vector{5.0, 5.0, 5.0, 1.0}), 5.0);
    const std::vector<double> values{9, 8, 1};
    QCOMPARE(median(values), 8.0);
    QCOMPARE(interquartileMean({}), 0.0);
    QCOMPARE(interquartileMean(std::vector{7.0}), 7.0);
    QCOMPARE(interquartileMean(std::vector{1.0, 4.0}), 2.5);
    QCOMPARE(interquartileMean(std::vector{9.0, 1.0, 2.0}), (2.0 + 0.25 * 10) / 1.5);
    QCOMPARE(interquartileMean(std::vector{1e9, 3.0, -1e9, 5.0}), 4.0);
    QCOMPARE(interquartileMean(std::vector{8.0, 2.0, 1e9, 4.0, 0.0}), (4.0 + 0.75 * 10) / 2.5);
    QVERIFY((values == std::vector<double>{9, 8, 1})); // the argument keeps its order
}

void TestStatistics::roundTimes()
{
    QCOMPARE(roundTime({}), 0.0);
    QCOMPARE(roundTime(std::vector{7.0}), 7.0);
    QCOMPARE(roundTime(std::vector{9.0, 7.0}), 7.0);
    QCOMPARE(roundTime(std::vector{9.0, 5.0, 7.0}), 5.0);
    QCOMPARE(roundTime(std::vector{9.0, 5.0, 7.0, 1e9}), 6.0);
    const std::vector<double> disturbed{40, 31, 42, 30, 41,
                                        32, 44, 43, 45}; // a neighbour takes the core for most of it
    QCOMPARE(roundTime(disturbed), 31.0);
    QVERIFY(disturbed.front() == 40); // the argument keeps its order
}

void TestStatistics::quantiles()
{
    const std::vector<double> values{40, 10, 30, 20};
    QCOMPARE(quantile({}, 0.5), 0.0);
    QCOMPARE(quantile(values, 0.0), 10.0);
    QCOMPARE(quantile(values, 1.0), 40.0);
    QCOMPARE(quantile(values, 0.5), 25.0);  // position 1.5 of 10 20 30 40
    QCOMPARE(quantile(values, 0.25), 17.5); // position 0.75
    QCOMPARE(quantile(values, 0.9), 37.0);  // position 2.7
    QCOMPARE(quantile(values, -1), 10.0);
    QCOMPARE(quantile(values, 2), 40.0);
    QCOMPARE(quantile(std::vector{3.0}, 0.3), 3.0);
}

void TestStatistics::geometricMeans()
{
    QCOMPARE(geometricMean({}), 0.0);
    QVERIFY(std::abs(geometricMean(std::vector{2.0, 8.0}) - 4) < 1e-12);
    QVERIFY(std::abs(geometricMean(std::vector{0.5, 2.0}) - 1) < 1e-12);
    QVERIFY(std::abs(geometricMean(std::vector{1.0, 10.0, 100.0}) - 10) < 1e-12);
}

void TestStatistics::roundsTowardOne_data()
{
    QTest::addColumn<double>("in");
    QTest::addColumn<double>("out");
    QTest::newRow("paper, above") << 1.118 << 1.11;
    QTest::newRow("paper, below") << 0.992 << 1.00;
    QTest::newRow("exact above") << 1.12 << 1.12;
    QTest::newRow("exact below") << 0.98 << 0.98;
    QTest::newRow("below") << 0.987 << 0.99;
    QTest::newRow("one") << 1.0 << 1.0;
    QTest::newRow("just above one") << 1.0099 << 1.0;
    QTest::newRow("just below one") << 0.9901 << 1.0;
    QTest::newRow("large") << 449.449 << 449.44;
    QTest::newRow("small") << 0.001 << 0.01;
}

void TestStatistics::roundsTowardOne()
{
    QFETCH(double, in);
    QFETCH(double, out);
    QVERIFY2(std::abs(roundTowardOne(in) - out) < 1e-12, qPrintable(QString::number(roundTowardOne(in), 'g', 17)));
}

void TestStatistics::comparisons_data()
{
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<int>("verdict");
    QTest::newRow("faster") << 1.0001 << 3.0 << int(Comparison::Faster);
    QTest::newRow("slower") << 0.2 << 0.9999 << int(Comparison::Slower);
    QTest::newRow("same") << 0.995 << 1.004 << int(Comparison::Same);
    QTest::newRow("exactly one") << 1.0 << 1.0 << int(Comparison::Same);
    QTest::newRow("unclear to both sides") << 0.8 << 1.2 << int(Comparison::Unclear);
    QTest::newRow("unclear upward") << 0.995 << 1.02 << int(Comparison::Unclear);
    QTest::newRow("touches one from above") << 1.0 << 1.5 << int(Comparison::Unclear);
}

void TestStatistics::comparisons()
{
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(int, verdict);
    QCOMPARE(int(compare({(low + high) / 2, low, high})), verdict);
}

void TestStatistics::ratios()
{
    // ln widths of 0.3 and 0.4 join to 0.5 on either side.
    const Interval a{2, 2 * std::exp(-0.3), 2 * std::exp(0.3)}, b{4, 4 * std::exp(-0.4), 4 * std::exp(0.4)};
    const Interval ratio = ratioOf(a, b);
    QVERIFY(std::abs(ratio.estimate - 0.5) < 1e-12);
    QVERIFY(std::abs(ratio.low - 0.5 * std::exp(-0.5)) < 1e-12);
    QVERIFY(std::abs(ratio.high - 0.5 * std::exp(0.5)) < 1e-12);
    // The low end is what the first's low and the second's high leave.
    const Interval lopsided = ratioOf({1, 0.5, 1}, {1, 1, 2});
    QVERIFY(std::abs(lopsided.low - std::exp(-std::hypot(std::log(2), std::log(2)))) < 1e-12);
    QCOMPARE(lopsided.high, 1.0);
    QVERIFY(!ratioOf({}, b).valid());
    QVERIFY(!ratioOf(a, {}).valid());
}

void TestStatistics::relativeHalfWidth()
{
    QVERIFY(std::abs(Interval{2, 1.9, 2.1}.relativeHalfWidth() - 0.05) < 1e-12);
    QVERIFY(Interval{}.relativeHalfWidth() > 1e6); // nothing measured must never look precise
    QVERIFY(!Interval{}.valid());
}

void TestStatistics::pairedByHand()
{
    // Ratios 2, 4, 16: half of the three values is the middle one and a quarter of each other.
    const std::vector<PairTimes> odd{{200, 100, 0}, {1600, 100, 0}, {400, 100, 0}};
    QVERIFY(std::abs(pairedSpeedup(odd, 1).estimate - std::exp2((2 + 0.25 * (1 + 4)) / 1.5)) < 1e-12);
    // Ratios 2 and 8: the mean of the logarithms is ln 4, not the 5 of plain averaging.
    const std::vector<PairTimes> even{{200, 100, 0}, {800, 100, 1}};
    QVERIFY(std::abs(pairedSpeedup(even, 1).estimate - 4) < 1e-12);
    // With two instances of one pair each, a resample is (2, 2), (2, 8) or (8, 8): the interval is from 2 to 8.
    const Interval interval = pairedSpeedup(even, 1);
    QVERIFY(std::abs(interval.low - 2) < 1e-12);
    QVERIFY(std::abs(interval.high - 8) < 1e-12);
    // Equal ratios leave no doubt.
    const std::vector<PairTimes> equal(5, PairTimes{150, 100, 0});
    const Interval sharp = pairedSpeedup(equal, 1);
    QVERIFY(std::abs(sharp.low - 1.5) < 1e-12 && std::abs(sharp.high - 1.5) < 1e-12);
}

void TestStatistics::pairedOfOneAndOfNone()
{
    QVERIFY(!pairedSpeedup({}, 1).valid());
    const Interval one = pairedSpeedup(std::vector<PairTimes>{{600, 100, 0}}, 1);
    QVERIFY(std::abs(one.estimate - 6) < 1e-12);
    QVERIFY(std::abs(one.low - 3) < 1e-12);
    QVERIFY(std::abs(one.high - 12) < 1e-12);
}

void TestStatistics::pairedIgnoresImpossibleTimes()
{
    const std::vector<PairTimes> pairs{{0, 100, 0}, {100, 0, 0}, {-1, 5, 0}, {300, 100, 0}, {300, 100, 0}};
    QVERIFY(std::abs(pairedSpeedup(pairs, 1).estimate - 3) < 1e-12);
    QVERIFY(!pairedSpeedup(std::span(pairs).first(3), 1).valid());
}

void TestStatistics::pairedIsReproducible()
{
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> time(50, 100);
    std::vector<PairTimes> pairs;
    for (int i = 0; i < 20; ++i)
        pairs.push_back({time(generator), time(generator), i % 4});
    QVERIFY(pairedSpeedup(pairs, 42) == pairedSpeedup(pairs, 42));
    QVERIFY(!(pairedSpeedup(pairs, 42, 0, 200) == pairedSpeedup(pairs, 43, 0, 200)));
}

void TestStatistics::instancesCountMoreThanPairs()
{
    // Two instances that disagree: many pairs within each must not make the interval narrow.
    std::vector<PairTimes> disagreeing, pooled;
    for (int i = 0; i < 100; ++i) {
        const double ratio = i % 2 ? 1.00 : 1.10;
        disagreeing.push_back({ratio * 100, 100, i % 2});
        pooled.push_back({ratio * 100, 100, i});
    }
    const Interval wide = pairedSpeedup(disagreeing, 5);
    QVERIFY(wide.low < 1.001 && wide.high > 1.099);
    QVERIFY(pairedSpeedup(pooled, 5).relativeHalfWidth() <= wide.relativeHalfWidth() + 1e-12);
}

void TestStatistics::knownSpreadMakesOneInstanceHonest()
{
    // One process with a bias of 1 %, as the judge's quick preset has it: its pairs agree, and are all beside the
    // truth.
    std::mt19937_64 generator(7);
    std::normal_distribution<double> instanceBias(0, 0.01), noise(0, 0.005);
    int told = 0, untold = 0;
    constexpr int measurements = 400;
    for (int i = 0; i < measurements; ++i) {
        const double bias = instanceBias(generator);
        std::vector<PairTimes> pairs;
        for (int pair = 0; pair < 8; ++pair)
            pairs.push_back({1000 * std::exp(bias + noise(generator)), 1000, 0});
        const Interval with = pairedSpeedup(pairs, 1, 0.01, 200), without = pairedSpeedup(pairs, 1, 0, 200);
        told += with.low <= 1 && with.high >= 1;
        untold += without.low <= 1 && without.high >= 1;
    }
    QVERIFY2(told >= 0.93 * measurements && told <= 0.995 * measurements, qPrintable(QString::number(told)));
    QVERIFY2(untold < 0.6 * measurements, qPrintable(QString::number(untold)));
}

void TestStatistics::moreInstancesDoNotHideTheReferencesProcess()
{
    // Both sides' processes are off by 0.7 % each. Three of the candidate's are measured beside one of the reference's.
    std::mt19937_64 generator(8);
    std::normal_distribution<double> process(0, 0.007), noise(0, 0.002);
    int held = 0;
    constexpr int measurements = 400;
    for (int i = 0; i < measurements; ++i) {
        const double ofReference = process(generator);
        std::vector<PairTimes> pairs;
        for (int instance = 0; instance < 3; ++instance) {
            const double ofCandidate = process(generator);
            for (int pair = 0; pair < 10; ++pair)
                pairs.push_back({1000 * std::exp(ofReference - ofCandidate + noise(generator)), 1000, instance});
        }
        const Interval interval = pairedSpeedup(pairs, 1, 0.007 * std::sqrt(2), 200);
        held += interval.low <= 1 && interval.high >= 1;
    }
    QVERIFY2(held >= 0.92 * measurements && held <= 0.99 * measurements, qPrintable(QString::number(held)));
}

void TestStatistics::intervalCoversTheTruth()
{
    // 400 synthetic measurements of a true speed-up of 1.7 with 1 % bias an instance and 2 % noise a pair: a 95 %
    // interval must hold the truth in most of them. The percentile bootstrap over 8 instances is known to fall a little
    // short.
    std::mt19937_64 generator(20250711);
    std::normal_distribution<double> instanceBias(0, 0.01), noise(0, 0.02);
    int covered = 0;
    double width = 0;
    constexpr int measurements = 400;
    for (int i = 0; i < measurements; ++i) {
        std::vector<PairTimes> pairs;
        for (int instance = 0; instance < 8; ++instance) {
            const double bias = instanceBias(generator);
            for (int pair = 0; pair < 5; ++pair)
                pairs.push_back({1000 * 1.7 * std::exp(bias + noise(generator)), 1000, instance});
        }
        const Interval interval = pairedSpeedup(pairs, static_cast<std::uint64_t>(i), 0, 400);
        covered += interval.low <= 1.7 && interval.high >= 1.7;
        width += interval.relativeHalfWidth() / measurements;
    }
    QVERIFY2(covered >= 0.90 * measurements, qPrintable(QString("%1 of %2").arg(covered).arg(measurements)));
    QVERIFY2(covered <= 0.995 * measurements, qPrintable(QString("%1 of %2").arg(covered).arg(measurements)));
    // Far too wide an interval would cover as well: 2 % noise over 40 pairs must give about 1 %.
    QVERIFY2(width < 0.02, qPrintable(QString::number(width)));
}

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
