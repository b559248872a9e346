// SPDX-License-Identifier: GPL-3.0-or-later
// Counts for people: where groups begin.
#include "core/base/counttext.h"

#include <QtTest>

#include <limits>

using namespace cudal1::base;

class TestCountText : public QObject {
    Q_OBJECT
private slots:
    void groups()
    {
        QCOMPARE(countText(0), std::string("0"));
        QCOMPARE(countText(7), std::string("7"));
        QCOMPARE(countText(999), std::string("999"));
        QCOMPARE(countText(1000), std::string("1,000"));
        QCOMPARE(countText(12'345), std::string("12,345"));
        QCOMPARE(countText(999'999), std::string("999,999"));
        QCOMPARE(countText(1'000'000), std::string("1,000,000"));
        QCOMPARE(countText(-999), std::string("-999"));
        QCOMPARE(countText(-1000), std::string("-1,000"));
        QCOMPARE(countText(std::numeric_limits<std::int64_t>::min()), std::string("-9,223,372,036,854,775,808"));
    }
};

QTEST_APPLESS_MAIN(TestCountText)
#include "tst_counttext.moc"
