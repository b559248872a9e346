// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's arithmetic against examples worked by hand.
#include "core/base/paperprotocol.h"

#include <QtTest>

#include <cmath>

using namespace cudal1::base;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) < 1e-12;
}

/// Fourteen rounds, two a bucket. Means of the pairs: 1.0, 1.1, 1.2, 1.1, 1.2, 1.3, 1.5; their median 1.2, their mean
/// 8.4 / 7 = 1.2. Squares of the distances from 1.2: .04 .01 0 .01 0 .01 .09 = .16; over 6: 0.0266...
const std::vector<double> fourteen{0.9, 1.1, 1.0, 1.2, 1.2, 1.2, 1.15, 1.05, 1.3, 1.1, 1.3, 1.3, 1.4, 1.6};

} // namespace

class TestPaperProtocol : public QObject {
    Q_OBJECT
private slots:
    void bucketsKeepTheOrder();
    void bucketsOfUnevenSizes();
    void tooFewRatios();
    void variances();
    void workedExample();
    void gateAtItsEdge();
    void eachRuleIsASwitch();
    void theMedianWithstandsOneBadBucket();
    void roundingTowardOne();
    void verificationIsDue();
    void verificationAgrees();
};

void TestPaperProtocol::bucketsKeepTheOrder()
{
    const std::vector<double> means = bucketMeans(std::vector{1.0, 3.0, 10.0, 20.0, 5.0, 7.0}, 3);
    QCOMPARE(means, (std::vector<double>{2, 15, 6}));
}

void TestPaperProtocol::bucketsOfUnevenSizes()
{
    // Ten in three: the first three, the next three, the last four.
    const std::vector<double> means = bucketMeans(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 3);
    QCOMPARE(means, (std::vector<double>{2, 5, 8.5}));
    std::vector<double> ones(1000, 1.0);
    QCOMPARE(bucketMeans(ones, 7), std::vector<double>(7, 1.0));
}

void TestPaperProtocol::tooFewRatios()
{
    const std::vector<double> six(6, 2.0);
    QVERIFY(bucketMeans(six, 7).empty());
    QVERIFY(bucketMeans(six, 0).empty());
    QVERIFY(bucketMeans({}, 7).empty());
    const PaperSummary summary = paperSummary(six, {});
    QVERIFY(!summary.valid() && !summary.gatePassed);
    QCOMPARE(summary.reported, 0.0);
}

void TestPaperProtocol::variances()
{
    QCOMPARE(sampleVariance({}), 0.0);
    QCOMPARE(sampleVariance(std::vector{4.0}), 0.0);
    QCOMPARE(sampleVariance(std::vector{1.0, 3.0}), 2.0);
    QCOMPARE(sampleVariance(std::vector{2.0, 4.0, 9.0}), 13.0); // mean 5: 9 + 1 + 16, over 2
}

void TestPaperProtocol::workedExample()
{
    const PaperSummary summary = paperSummary(fourteen, {});
    QCOMPARE(summary.bucketMeans.size(), std::size_t(7));
    QVERIFY(close(summary.bucketMeans.front(), 1.0) && close(summary.bucketMeans.back(), 1.5));
    QVERIFY(close(summary.variance, 0.16 / 6));
    QVERIFY(!summary.gatePassed); // 0.027 > 0.005
    QVERIFY(close(summary.measured, 1.2));
    QCOMPARE(summary.reported, 1.2);
}

void TestPaperProtocol::gateAtItsEdge()
{
    // Means 1.00 and 1.10: distances of 0.05 from 1.05, squares 0.0025 each, over 1: 0.005.
    PaperSettings two;
    two.buckets = 2;
    const std::vector<double> edge{1.0, 1.1};
    two.gate = 0.00501;
    QVERIFY(paperSummary(edge, two).gatePassed);
    two.gate = 0.00499;
    QVERIFY(!paperSummary(edge, two).gatePassed);
    two.inBuckets = false;
    QVERIFY(paperSummary(edge, two).gatePassed);
}

void TestPaperProtocol::eachRuleIsASwitch()
{
    // Without buckets the median is of all fourteen: sorted, the seventh and eighth are both 1.2.
    PaperSettings settings;
    settings.inBuckets = false;
    PaperSummary summary = paperSummary(fourteen, settings);
    QVERIFY(summary.bucketMeans.empty() && summary.gatePassed);
    QVERIFY(close(summary.measured, 1.2));

    const std::vector<double> skewed{1, 1, 1, 1, 1, 1, 8.007};
    settings = {};
    QCOMPARE(paperSummary(skewed, settings).measured, 1.0);
    settings.byMedian = false;
    summary = paperSummary(skewed, settings);
    QVERIFY(close(summary.measured, 14.007 / 7));
    QCOMPARE(summary.reported, 2.0); // 2.001 toward 1
    settings.rounded = false;
    QVERIFY(close(paperSummary(skewed, settings).reported, 14.007 / 7));
}

void TestPaperProtocol::theMedianWithstandsOneBadBucket()
{
    std::vector<double> ratios(70, 1.118);
    for (std::size_t i = 0; i < 10; ++i)
        ratios[i] = 50;
    const PaperSummary summary = paperSummary(ratios, {});
    QVERIFY(close(summary.measured, 1.118));
    QVERIFY(!summary.gatePassed);
}

void TestPaperProtocol::roundingTowardOne()
{
    QCOMPARE(paperSummary(std::vector<double>(7, 1.118), {}).reported, 1.11);
    QCOMPARE(paperSummary(std::vector<double>(7, 0.992), {}).reported, 1.0);
    QVERIFY(close(paperSummary(std::vector<double>(7, 1.118), {}).measured, 1.118));
}

void TestPaperProtocol::verificationIsDue()
{
    QVERIFY(!needsVerification(3.0, 0));
    QVERIFY(needsVerification(3.01, 0));
    QVERIFY(needsVerification(3.01, 100)); // a small gain on the best is still above 3
    QVERIFY(!needsVerification(2.4, 1.2));
    QVERIFY(needsVerification(2.41, 1.2));
    QVERIFY(!needsVerification(2.9, 0)); // no best so far: only the limit of 3 counts
}

void TestPaperProtocol::verificationAgrees()
{
    QVERIFY(verifies(2, 2.2) && verifies(2, 1.8));
    QVERIFY(!verifies(2, 2.21) && !verifies(2, 1.79));
    QVERIFY(!verifies(2, 0) && !verifies(0, 2));
}

QTEST_GUILESS_MAIN(TestPaperProtocol)
#include "tst_paperprotocol.moc"
