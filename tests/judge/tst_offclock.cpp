// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a round's times off the clock.
#include "core/judge/supervisor/offclock.h"

#include <QtTest>

using namespace cudal1::judge;

class TestOffClock : public QObject {
    Q_OBJECT

private slots:
    void tailsAreThoseOfTheFasterThirdOfTheCallsWithAProbe()
    {
        RunRound::Reply round;
        round.wall_ns = {3, 1, 2, 6, 5, 4, 0};
        round.tail_ns = {30, 12, 20, 60, 50, 40, 0};
        round.ready_ns = {1, 1, 1, 1, 1, 1, 1};
        round.outside = {1, 1, 1, 1, 1, 1, 1};
        OffClock side;
        side.add(round, false, false);
        QCOMPARE(side.tail_ns, std::vector<double>{16}); // of the calls that took 1 and 2: (12 + 20) / 2
        round.tail_ns.assign(7, 0);
        side.add(round, false, false);
        QCOMPARE(side.tail_ns, (std::vector<double>{16, 0}));
    }
    void gettingReadyIsTheMedianOfTheFasterThird()
    {
        RunRound::Reply round;
        round.wall_ns = {1, 2, 3, 9, 9, 9, 9, 9, 9};
        round.ready_ns = {7, 900, 5, 1, 1, 1, 1, 1, 1};
        round.tail_ns.assign(9, 0);
        round.outside.assign(9, 1);
        OffClock side;
        side.add(round, false, false);
        QCOMPARE(side.ready_ns, std::vector<double>{7}); // of 7, 900 and 5
        round.ready_ns = {7, 900};                       // not of each call
        side.add(round, false, false);
        QCOMPARE(side.ready_ns.size(), std::size_t{1});
    }
    void gettingReadyCountsWhereTheWitnessEmptiedTheCaches()
    {
        RunRound::Reply round;
        round.wall_ns = {1, 2, 3, 4};
        round.ready_ns = {90, 200, 210, 220};
        round.tail_ns.assign(4, 0);
        round.outside = {0, 0, 0, 1};
        OffClock side;
        side.add(round, false, false);
        QCOMPARE(side.ready_ns, std::vector<double>{220});
    }
    void aProbeOfMoreThanAMillisecondFoundForeignWork()
    {
        RunRound::Reply round;
        round.probe_ns = {1.5e5, 2e6, 1.6e5, 1.4e5};
        OffClock side;
        QCOMPARE(side.foreignShare(), 0.0);
        side.add(round, false, false);
        QCOMPARE(side.probes, 4);
        QCOMPARE(side.foreign, 1);
        QCOMPARE(side.foreignShare(), 0.25);
    }
    void onACpuOnlyTimesAroundCallsAreKept()
    {
        RunRound::Reply round;
        round.wall_ns = {10, 10};
        round.tail_ns = {1, 1};
        round.ready_ns = {4, 6};
        round.samples = 2;
        OffClock side;
        side.add(round, true, false);
        QVERIFY(side.tail_ns.empty() && side.ready_ns.empty());
        QCOMPARE(side.around.rounds, std::vector<double>{5});
    }
};

QTEST_APPLESS_MAIN(TestOffClock)
#include "tst_offclock.moc"
