// SPDX-License-Identifier: GPL-3.0-or-later
// Which pairs other work has spoilt.
#include "core/judge/supervisor/crowding.h"

#include <QtTest>

using namespace cudal1::judge;

namespace {

constexpr Crowding quiet{}, atReference{true, false, 0, 0};

/// The candidate waited for 10 ms; its other threads ran for `others_ms` meanwhile.
Crowding atCandidate(double others_ms)
{
    return {false, true, 10e6, others_ms * 1e6};
}

} // namespace

class TestCrowding : public QObject {
    Q_OBJECT

private slots:
    void nothingIsDroppedWhereNothingElseRuns()
    {
        const std::vector<Crowding> pairs(5, quiet);
        const Uncrowded out = withoutCrowded(pairs);
        QCOMPARE(out.good, 5);
        QVERIFY((out.drop == std::vector<bool>(5, false)));
    }
    void eitherSideSpoilsAPair()
    {
        const Uncrowded out = withoutCrowded(std::vector{quiet, atReference, atCandidate(0), quiet});
        QCOMPARE(out.good, 2);
        QVERIFY((out.drop == std::vector{false, true, true, false}));
    }
    void ownThreadsAreNoExcuse()
    {
        // 6 ms of its own threads are more than half of the 10 ms, 4 ms are less.
        QVERIFY(crowdsItself(std::vector{atCandidate(6), quiet}));
        QVERIFY(!crowdsItself(std::vector{atCandidate(4), quiet}));
        const Uncrowded out = withoutCrowded(std::vector{atCandidate(6), atCandidate(6), quiet});
        QCOMPARE(out.good, 3);
        QVERIFY((out.drop == std::vector{false, false, false}));
    }
    void whoIsCrowdedAloneIsHeldToAccount()
    {
        // Whatever its own threads did: what it has started besides is not seen.
        QVERIFY(crowdedAlone(std::vector{atCandidate(0), atCandidate(0), atCandidate(0), atReference}));
        QVERIFY(!crowdedAlone(std::vector{atCandidate(0), atCandidate(0), atReference}));
        QVERIFY(!crowdedAlone(std::vector{quiet, quiet}));
    }
    void aCrowdedReferenceShowsThatItIsTheMachine()
    {
        // Two of the candidate's rounds and one of the reference's: two is not more than twice one.
        QVERIFY(!crowdsItself(std::vector{atCandidate(9), atCandidate(9), atReference, quiet}));
        QVERIFY(crowdsItself(std::vector{atCandidate(9), atCandidate(9), atCandidate(9), atReference}));
        const Uncrowded out = withoutCrowded(std::vector{atCandidate(9), atCandidate(9), atCandidate(9), atReference});
        QVERIFY((out.drop == std::vector{false, false, false, true}));
    }
    void fewerThanAQuarterMustNotDecide()
    {
        std::vector<Crowding> pairs(4, atReference);
        pairs[0] = quiet; // one of four is a quarter
        QVERIFY((withoutCrowded(pairs).drop == std::vector{false, true, true, true}));
        pairs.push_back(atReference); // one of five is less
        const Uncrowded out = withoutCrowded(pairs);
        QCOMPARE(out.good, 1);
        QVERIFY((out.drop == std::vector<bool>(5, false)));
    }
    void noPairsAreNoFault()
    {
        const Uncrowded out = withoutCrowded({});
        QCOMPARE(out.good, 0);
        QVERIFY(out.drop.empty() && !crowdsItself({}));
    }
};

QTEST_APPLESS_MAIN(TestCrowding)
#include "tst_crowding.moc"
