// SPDX-License-Identifier: GPL-3.0-or-later
// Amounts of bytes and rates for people: digits, units and what lies at their edges.
#include "core/base/bytestext.h"

#include <QtTest>

#include <cmath>

using namespace cudal1::base;

class TestBytesText : public QObject {
    Q_OBJECT
private slots:
    void bytes()
    {
        QCOMPARE(bytesText(0), std::string("0 B"));
        QCOMPARE(bytesText(999), std::string("999 B"));
        QCOMPARE(bytesText(1023), std::string("1023 B"));
        QCOMPARE(bytesText(1024), std::string("1.00 KiB"));
        QCOMPARE(bytesText(1536), std::string("1.50 KiB"));
        QCOMPARE(bytesText(-1536), std::string("-1.50 KiB"));
        QCOMPARE(bytesText(228 * 1024), std::string("228 KiB"));
        QCOMPARE(bytesText(1023.4 * 1024), std::string("1023 KiB"));
        QCOMPARE(bytesText(1023.6 * 1024), std::string("1.00 MiB"));
        QCOMPARE(bytesText(48 * 1048576.0), std::string("48.0 MiB"));
        QCOMPARE(bytesText(139.8 * 1073741824), std::string("140 GiB"));
        QCOMPARE(bytesText(std::pow(2.0, 52)), std::string("4096 TiB"));
        QCOMPARE(bytesText(std::nan("")), std::string());
        QCOMPARE(bytesText(HUGE_VAL), std::string());
    }

    void rates()
    {
        QCOMPARE(rateText(0), std::string());
        QCOMPARE(rateText(-1e9), std::string());
        QCOMPARE(rateText(std::nan("")), std::string());
        QCOMPARE(rateText(12'345), std::string("0.01 MB/s"));
        QCOMPARE(rateText(5e8), std::string("500 MB/s"));
        QCOMPARE(rateText(999.4e9), std::string("999 GB/s"));
        QCOMPARE(rateText(999.7e9), std::string("1.00 TB/s"));
        QCOMPARE(rateText(1.52e12), std::string("1.52 TB/s"));
    }
};

QTEST_APPLESS_MAIN(TestBytesText)
#include "tst_bytestext.moc"
