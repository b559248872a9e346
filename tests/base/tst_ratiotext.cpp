// SPDX-License-Identifier: GPL-3.0-or-later
// Ratios for people: digits, and on which side of 1 an end lies.
#include "core/base/percenttext.h"
#include "core/base/ratiotext.h"

#include <QtTest>

using namespace cudal1::base;

class TestRatioText : public QObject {
    Q_OBJECT
private slots:
    void ratios()
    {
        QCOMPARE(ratioText(0.974), std::string("0.97×"));
        QCOMPARE(ratioText(3.861), std::string("3.86×"));
        QCOMPARE(ratioText(9.997), std::string("10.0×"));
        QCOMPARE(ratioText(99.97), std::string("100×"));
        QCOMPARE(ratioText(449.2), std::string("449×"));
        QCOMPARE(ratioText(1e300).size(), std::size_t(301) + std::string("×").size());
    }

    void ranges_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<QString>("text");
        QTest::newRow("usual") << 3.83 << 3.888 << "3.83–3.89";
        QTest::newRow("hundreds") << 420.0 << 461.0 << "420–461";
        QTest::newRow("straddles") << 0.96 << 1.09 << "0.96–1.09";
        QTest::newRow("just slower") << 0.989 << 0.998 << "0.989–0.998";
        QTest::newRow("holds 1 by little") << 0.989 << 1.002 << "0.989–1.002";
        QTest::newRow("just faster") << 1.0013 << 1.012 << "1.001–1.012";
        QTest::newRow("three are not enough") << 1.0003 << 1.012 << "1.0003–1.012";
        QTest::newRow("of a slower one") << 0.989 << 0.9996 << "0.989–0.9996";
        QTest::newRow("nothing is finer than that") << 0.989 << 0.999999 << "0.989–1.00000";
        QTest::newRow("on 1") << 1.0 << 1.02 << "1.00–1.02";
        QTest::newRow("far on one side") << 0.999 << 12.34 << "0.999–12.3";
        QTest::newRow("alike at two decimals") << 0.9871 << 0.9893 << "0.987–0.989";
        QTest::newRow("alike at one") << 37.12 << 37.14 << "37.12–37.14";
        QTest::newRow("alike beside 1") << 1.0011 << 1.0014 << "1.0011–1.0014";
        QTest::newRow("alike below 1") << 0.9951 << 0.9954 << "0.9951–0.9954";
        QTest::newRow("alike at any") << 2.50001 << 2.50002 << "2.50–2.50";
        QTest::newRow("and not so far") << 0.999 << 9.9 << "0.999–9.90";
    }
    void ranges()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(rangeText({(low + high) / 2, low, high})), text);
    }

    void both()
    {
        QCOMPARE(ratioText(Interval{3.861, 3.83, 3.888}), std::string("3.86× (3.83–3.89)"));
        QCOMPARE(ratioText(Interval{0.993, 0.989, 0.998}), std::string("0.993× (0.989–0.998)"));
        QCOMPARE(ratioText(Interval{0.9998, 0.998, 1.002}), std::string("1.000× (0.998–1.002)"));
        QCOMPARE(ratioText(Interval{1.0004, 1.0003, 1.005}), std::string("1.0004× (1.0003–1.005)"));
        QCOMPARE(ratioText(Interval{0.988, 0.9871, 0.9893}), std::string("0.988× (0.987–0.989)"));
        QCOMPARE(ratioText(Interval{1.004, 1.003, 1.005}),
                 std::string("1.004× (1.003–1.005)")); // never outside its own interval
    }

    void percentages()
    {
        QCOMPARE(percentText(0.126), std::string("13 %"));
        QCOMPARE(percentText(-0.02), std::string("-2 %"));
        QCOMPARE(finePercentText(0.0424), std::string("4.2 %"));
        QCOMPARE(finePercentText(0.0996), std::string("10 %")); // with a decimal it would be 10.0 %
        QCOMPARE(finePercentText(1), std::string("100 %"));
        QCOMPARE(finePercentText(0), std::string("0 %"));
        QCOMPARE(finePercentText(0.00096), std::string("0.1 %"));
        QCOMPARE(finePercentText(0.00042), std::string("0.04 %"));
        QCOMPARE(finePercentText(0.00001), std::string("<0.01 %"));
        QCOMPARE(tenthsText(0.0424), std::string("4.2 %"));
        QCOMPARE(tenthsText(0.12), std::string("12.0 %"));
        QCOMPARE(percentRangeText({0.08, 0.042, 0.126}), std::string("4–13 %"));
    }
};

QTEST_APPLESS_MAIN(TestRatioText)
#include "tst_ratiotext.moc"
