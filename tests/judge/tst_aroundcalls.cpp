// SPDX-License-Identifier: GPL-3.0-or-later
// What is charged for the time around calls.
#include "core/judge/supervisor/aroundcalls.h"

#include <QtTest>

#include <thread>

using namespace cudal1::judge;

namespace {

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

/// In microseconds, beyond a reference that takes 100.
double more_us(const AroundCalls& candidate, bool crowdedAlone = false)
{
    const auto more = aroundCalls(candidate, side(100).rounds, crowdedAlone);
    return more ? more->mean_ns / 1e3 : 0;
}

} // namespace

class TestAroundCalls : public QObject {
    Q_OBJECT

private slots:
    void equalRoundsLeaveNothingToChance()
    {
        const auto more = aroundCalls(side(126), side(100).rounds, false);
        QVERIFY(more && !more->exceeds(26e3) && more->exceeds(25.9e3));
    }
    void chanceIsTakenOff()
    {
        const std::vector<double> uneven = {100e3, 160e3, 130e3}, reference = {85e3, 115e3, 100e3};
        const auto more = meanDifference(uneven, reference, Chance::AsTheyVary); // standard errors of 17.3 and 8.7 us
        QVERIFY(more && !more->exceeds(0));
        QCOMPARE(more->mean_ns, 30e3);
    }
    void aCandidateDoesNotSayHowMuchIsChance()
    {
        // The reference's mean has a standard error of 0.58 us, so the candidate's is taken to have 2.31 at most.
        const std::vector<double> uneven = {0, 300e3, 150e3}, reference = {99e3, 101e3, 100e3};
        const auto more = meanDifference(uneven, reference, Chance::AsTheReference);
        QVERIFY(more && more->exceeds(44.0e3) && !more->exceeds(44.1e3));
    }
    void oneSlowRoundIsChance()
    {
        for (const std::size_t rounds : {4u, 5u, 9u, 10u, 30u}) {
            std::vector<double> own(rounds, 101e3), reference(rounds, 100e3);
            own[1] = 9e6;
            reference[0] = 99e3;
            const auto more = meanDifference(own, reference, Chance::AsTheReference);
            QVERIFY(more && !more->exceeds(2e3) && more->mean_ns < 2e3);
        }
    }
    void slowRoundsAreChargedFromAQuarterOn()
    {
        std::vector<double> own(12, 100e3), reference(12, 100e3);
        own[0] = own[5] = own[10] = 500e3;
        const auto more = meanDifference(own, reference, Chance::AsTheReference);
        QVERIFY(more && more->exceeds(25e3));
        own[10] = 100e3;
        const auto fewer = meanDifference(own, reference, Chance::AsTheReference);
        QVERIFY(fewer && !fewer->exceeds(0));
    }
    void fewRoundsSayNothing() { QVERIFY(!aroundCalls(side(1000), {100e3, 100e3}, false)); }
    void smallDifferencesAddUp()
    {
        SmallDifferences all;
        all.add({20e3, 17e3});
        all.add({10e3, 6e3});
        all.add({-50e3, -60e3}); // less than the reference is no excuse for more elsewhere
        QCOMPARE(all.sum().mean_ns, 30e3);
        QCOMPARE(all.sum().sure_ns, 25e3); // the errors of 3 and 4 us are independent
    }
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
        QCOMPARE(more_us(crowded), 0.0); // no round is left
        QCOMPARE(more_us(crowded, true), 1900.0);
    }
    void otherCallsAreSharedOut()
    {
        RunRound::Reply reply;
        reply.ready_ns = {10e3, 30e3};
        reply.other_ns = 40e3;
        reply.samples = 2;
        QCOMPARE(timeAround(reply), std::optional(40e3)); // 20 + 40 / 2
        reply.others = 6;
        QCOMPARE(timeAround(reply), std::optional(25e3)); // 20 + 40 / 8
        QVERIFY(!timeAround({}));
    }
};

QTEST_APPLESS_MAIN(TestAroundCalls)
#include "tst_aroundcalls.moc"
