// SPDX-License-Identifier: GPL-3.0-or-later
// What is added to a candidate's calls.
#include "core/judge/supervisor/account.h"

#include <QtTest>

#include <cmath>
#include <utility>
#include <vector>

using namespace cudal1::judge;

namespace {

constexpr int rounds = 12, calls = 9;

/// A round of equal calls. The probe after each call, and getting ready, take so long.
RunRound::Reply roundOf(double call_ns, double tail_ns, double ready_ns)
{
    RunRound::Reply round;
    round.wall_ns.assign(calls, call_ns);
    round.tail_ns.assign(calls, tail_ns);
    round.ready_ns.assign(calls, ready_ns);
    round.outside.assign(calls, 1);
    return round;
}

using Round = std::pair<RunRound::Reply, RunRound::Reply>; // of the reference and of the candidate

/// Both sides' rounds are noted; the candidate's calls after charge().
struct Charged {
    explicit Charged(const std::vector<Round>& all, bool onCpu = false) : account(onCpu)
    {
        for (const auto& [reference, candidate] : all) {
            account.note(DrivenSide::Reference, reference, false);
            account.note(DrivenSide::Candidate, candidate, false);
            cudal1::protocol::PairSamples pair;
            pair.reference_ns = reference.wall_ns;
            pair.candidate_ns = candidate.wall_ns;
            pairs.samples.push_back(pair);
            pairs.outside.push_back({reference.outside, candidate.outside});
            pairs.elsewhere.push_back({reference.elsewhere_ns, candidate.elsewhere_ns});
        }
        account.charge(pairs);
    }
    Charged(const RunRound::Reply& reference, const RunRound::Reply& candidate, bool onCpu = false)
        : Charged(std::vector<Round>(rounds, {reference, candidate}), onCpu)
    {
    }
    double call_ns() const { return pairs.samples.front().candidate_ns.front(); }

    Account account;
    TimedPairs pairs;
};

} // namespace

class TestAccount : public QObject {
    Q_OBJECT

private slots:
    void equalSidesAreNotCharged()
    {
        RunRound::Reply reference = roundOf(40e3, 145e3, 150e3);
        reference.launch_ns = {14e3, 15e3};
        const Charged done(reference, roundOf(20e3, 145.2e3, 152e3));
        QCOMPARE(done.call_ns(), 20e3);
        QVERIFY(done.account.charges().empty());
    }
    void whatTheDeviceDoesAfterTheAnswerIsAdded()
    {
        const Charged done(roundOf(40e3, 145e3, 150e3), roundOf(20e3, 152e3, 150e3));
        QCOMPARE(done.call_ns(), 27e3);
        QCOMPARE(done.account.charges().size(), std::size_t{1});
    }
    void lateRoundsAreChargedOneByOne()
    {
        // Late in three rounds of five. The mean of all varies too much to say anything.
        std::vector<Round> all;
        for (const double late_ns : {0.0, 0.0, 19e3, 19e3, 19e3})
            all.push_back({roundOf(40e3, 145e3, 150e3), roundOf(40e3 - late_ns, 145e3 + late_ns, 150e3)});
        const Charged done(all);
        for (const auto& pair : done.pairs.samples)
            QCOMPARE(pair.candidate_ns.front(), 40e3);
        QCOMPARE(done.account.charges().size(), std::size_t{1});
        QVERIFY(done.account.charges().front().find("3 of 5 rounds") != std::string::npos);
    }
    void twoLateRoundsSpeakForThoseWithoutATail()
    {
        const RunRound::Reply reference = roundOf(400e3, 145e3, 150e3), late = roundOf(50e3, 480e3, 150e3);
        RunRound::Reply unknown = late;
        unknown.tail_ns.assign(calls, 0);
        const Charged done({{reference, unknown}, {reference, late}, {reference, late}});
        QCOMPARE(done.call_ns(), 385e3);
    }
    void aLongTailNowAndThenIsChance()
    {
        std::vector<Round> all(8, {roundOf(40e3, 145e3, 150e3), roundOf(30e3, 145e3, 150e3)});
        all[2].second.tail_ns.assign(calls, 200e3);
        all[5].second.tail_ns.assign(calls, 200e3);
        const Charged done(all);
        QCOMPARE(done.call_ns(), 30e3);
        QVERIFY(done.account.charges().empty());
    }
    void mostOfACallAfterItsEndIsRefused()
    {
        bool refused = false;
        try {
            Charged(roundOf(40e3, 145e3, 150e3), roundOf(5e3, 185e3, 150e3));
        } catch (const Refused&) {
            refused = true;
        }
        QVERIFY(refused);
    }
    void preparingBeforeTheInputsIsAdded()
    {
        const Charged within(roundOf(40e3, 145e3, 150e3), roundOf(20e3, 145e3, 154e3));
        QCOMPARE(within.call_ns(), 20e3); // 5 us are allowed
        const Charged beyond(roundOf(40e3, 145e3, 150e3), roundOf(20e3, 145e3, 156e3));
        QCOMPARE(beyond.call_ns(), 26e3);
    }
    void preparingWhereItEmptiesTheCachesItselfIsAdded()
    {
        const auto round = [](double ready_ns) {
            RunRound::Reply out = roundOf(20e3, 145e3, ready_ns);
            out.outside.assign(calls, 0); // so no call says how long getting ready takes otherwise
            return out;
        };
        QCOMPARE(Charged(round(190e3), round(194e3)).call_ns(), 20e3); // 5 us are allowed
        QCOMPARE(Charged(round(190e3), round(196e3)).call_ns(), 26e3);
    }
    void preparingOnACpuIsAdded()
    {
        const auto reference = roundOf(400e3, 0, 100e3); // a twentieth of these calls is 20 us
        QCOMPARE(Charged(reference, roundOf(400e3, 0, 125e3), true).call_ns(), 400e3); // 25 us are allowed
        QCOMPARE(Charged(reference, roundOf(400e3, 0, 126e3), true).call_ns(), 426e3);
        const auto longer = roundOf(1e6, 0, 100e3);
        QCOMPARE(Charged(longer, roundOf(1e6, 0, 150e3), true).call_ns(), 1e6);
        QCOMPARE(Charged(longer, roundOf(1e6, 0, 151e3), true).call_ns(), 1.051e6);
    }
    void whatIsSmallInSeveralPlacesIsAddedTogether()
    {
        const auto round = [](double slow_ns, double ready_ns) {
            RunRound::Reply out = roundOf(60e3, 0, ready_ns);
            for (int i = 3; i < calls; ++i)
                out.wall_ns[static_cast<std::size_t>(i)] = slow_ns;
            return out;
        };
        const RunRound::Reply reference = round(60e3, 100e3);
        // Six calls of nine take 24 us longer, so an average call takes 16 us longer than the faster third.
        const Charged slower(reference, round(84e3, 100e3), true), early(reference, round(60e3, 120e3), true);
        QCOMPARE(slower.call_ns(), 60e3);
        QCOMPARE(early.call_ns(), 60e3);
        const Charged both(reference, round(84e3, 120e3), true);
        QCOMPARE(std::round(both.call_ns()), 96e3); // 60 + 16 + 20
        QCOMPARE(both.account.charges().size(), std::size_t{1});
    }
    void slowCallsWithResultsElsewhereCount()
    {
        const RunRound::Reply reference = roundOf(60e3, 145e3, 150e3);
        RunRound::Reply candidate = roundOf(20e3, 145e3, 150e3);
        candidate.elsewhere_ns.assign(calls, 60e3); // half of its calls, whose results lay where none had lain
        const Charged done(reference, candidate);
        QCOMPARE(std::round(done.call_ns()), 40e3);
        QVERIFY(!done.account.unevenness().empty());
    }
    void workBeforeTheCallIsAskedForIsAdded()
    {
        const auto round = [](double peek_ns) {
            RunRound::Reply out = roundOf(20e3, 145e3, 150e3);
            out.peek_ns.assign(calls, peek_ns);
            return out;
        };
        const Charged within(round(141e3), round(141.9e3));
        QCOMPARE(within.call_ns(), 20e3); // two honest processes differ by 0.7 us
        const Charged beyond(round(141e3), round(143e3));
        QCOMPARE(beyond.call_ns(), 22e3);
    }
    void whoLeavesTheCachesWarmIsTimedWhereTheWitnessEmptiedThem()
    {
        const auto mixed = [](double own_ns, double ownReady_ns) {
            RunRound::Reply round = roundOf(own_ns, 0, ownReady_ns);
            round.wall_ns.back() = 20.1e3;
            round.ready_ns.back() = 150e3;
            for (int i = 0; i + 1 < calls; ++i)
                round.outside[static_cast<std::size_t>(i)] = 0;
            return round;
        };
        RunRound::Reply reference = mixed(20e3, 190e3);
        const Charged honest(reference, mixed(20e3, 189e3));
        QCOMPARE(honest.pairs.samples.front().candidate_ns.size(), std::size_t(calls));
        const Charged beside(reference, mixed(20e3, 203e3));
        QCOMPARE(beside.pairs.samples.front().candidate_ns.front(), 33e3); // it prepares, and empties the caches too
        const Charged warm(reference, mixed(20e3, 150e3));
        QCOMPARE(warm.pairs.samples.front().candidate_ns, std::vector<double>{20.1e3});
        QCOMPARE(warm.pairs.samples.front().reference_ns, std::vector<double>{20.1e3});
    }
    void noCallIsShorterThanALaunch()
    {
        RunRound::Reply reference = roundOf(40e3, 145e3, 150e3);
        reference.launch_ns = {14e3};
        const Charged done(reference, roundOf(5e3, 145e3, 150e3));
        QCOMPARE(done.call_ns(), 14e3);
        QCOMPARE(done.account.charges().size(), std::size_t{1});
    }
    void aReferenceThatLaunchesNothingSetsNoLeast()
    {
        RunRound::Reply reference = roundOf(8e3, 145e3, 150e3);
        reference.launch_ns = {14e3};
        const Charged done(reference, roundOf(5e3, 145e3, 150e3));
        QCOMPARE(done.call_ns(), 5e3);
    }
};

QTEST_APPLESS_MAIN(TestAccount)
#include "tst_account.moc"
