// SPDX-License-Identifier: GPL-3.0-or-later
// What is charged for the time around calls.
#include "core/judge/supervisor/aroundcalls.h"

#include <QtTest>

#include <thread>

using namespace cudal1::judge;

namespace {

constexpr double call_ns = 400e3; // its twentieth is 20 us, so the limit is 25 us

/// Five equal rounds, so that nothing is chance.
AroundCalls side(double wall_us, int threads = 1, bool crowded = false)
{
    AroundCalls out;
    for (int i = 0; i < 5; ++i) {
        RunRound::Reply reply;
        reply.ready_ns = {wall_us * 1e3, wall_us * 1e3};
        reply.samples = 2;
        reply.threads = threads;
        out.add(reply, crowded);
    }
    return out;
}

double charged_us(const AroundCalls& candidate, bool crowdedAlone = false)
{
    return aroundCalls_ns(candidate, side(100).rounds, crowdedAlone, call_ns) / 1e3;
}

} // namespace

class TestAroundCalls : public QObject {
    Q_OBJECT

private slots:
    void theLimitIsFree()
    {
        QCOMPARE(charged_us(side(125)), 0.0);
        QCOMPARE(charged_us(side(126)), 26.0);
    }
    void longCallsHaveALargerLimit()
    {
        QCOMPARE(aroundCalls_ns(side(150), side(100).rounds, false, 1e6), 0.0); // a twentieth of a millisecond
        QCOMPARE(aroundCalls_ns(side(151), side(100).rounds, false, 1e6), 51e3);
    }
    void whatMayBeChanceIsFree()
    {
        AroundCalls uneven;
        uneven.rounds = {100e3, 160e3, 130e3}; // its mean has a standard error of 17 us
        QCOMPARE(charged_us(uneven), 0.0);
    }
    void fewRoundsSayNothing() { QCOMPARE(aroundCalls_ns(side(1000), {100e3, 100e3}, false, call_ns), 0.0); }
    void asManyThreadsAreGivenAsItHasMore()
    {
        QCOMPARE(threadsToEqual(side(100, 4), side(100, 1)), 3);
        QCOMPARE(threadsToEqual(side(100, 1), side(100, 4)), 0);
        AroundCalls ending = side(100, 4);
        ending.rounds.clear();
        RunRound::Reply reply;
        reply.ready_ns = {100e3};
        reply.threads = 2;
        ending.add(reply, true);
        QCOMPARE(threadsToEqual(ending, side(100, 1)), 1); // the fewest of all rounds
    }
    void noMoreAreGivenThanAPoolHas()
    {
        QCOMPARE(threadsToEqual(side(100, 900), side(100, 1)),
                 std::max(4, static_cast<int>(std::thread::hardware_concurrency())));
    }
    void ofCrowdedRoundsOnlyItsOwnCount()
    {
        const AroundCalls crowded = side(2000, 1, true);
        QCOMPARE(charged_us(crowded), 0.0); // no round is left
        QCOMPARE(charged_us(crowded, true), 1900.0);
    }
    void otherCallsAreSharedOut()
    {
        RunRound::Reply reply;
        reply.ready_ns = {10e3, 30e3};
        reply.other_ns = 40e3;
        reply.samples = 2;
        QCOMPARE(timeAround(reply), std::optional(40e3)); // 20 + 40 / 2
        QVERIFY(!timeAround({}));
    }
};

QTEST_APPLESS_MAIN(TestAroundCalls)
#include "tst_aroundcalls.moc"
