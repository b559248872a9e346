// SPDX-License-Identifier: GPL-3.0-or-later
// Times for people: digits, units and what lies at their edges.
#include "core/base/timetext.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace cudal1::base;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

class TestTimeText : public QObject {
    Q_OBJECT
private slots:
    void times()
    {
        QCOMPARE(timeText(0), std::string("0 ns"));
        QCOMPARE(timeText(0.2), std::string("under 1 ns"));
        QCOMPARE(timeText(-0.2), std::string("under 1 ns"));
        QCOMPARE(timeText(12.3), std::string("12 ns"));
        QCOMPARE(timeText(999.4), std::string("999 ns"));
        QCOMPARE(timeText(999.6), std::string("1.00 µs"));
        QCOMPARE(timeText(-1530), std::string("-1.53 µs"));
        QCOMPARE(timeText(9994), std::string("9.99 µs"));
        QCOMPARE(timeText(9996), std::string("10.0 µs"));
        QCOMPARE(timeText(99'960), std::string("100 µs"));
        QCOMPARE(timeText(1.234e6), std::string("1.23 ms"));
        QCOMPARE(timeText(999.7e6), std::string("1.00 s"));
        QCOMPARE(timeText(90e9), std::string("90.0 s"));
        QCOMPARE(timeText(2.5e12), std::string("2500 s"));
        QCOMPARE(timeText(std::nan("")), std::string());
        QCOMPARE(timeText(infinity), std::string());
    }

    void moments()
    {
        QCOMPARE(momentText(0), std::string("0"));
        QCOMPARE(momentText(-0.4), std::string("0"));
        QCOMPARE(momentText(-250), std::string("-250 ns"));
        QCOMPARE(momentText(999), std::string("999 ns"));
        QCOMPARE(momentText(1000), std::string("1 µs"));
        QCOMPARE(momentText(12'345), std::string("12.345 µs"));
        QCOMPARE(momentText(9'999'999), std::string("9.999999 ms"));
        QCOMPARE(momentText(1.5e9), std::string("1.5 s"));
        QCOMPARE(momentText(std::nan("")), std::string());
    }

    void durations_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << 0.0 << "0 s";
        QTest::newRow("rounds to none") << 0.4e-6 << "0 s";
        QTest::newRow("microseconds") << 20e-6 << "20 µs";
        QTest::newRow("up to a millisecond") << 999.6e-6 << "1.0 ms";
        QTest::newRow("few milliseconds") << 0.0042 << "4.2 ms";
        QTest::newRow("up to ten") << 9.96e-3 << "10 ms";
        QTest::newRow("milliseconds") << 0.85 << "850 ms";
        QTest::newRow("up to a second") << 0.9996 << "1.0 s";
        QTest::newRow("few seconds") << 9.94 << "9.9 s";
        QTest::newRow("up to ten seconds") << 9.96 << "10 s";
        QTest::newRow("seconds") << 12.4 << "12 s";
        QTest::newRow("below a minute") << 59.4 << "59 s";
        QTest::newRow("up to a minute") << 59.96 << "1 min 00 s";
        QTest::newRow("a minute") << 70.0 << "1 min 10 s";
        QTest::newRow("below an hour") << 3599.4 << "59 min 59 s";
        QTest::newRow("up to an hour") << 3599.6 << "1 h 00 min";
        QTest::newRow("hours") << 7500.0 << "2 h 05 min";
        QTest::newRow("up to two hours") << 7199.0 << "2 h 00 min";
        QTest::newRow("days") << 180'000.0 << "50 h 00 min";
        QTest::newRow("not known") << -1.0 << "";
        QTest::newRow("no number") << std::nan("") << "";
        QTest::newRow("without end") << infinity << "";
    }

    void durations()
    {
        QFETCH(const double, seconds);
        QFETCH(const QString, text);
        QCOMPARE(QString::fromStdString(durationText(seconds)), text);
    }

    void ages_data()
    {
        QTest::addColumn<qint64>("age_s");
        QTest::addColumn<QString>("age");
        QTest::addColumn<QString>("ago");
        QTest::newRow("to come") << qint64(-5) << "now"
                                 << "just now";
        QTest::newRow("now") << qint64(59) << "now"
                             << "just now";
        QTest::newRow("a minute") << qint64(60) << "1 min"
                                  << "1 min ago";
        QTest::newRow("below an hour") << qint64(3599) << "59 min"
                                       << "59 min ago";
        QTest::newRow("an hour") << qint64(3600) << "1 h"
                                 << "1 h ago";
        QTest::newRow("below two days") << qint64(48 * 3600 - 1) << "47 h"
                                        << "47 h ago";
        QTest::newRow("two days") << qint64(48 * 3600) << "2 d"
                                  << "2 d ago";
        QTest::newRow("59 days") << qint64(60 * 86400 - 1) << "59 d"
                                 << "59 d ago";
        // now_ms is noon of the 12th of July 2025, in UTC.
        QTest::newRow("a date") << qint64(60 * 86400) << "2025-05-13"
                                << "on 2025-05-13";
    }

    void ages()
    {
        QFETCH(const qint64, age_s);
        QFETCH(const QString, age);
        QFETCH(const QString, ago);
        constexpr std::int64_t now_ms = 1'752'321'600'000;
        QCOMPARE(QString::fromStdString(ageText(now_ms - age_s * 1000, now_ms)), age);
        QCOMPARE(QString::fromStdString(agoText(now_ms - age_s * 1000, now_ms)), ago);
    }

    void ageOfAnUnknownMoment()
    {
        QCOMPARE(ageText(0, 1'752'321'600'000), std::string());
        QCOMPARE(agoText(-1, 1'752'321'600'000), std::string());
    }

    void initTestCase() { qputenv("TZ", "UTC"); }
};

QTEST_APPLESS_MAIN(TestTimeText)
#include "tst_timetext.moc"
