// SPDX-License-Identifier: GPL-3.0-or-later
// What the reference makes of trials is found again for the same trial alone, and takes no more memory than it may.
#undef slots      // a name in Python's headers, and a keyword of Qt
#ifndef Q_MOC_RUN // which would read all of torch
#include "core/judge/witness/expectedtrials.h"
#endif

#include <QtTest>

using namespace cudal1::judge;

namespace {

constexpr std::uint64_t elements = 1024, bytesOfOne = 2 * elements * sizeof(float);

ExpectedTrials::Trial trialOf(const char* family, float value)
{
    ExpectedTrials::Trial trial;
    trial.call.family = family;
    trial.call.seed = 77;
    trial.call.inputs = {at::full({elements}, value)};
    trial.call.expected = {at::full({elements}, 2 * value)};
    trial.call.actual = {at::full({elements}, -value)};
    trial.call.facts = std::make_shared<CallFacts>();
    trial.referenceCall_s = value;
    return trial;
}

} // namespace

class TestExpectedTrials : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTrialIsFoundBySeedFamilyAndStateAlone()
    {
        const ReferenceState state{1, 2, "fp32"};
        ExpectedTrials kept(10 * bytesOfOne);
        QVERIFY(kept.keep(5, state, trialOf("scaled", 3)));
        const ExpectedTrials::Trial* found = kept.find("scaled", 5, state);
        QVERIFY(found);
        QCOMPARE(found->call.expected.at(0)[0].item<float>(), 6.0F);
        QCOMPARE(found->referenceCall_s, 3.0);
        QVERIFY(!kept.find("rows", 5, state));
        QVERIFY(!kept.find("scaled", 6, state));
        QVERIFY(!kept.find("scaled", 5, {2, 2, "fp32"})); // constructed under another seed
        QVERIFY(!kept.find("scaled", 5, {1, 3, "fp32"})); // other weights
        QVERIFY(!kept.find("scaled", 5, {1, 2, "tf32"})); // another precision
    }

    void nothingOfACandidateStays()
    {
        ExpectedTrials kept(10 * bytesOfOne);
        QVERIFY(kept.keep(5, {}, trialOf("scaled", 3)));
        const SecretCall& call = kept.find("scaled", 5, {})->call;
        QVERIFY(call.actual.empty());
        QCOMPARE(call.seed, std::uint64_t{0});
    }

    void whatTheReferenceWritesToLaterIsNotWhatIsKept()
    {
        ExpectedTrials kept(10 * bytesOfOne);
        const ExpectedTrials::Trial trial = trialOf("scaled", 3);
        QVERIFY(kept.keep(5, {}, trial));
        trial.call.expected.at(0).fill_(0);
        trial.call.inputs.at(0).fill_(0);
        QCOMPARE(kept.find("scaled", 5, {})->call.expected.at(0)[7].item<float>(), 6.0F);
        QCOMPARE(kept.find("scaled", 5, {})->call.inputs.at(0)[7].item<float>(), 3.0F);
    }

    void theFirstOnesAreKeptAsLongAsThereIsRoom()
    {
        ExpectedTrials kept(3 * bytesOfOne);
        for (std::uint64_t seed = 0; seed < 5; ++seed)
            QCOMPARE(kept.keep(seed, {}, trialOf("as_given", 1)), seed < 3);
        QCOMPARE(kept.size(), std::size_t{3});
        QCOMPARE(kept.bytes(), 3 * bytesOfOne);
        QVERIFY(kept.find("as_given", 0, {}) && kept.find("as_given", 2, {}) && !kept.find("as_given", 3, {}));
        QVERIFY(!ExpectedTrials().keep(0, {}, trialOf("as_given", 1)));
    }

    void whatIsMeasuredLaterCountsToo()
    {
        ExpectedTrials kept(3 * bytesOfOne);
        ExpectedTrials::Trial first = trialOf("as_given", 1);
        const std::shared_ptr<CallFacts> facts = first.call.facts;
        QVERIFY(kept.keep(0, {}, std::move(first)) && kept.keep(1, {}, trialOf("scaled", 1)));
        facts->exact = {at::zeros({elements}, at::kDouble)};
        QCOMPARE(kept.bytes(), 3 * bytesOfOne);
        kept.fit();
        QCOMPARE(kept.size(), std::size_t{2});
        facts->withoutLast[0].given = at::zeros({1});
        kept.fit();
        QCOMPARE(kept.size(), std::size_t{1}); // the latest goes
        QVERIFY(kept.find("as_given", 0, {}));
        QVERIFY(kept.bytes() <= 3 * bytesOfOne);
    }
};

QTEST_APPLESS_MAIN(TestExpectedTrials)
#include "tst_expectedtrials.moc"
