// SPDX-License-Identifier: GPL-3.0-or-later
// The time left of work, by hand: what is planned, done, passed and under way.
#include "core/crew/pace.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QTest>

using cudal1::crew::Pace;

class TestPace : public QObject {
    Q_OBJECT
private slots:
    void nothingIsKnownBeforeTheFirst()
    {
        Pace pace;
        QCOMPARE(pace.fraction(), 0.0);
        pace.plan(4);
        pace.go();
        pace.setPart(0.5);
        QCOMPARE(pace.fraction(), 0.125);
        QCOMPARE(pace.left_s(), -1.0);
    }

    void theRestTakesAsLongAsWhatIsDone()
    {
        Pace pace;
        pace.plan(4);
        pace.go();
        pace.pause(6); // said to have taken 6 s
        pace.finish();
        QCOMPARE(pace.left_s(), 18.0);
        pace.setPart(0.5); // one and a half in 6 s: two and a half take 10 s
        QCOMPARE(pace.left_s(), 10.0);
        pace.setPart(0);
        pace.finish(3);
        QCOMPARE(pace.left_s(), 0.0);
        QCOMPARE(pace.fraction(), 1.0);
        pace.plan(4);
        QCOMPARE(pace.fraction(), 0.5);
    }

    void whatIsExpectedCountsUntilSomethingIsDone()
    {
        Pace pace;
        pace.expect(10);
        pace.plan(4);
        pace.go();
        QVERIFY(pace.isGuess());
        QCOMPARE(pace.left_s(), 40.0);
        pace.setPart(0.5);
        QCOMPARE(pace.left_s(), 35.0);
        pace.setPart(0);
        pace.pause(4);
        pace.finish();
        QVERIFY(!pace.isGuess());
        QCOMPARE(pace.unit_s(), 7.0); // between the 4 s that it took and what was expected
        QCOMPARE(pace.left_s(), 21.0);
        pace.plan(20);
        pace.go();
        pace.pause(4 * 18);
        pace.finish(18); // the more are done, the less does it weigh
        QCOMPARE(pace.unit_s(), (4 * 19 + 10) / 20.0);
    }

    void whatWasDoneBeforeTookNoTime()
    {
        Pace pace;
        pace.plan(10);
        pace.pass(8);
        QCOMPARE(pace.fraction(), 0.8);
        QCOMPARE(pace.left_s(), -1.0);
        pace.go();
        pace.pause(3);
        pace.finish();
        QCOMPARE(pace.left_s(), 3.0);
    }

    void aPauseTakesNoTime()
    {
        Pace pace;
        const auto counts = [&pace] {
            const QDeadlineTimer end(5000);
            const double before_s = pace.spent_s();
            while (pace.spent_s() <= before_s && !end.hasExpired())
                continue;
            return pace.spent_s() > before_s;
        };
        pace.go();
        QVERIFY(counts());
        pace.pause();
        const double spent_s = pace.spent_s();
        for (QElapsedTimer clock = started(); clock.elapsed() < 2;)
            continue;
        QCOMPARE(pace.spent_s(), spent_s);
        pace.go();
        QVERIFY(counts());
    }

private:
    static QElapsedTimer started()
    {
        QElapsedTimer clock;
        clock.start();
        return clock;
    }
};

QTEST_APPLESS_MAIN(TestPace)
#include "tst_pace.moc"
