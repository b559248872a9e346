// SPDX-License-Identifier: GPL-3.0-or-later
// What is charged for the time around calls.
#include "core/judge/supervisor/aroundcalls.h"

#include <QtTest>

using namespace cudal1::judge;

namespace {

constexpr double call_ns = 400e3; // its twentieth is 20 us, so the limit is 25 us

/// Five equal rounds, so that nothing is chance.
AroundCalls side(double wall_us, double cpu_us, int threads = 1, bool oneProcess = true, bool crowded = false)
{
    AroundCalls out;
    for (int i = 0; i < 5; ++i) {
        RunRound::Reply reply;
        reply.ready_ns = {wall_us * 1e3, wall_us * 1e3};
        reply.readyCpu_ns = {cpu_us * 1e3, cpu_us * 1e3};
        reply.samples = 2;
        reply.threads = threads;
        reply.oneProcess = oneProcess;
        out.add(reply, crowded);
    }
    return out;
}

double charged_us(const AroundCalls& candidate)
{
    return aroundCalls_ns(candidate, side(100, 30), false, call_ns) / 1e3;
}

} // namespace

class TestAroundCalls : public QObject {
    Q_OBJECT

private slots:
    void theLimitIsFree()
    {
        QCOMPARE(charged_us(side(125, 55)), 0.0);
        QCOMPARE(charged_us(side(126, 56)), 26.0);
    }
    void threadsThatWaitAreNoWork()
    {
        // Two threads more: 25 + 2 * 40 us of CPU time, and as much of the rest.
        QCOMPARE(charged_us(side(100 + 150, 30 + 100, 3)), 0.0);
        QCOMPARE(charged_us(side(100 + 150, 30 + 106, 3)), 150.0);
        QCOMPARE(charged_us(side(100 + 150, 30 + 100, 1)), 150.0); // no thread more
    }
    void noMoreThanFourThreadsCount()
    {
        QCOMPARE(charged_us(side(100 + 200, 30 + 185, 50)), 0.0); // 25 + 4 * 40
        QCOMPARE(charged_us(side(100 + 200, 30 + 186, 50)), 200.0);
    }
    void waitingHidesNoOtherProcess()
    {
        // A process that lives within a round works while this one waits: the clock sees what CPU time does not.
        QCOMPARE(charged_us(side(100 + 1000, 30, 3)), 1000.0);
        QCOMPARE(charged_us(side(100 + 150, 30 + 100, 3, false)), 150.0); // one that is seen
    }
    void ofCrowdedRoundsOnlyItsOwnCount()
    {
        const AroundCalls crowded = side(2000, 2000, 1, true, true);
        QCOMPARE(aroundCalls_ns(crowded, side(100, 30), false, call_ns), 0.0); // no round is left
        QCOMPARE(aroundCalls_ns(crowded, side(100, 30), true, call_ns), 1900e3);
    }
    void otherCallsAreSharedOut()
    {
        RunRound::Reply reply;
        reply.ready_ns = {10e3, 30e3};
        reply.readyCpu_ns = {5e3, 5e3};
        reply.other_ns = 40e3;
        reply.otherCpu_ns = 20e3;
        reply.samples = 2;
        AroundCalls out;
        out.add(reply, false);
        QCOMPARE(out.rounds.wall_ns, std::vector<double>{40e3}); // 20 + 40 / 2
        QCOMPARE(out.rounds.cpu_ns, std::vector<double>{15e3});  // 5 + 20 / 2
        QVERIFY(!out.oneProcess);
    }
};

QTEST_APPLESS_MAIN(TestAroundCalls)
#include "tst_aroundcalls.moc"
