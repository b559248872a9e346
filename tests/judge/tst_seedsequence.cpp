// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds of a run stay what they are.
#include "core/judge/supervisor/seedsequence.h"

#include <QtTest>

#include <set>

using namespace cudal1::judge;

class TestSeedSequence : public QObject {
    Q_OBJECT

private slots:
    /// int(hashlib.sha256(b"seed 7 21 0").hexdigest()[:16], 16) % 2**53 in Python, and so on.
    void seedsAreThoseOfSha256()
    {
        SeedSequence trials(7, SeedSequence::TrialInputs);
        QCOMPARE(trials.next(), std::uint64_t{2630758515426714});
        QCOMPARE(trials.next(), std::uint64_t{6599559416937204});
        QCOMPARE(SeedSequence(7, SeedSequence::Initialisation).next(), std::uint64_t{607891799614158});
    }
    void theUpperHalfOfASeedCounts()
    {
        QCOMPARE(SeedSequence((std::uint64_t{1} << 52) + 7, SeedSequence::TrialInputs).next(),
                 std::uint64_t{7117910227219966});
    }
    void purposesDoNotShareSeeds()
    {
        std::set<std::uint64_t> seen;
        for (const std::uint32_t purpose :
             {SeedSequence::Initialisation, SeedSequence::FirstInputs, SeedSequence::TrafficInputs,
              SeedSequence::TrafficForwards, SeedSequence::BusyCalls, SeedSequence::TimedInputs,
              SeedSequence::TrialInputs, SeedSequence::OtherWeights, SeedSequence::SecondLook,
              SeedSequence::PaperRounds, SeedSequence::TimelineForwards, SeedSequence::Verification}) {
            SeedSequence seeds(7, purpose);
            for (int i = 0; i < 20; ++i)
                seen.insert(seeds.next());
        }
        QCOMPARE(seen.size(), std::size_t{12 * 20});
    }
};

QTEST_GUILESS_MAIN(TestSeedSequence)
#include "tst_seedsequence.moc"
