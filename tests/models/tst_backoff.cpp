// SPDX-License-Identifier: GPL-3.0-or-later
// Pauses before retries, and the header Retry-After.
#include "core/models/backoff.h"

#include <QDateTime>
#include <QTest>

using namespace cudal1::models;
using std::chrono::milliseconds;

class TestBackoff : public QObject {
    Q_OBJECT
private slots:
    void pauses()
    {
        const auto pause = [](int retry, double random) { return pauseBefore(retry, {}, random).count(); };
        QCOMPARE(pause(0, 0), 1000);
        QCOMPARE(pause(0, 1), 500);
        QCOMPARE(pause(1, 0), 2000);
        QCOMPARE(pause(3, 0.5), 6000);
        QCOMPARE(pause(5, 0), 32'000);
        QCOMPARE(pause(6, 0), 60'000);
        QCOMPARE(pause(1000, 1), 30'000);
        QCOMPARE(pauseBefore(0, milliseconds(90'000), 0.3).count(), 90'000);
        QCOMPARE(pauseBefore(2, milliseconds(100), 0).count(), 4000);
    }

    void headers_data()
    {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<qint64>("ms"); // -1: none
        const auto row = [](const char* header, qint64 ms) { QTest::newRow(header) << QByteArray(header) << ms; };
        row("", -1);
        row("soon", -1);
        row("0", 0);
        row("17", 17'000);
        row(" 2.5 ", 2500);
        row("-3", 0);
        row("nan", -1);
        row("1e300", 1'000'000'000'000);
        row("Sun, 06 Nov 1994 08:49:47 GMT", 10'000);
        row("Sunday, 06-Nov-94 08:49:47 GMT", 10'000);
        row("Sun Nov  6 08:49:47 1994", 10'000);
        row("Sun, 06 Nov 1994 08:49:00 GMT", 0); // it is over
        row("Sun, 06 Nov 1994", -1);
    }
    void headers()
    {
        QFETCH(QByteArray, header);
        QFETCH(qint64, ms);
        const QDateTime now(QDate(1994, 11, 6), QTime(8, 49, 37), Qt::UTC);
        const auto read = retryAfter(header, now);
        QCOMPARE(read ? qint64(read->count()) : -1, ms);
    }
};

QTEST_APPLESS_MAIN(TestBackoff)
#include "tst_backoff.moc"
