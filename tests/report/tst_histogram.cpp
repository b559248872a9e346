// SPDX-License-Identifier: GPL-3.0-or-later
// Bins and ticks of the speed-up histogram against values derived by hand.
#include "core/charts/histogram.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace cudal1::charts;

class TestHistogram : public QObject {
    Q_OBJECT
private slots:
    void nothingGivesNothing();
    void oneIsAlwaysAnEdge();
    void countsByGroup();
    void edgesBelongToTheUpperBin();
    void widthFollowsTheRange_data();
    void widthFollowsTheRange();
    void impossibleSamplesAreLeftOut();
    void ticks_data();
    void ticks();
    void aShortAxisHasItsEnds();
    void oneTaskIsABarThatIsSeen();
};

void TestHistogram::nothingGivesNothing()
{
    const Histogram h = histogram({}, 3);
    QVERIFY(h.bins.empty());
    QCOMPARE(h.highest, 0);
}

void TestHistogram::oneIsAlwaysAnEdge()
{
    for (const std::vector<GroupedSpeedup>& samples :
         {std::vector<GroupedSpeedup>{{0.3}, {7}}, {{12}, {19}}, {{0.1}, {0.2}}, {{1}}, {{400}, {0.01}}}) {
        const Histogram h = histogram(samples, 1);
        int edges = 0;
        for (const Bin& bin : h.bins)
            edges += std::abs(bin.low - 1) < 1e-12;
        QCOMPARE(edges, 1);
        for (const Bin& bin : h.bins)
            QVERIFY(bin.low > 1 - 1e-12 || bin.high < 1 + 1e-12);
    }
}

void TestHistogram::countsByGroup()
{
    const Histogram h = histogram(std::vector<GroupedSpeedup>{{1.01, 0}, {1.01, 1}, {1.01, 1}, {1.3, 0}}, 2);
    QCOMPARE(h.highest, 3);
    QVERIFY((h.bins.front().counts == std::vector{1, 2}));
    QVERIFY((h.bins.back().counts == std::vector{1, 0}));
    int sum = 0;
    for (std::size_t i = 0; i < h.bins.size(); ++i) {
        sum += h.bins[i].total();
        if (i > 0)
            QVERIFY(std::abs(h.bins[i].low - h.bins[i - 1].high) < 1e-9); // no gap
    }
    QCOMPARE(sum, 4);
}

void TestHistogram::edgesBelongToTheUpperBin()
{
    // Range 1 to 10 needs steps of 1.1 (25 bins): 1.21 is the third edge, 1.0 the first.
    const Histogram h = histogram(std::vector<GroupedSpeedup>{{1.0}, {1.1 * 1.1}, {10}}, 1);
    QVERIFY(std::abs(h.bins[0].high - 1.1) < 1e-12);
    QCOMPARE(h.bins[0].total(), 1);
    QCOMPARE(h.bins[1].total(), 0);
    QCOMPARE(h.bins[2].total(), 1);
    QCOMPARE(h.bins.back().total(), 1);
    QCOMPARE(h.bins.size(), std::size_t(25)); // ln 10 / ln 1.1 = 24.16
}

void TestHistogram::widthFollowsTheRange_data()
{
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::addColumn<double>("factor");
    QTest::newRow("1.0 to 1.5: 21 bins of 1.02") << 1.0 << 1.5 << 1.02;
    QTest::newRow("1 to 3: 23 bins of 1.05") << 1.0 << 3.0 << 1.05;
    QTest::newRow("0.5 to 20: 17 bins of 1.25") << 0.5 << 20.0 << 1.25;
    QTest::newRow("0.1 to 450: 21 bins of 1.5") << 0.1 << 450.0 << 1.5;
}

void TestHistogram::widthFollowsTheRange()
{
    QFETCH(double, least);
    QFETCH(double, most);
    QFETCH(double, factor);
    const Histogram h = histogram(std::vector<GroupedSpeedup>{{least}, {most}}, 1);
    QVERIFY(h.bins.size() <= 28);
    QVERIFY2(std::abs(h.bins[0].high / h.bins[0].low - factor) < 1e-9,
             qPrintable(QString::number(h.bins[0].high / h.bins[0].low)));
    QVERIFY(h.low() <= least * (1 + 1e-8) && h.high() > most);
}

void TestHistogram::impossibleSamplesAreLeftOut()
{
    const double infinity = std::numeric_limits<double>::infinity();
    const Histogram h = histogram(
        std::vector<GroupedSpeedup>{{0}, {-1}, {infinity}, {std::nan("")}, {2, 5}, {2, -1}, {2, 0}}, 1);
    int sum = 0;
    for (const Bin& bin : h.bins)
        sum += bin.total();
    QCOMPARE(sum, 1);
    QVERIFY(h.bins.back().low <= 2 && h.bins.back().high > 2 && h.bins.back().total() == 1);
}

void TestHistogram::ticks_data()
{
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<QList<double>>("expected");
    QTest::newRow("narrow") << 0.95 << 1.35 << QList<double>{0.95, 1, 1.1, 1.2, 1.3};
    QTest::newRow("a decade and a half") << 0.5 << 20.0 << QList<double>{0.5, 1, 2, 3, 5, 10, 20};
    QTest::newRow("one mark of thirds") << 0.36 << 2.01 << QList<double>{0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2};
    QTest::newRow("four decades") << 0.1 << 1000.0 << QList<double>{0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000};
}

void TestHistogram::ticks()
{
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(QList<double>, expected);
    const std::vector<double> ticks = axisTicks(low, high);
    QCOMPARE(qsizetype(ticks.size()), expected.size());
    for (std::size_t i = 0; i < ticks.size(); ++i)
        QVERIFY(std::abs(ticks[i] / expected[qsizetype(i)] - 1) < 1e-9);
}

void TestHistogram::aShortAxisHasItsEnds()
{
    // 1, 2 and a half: no row of round numbers has at most two of them but the one with 1 alone.
    const std::vector<double> ticks = axisTicks(0.36, 2.01, 2);
    QVERIFY(ticks.size() >= 2 && ticks.front() < 1 && ticks.back() > 1);
    QCOMPARE(axisTicks(1, 28.4, 3), (std::vector<double>{1, 3, 10}));
}

void TestHistogram::oneTaskIsABarThatIsSeen()
{
    const std::vector<GroupedSpeedup> one{{28.4, 0}};
    const Histogram h = histogram(one, 1);
    QVERIFY2(h.bins.size() <= 28, qPrintable(QString::number(h.bins.size())));
    QCOMPARE(h.low(), 1.0);
    QVERIFY(h.bins.back().low <= 28.4 && h.bins.back().high > 28.4 && h.bins.back().total() == 1);
}

QTEST_GUILESS_MAIN(TestHistogram)
#include "tst_histogram.moc"
