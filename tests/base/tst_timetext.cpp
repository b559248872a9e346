// SPDX-License-Identifier: GPL-3.0-or-later
// Units of times and rates, at the edges too.
#include "core/base/timetext.h"

#include <QtTest>

using namespace cudal1::base;

class TestTimeText : public QObject {
    Q_OBJECT
private slots:
    void times()
    {
        QCOMPARE(timeText(0), std::string("0 ns"));
        QCOMPARE(timeText(0.2), std::string("under 1 ns"));
        QCOMPARE(timeText(12.3), std::string("12 ns"));
        QCOMPARE(timeText(999.4), std::string("999 ns"));
        QCOMPARE(timeText(999.6), std::string("1.00 µs"));
        QCOMPARE(timeText(1.234e6), std::string("1.23 ms"));
        QCOMPARE(timeText(999.7e6), std::string("1.00 s"));
        QCOMPARE(timeText(90e9), std::string("90.0 s"));
    }

    void rates()
    {
        QCOMPARE(rateText(0), std::string());
        QCOMPARE(rateText(5e8), std::string("0.50 GB/s"));
        QCOMPARE(rateText(999.4e9), std::string("999 GB/s"));
        QCOMPARE(rateText(999.7e9), std::string("1.00 TB/s"));
        QCOMPARE(rateText(1.52e12), std::string("1.52 TB/s"));
    }
};

QTEST_APPLESS_MAIN(TestTimeText)
#include "tst_timetext.moc"
