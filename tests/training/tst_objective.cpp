// SPDX-License-Identifier: GPL-3.0-or-later
// The mathematics of learning against numbers worked out by hand.
#include "core/protocol/advantages.h"
#include "core/training/learningrate.h"
#include "core/training/objective.h"
#include "core/training/packing.h"

#include <QtTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::training;

namespace {

bool isClose(double one, double two)
{
    return std::abs(one - two) < 1e-12;
}

/// The slope by differences of the loss.
double measuredSlope(double logProbability, const TokenHistory& history, double advantage,
                     const PolicySettings& settings)
{
    constexpr double step = 1e-6;
    return (policyTerms(logProbability + step, history, advantage, settings).loss -
            policyTerms(logProbability - step, history, advantage, settings).loss) /
           (2 * step);
}

} // namespace

class TestObjective : public QObject {
    Q_OBJECT

private slots:
    void advantagesOfAGroup()
    {
        // 0, 1, 2, 5: mean 2, squares 4 + 1 + 0 + 9 = 14, deviation sqrt(14 / 3).
        const std::vector<double> rewards{0, 1, 2, 5};
        const auto paper = protocol::advantagesOf(rewards, {});
        const double deviation = std::sqrt(14.0 / 3);
        QVERIFY(paper.hasVariance);
        QCOMPARE(paper.mean, 2.0);
        QVERIFY(isClose(paper.deviation, deviation));
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(isClose(paper.values[i], (rewards[i] - 2) / deviation));
        // The others of 5 have the mean 1, those of 0 have 8 / 3.
        const auto other = protocol::advantagesOf(rewards, {protocol::RewardBaseline::LeaveOneOut, false, 1e-6});
        QVERIFY(isClose(other.values[3], 4));
        QVERIFY(isClose(other.values[0], -8.0 / 3));
        const auto plain = protocol::advantagesOf(rewards, {protocol::RewardBaseline::GroupMean, false, 1e-6});
        QCOMPARE(plain.values, (std::vector<double>{-2, -1, 0, 3}));
    }

    void groupsWithoutVariance()
    {
        const std::vector<double> equal{1.01, 1.01, 1.01};
        const auto none = protocol::advantagesOf(equal, {});
        QVERIFY(!none.hasVariance);
        QCOMPARE(none.values, (std::vector<double>{0, 0, 0}));
        QVERIFY(isClose(none.mean, 1.01));
        QVERIFY(!protocol::advantagesOf(std::vector<double>{3}, {}).hasVariance);
        QVERIFY(!protocol::advantagesOf(std::vector<double>{}, {}).hasVariance);
        QVERIFY(protocol::advantagesOf(std::vector<double>{1, 1.01}, {}).hasVariance); // the reward's own grain
    }

    void clipping_data()
    {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<double>("advantage");
        QTest::addColumn<double>("loss"); // -min(ratio A, clip(ratio, 0.8, 1.2) A)
        QTest::addColumn<double>("slope");
        QTest::addColumn<bool>("isClipped");
        QTest::newRow("inside, good") << 1.1 << 2.0 << -2.2 << -2.2 << false;
        QTest::newRow("inside, bad") << 0.9 << -2.0 << 1.8 << 1.8 << false;
        QTest::newRow("far enough, good") << 1.5 << 2.0 << -2.4 << 0.0 << true;
        QTest::newRow("far enough, bad") << 0.5 << -2.0 << 1.6 << 0.0 << true;
        QTest::newRow("astray, good") << 0.5 << 2.0 << -1.0 << -1.0 << false;
        QTest::newRow("astray, bad") << 1.5 << -2.0 << 3.0 << 3.0 << false;
        QTest::newRow("neither") << 1.5 << 0.0 << 0.0 << 0.0 << false;
    }
    void clipping()
    {
        QFETCH(double, ratio);
        QFETCH(double, advantage);
        QFETCH(double, loss);
        QFETCH(double, slope);
        QFETCH(bool, isClipped);
        const TokenHistory history{-2, unknown, unknown};
        const TokenTerms terms = policyTerms(-2 + std::log(ratio), history, advantage, {});
        QVERIFY(isClose(terms.ratio, ratio));
        QVERIFY(isClose(terms.loss, loss));
        QVERIFY(isClose(terms.slope, slope));
        QCOMPARE(terms.isClipped, isClipped);
    }

    void divergence()
    {
        // d = log(0.25) - log(0.5) = -log 2: exp(d) - 1 - d = 0.5 - 1 + log 2.
        PolicySettings settings;
        settings.beta = 0.1;
        const TokenTerms terms = policyTerms(std::log(0.5), {unknown, unknown, std::log(0.25)}, 0, settings);
        QVERIFY(isClose(terms.divergence, std::log(2.0) - 0.5));
        QVERIFY(isClose(terms.loss, 0.1 * (std::log(2.0) - 0.5)));
        QVERIFY(isClose(terms.slope, 0.1 * 0.5)); // beta (1 - exp(d))
        // Without bias: over draws from p = (0.5, 0.5), against q = (0.25, 0.75), its mean is KL(p || q).
        const auto k3 = [&](double p, double q) {
            return policyTerms(std::log(p), {unknown, unknown, std::log(q)}, 0, settings).divergence;
        };
        QVERIFY(isClose(0.5 * k3(0.5, 0.25) + 0.5 * k3(0.5, 0.75),
                        0.5 * std::log(0.5 / 0.25) + 0.5 * std::log(0.5 / 0.75)));
    }

    void correctionOfTheSampler()
    {
        // The trainer gives 3 times the probability that the sampler drew with, and then half of it.
        PolicySettings settings;
        const double old = -1;
        const TokenHistory more{old, old - std::log(3), unknown}, less{old, old + std::log(2), unknown};
        QVERIFY(isClose(policyTerms(old, more, 1, settings).correction, 2)); // the limit
        QVERIFY(isClose(policyTerms(old, more, 1, settings).loss, -2));
        QVERIFY(isClose(policyTerms(old, more, 1, settings).slope, -2));
        QVERIFY(isClose(policyTerms(old, less, 1, settings).correction, 0.5));
        settings.correction = Correction::Masked;
        QVERIFY(isClose(policyTerms(old, more, 1, settings).slope, 0));
        const TokenHistory farBelow{old, old + std::log(3), unknown};
        QVERIFY(isClose(policyTerms(old, farBelow, 1, settings).slope, 0));
        QVERIFY(isClose(policyTerms(old, {old, old - 0.1, unknown}, 1, settings).slope, -1));
        settings.correction = Correction::None;
        QVERIFY(isClose(policyTerms(old, more, 1, settings).slope, -1));
        QVERIFY(isClose(policyTerms(old, more, 1, settings).mismatch, std::log(3)));
    }

    void slopesAreThoseOfTheLoss()
    {
        PolicySettings settings{0.2, 0.3, 0.07, Correction::Truncated, 2};
        for (const double logProbability : {-0.1, -0.9, -1.05, -1.7, -6.0})
            for (const double advantage : {-1.3, 0.0, 0.4})
                for (const double sampler : {-0.8, -1.2, -3.0})
                    for (const double reference : {-0.2, -2.5, unknown}) {
                        const TokenHistory history{-1, sampler, reference};
                        const TokenTerms terms = policyTerms(logProbability, history, advantage, settings);
                        QVERIFY(std::abs(terms.slope - measuredSlope(logProbability, history, advantage, settings)) <
                                1e-6);
                    }
    }

    void weightsOfTokens()
    {
        const std::vector<std::size_t> lengths{1, 4};
        QCOMPARE(tokenWeights(lengths, Mean::Sequence, 0), (std::vector<double>{0.5, 0.125}));
        QCOMPARE(tokenWeights(lengths, Mean::Token, 0), (std::vector<double>{0.2, 0.2}));
        QCOMPARE(tokenWeights(lengths, Mean::Constant, 10), (std::vector<double>{0.05, 0.05}));
    }

    void aBatch()
    {
        // Two replies to one prompt, rewards 1 and 0: deviation sqrt(0.5), advantages +-0.5 / sqrt(0.5).
        const double advantage = 0.5 / std::sqrt(0.5);
        const std::vector<PolicyReply> replies{{advantage, 0.25, {-1, -2}, {-1, -2.5}, {}},
                                               {-advantage, 0.5, {-3}, {}, {}}};
        const PolicySettings settings;
        PolicyObjective objective(replies, settings);
        QVERIFY(isClose(objective.take(0, 0, -1, 0.3), -0.25 * advantage));
        QVERIFY(isClose(objective.take(0, 1, -2, 0.5), -0.25 * advantage * std::exp(0.5)));
        QVERIFY(isClose(objective.take(1, 0, -3 + std::log(0.5), 0.1), 0)); // clipped
        const auto& sums = objective.sums();
        QVERIFY(isClose(sums.loss, -0.25 * advantage * (1 + std::exp(0.5)) + 0.5 * advantage * 0.8));
        QVERIFY(isClose(sums.tokens, 3));
        QVERIFY(isClose(sums.samplerTokens, 2));
        QVERIFY(isClose(sums.clipped, 1));
        QVERIFY(isClose(sums.ratio, 2.5));
        QVERIFY(isClose(sums.entropy, 0.9));
        QVERIFY(isClose(sums.mismatch, 0.5));
        QVERIFY(isClose(sums.samplerDivergence, std::exp(0.5) - 1.5));
        QVERIFY(isClose(sums.corrected, 0)); // exp(0.5) is below the limit of 2
        QVERIFY(isClose(objective.largestMismatch(), 0.5));
    }

    void likelihood()
    {
        Likelihood objective(4);
        for (const double value : {-1.0, -2.0, -3.0})
            QCOMPARE(objective.take(0, 0, value, 0.5), -0.25);
        QCOMPARE(objective.sums().loss, 6.0);
        QCOMPARE(objective.sums().entropy, 1.5);
        QCOMPARE(objective.sums().tokens, 3.0);
    }

    void learningRates()
    {
        LearningRate rate{2, 4, 12, 0.5, Decay::Cosine};
        QCOMPARE(learningRateAt(rate, 1), 0.5);
        QCOMPARE(learningRateAt(rate, 3), 1.5);
        QCOMPARE(learningRateAt(rate, 4), 2.0);
        QVERIFY(isClose(learningRateAt(rate, 8), 1.5)); // half of the way from 2 to 1
        QVERIFY(isClose(learningRateAt(rate, 12), 1));
        QVERIFY(isClose(learningRateAt(rate, 100), 1));
        rate.decay = Decay::Linear;
        QVERIFY(isClose(learningRateAt(rate, 6), 1.75));
        rate.decay = Decay::None;
        QCOMPARE(learningRateAt(rate, 100), 2.0);
        QCOMPARE(learningRateAt({3, 0, 0, 0, Decay::Cosine}, 77), 3.0);
        QCOMPARE(learningRateAt({3, 0, 10, 0, Decay::Cosine}, 1), 3.0);
    }

    void replies()
    {
        const std::vector<Sequence> all{
            {{1, 2, 3}, 2}, {{1, 9, 3}, 2}, {{1, 2, 4, 5}, 2}, {{1, 2, 3}, 1}, {{1, 2, 6}, 2}};
        const std::vector<std::size_t> numbers{0, 1, 2, 3, 4};
        QCOMPARE(bundles(all, numbers, 100), (std::vector<Pass>{{0, 2, 4}, {1}, {3}}));
        QCOMPARE(computedTokens(all, {0, 2, 4}), std::size_t{2 + 1 + 2 + 1});
        QCOMPARE(bundles(all, numbers, 5), (std::vector<Pass>{{0, 2}, {1}, {3}, {4}}));
        QCOMPARE(bundles(all, numbers, 1).size(), 5u);
    }

    void packing()
    {
        const std::vector<std::size_t> lengths{3, 9, 4, 6, 1, 20};
        // Longest first: 20 alone, 9, 6 with 4 and so on, into the first with room.
        QCOMPARE(packed(lengths, 10), (std::vector<Pass>{{5}, {1, 4}, {2, 3}, {0}}));
        QCOMPARE(packed(lengths, 100), (std::vector<Pass>{{0, 1, 2, 3, 4, 5}}));
        QCOMPARE(packed(lengths, 1).size(), 6u);
        QVERIFY(packed({}, 10).empty());
        // 20; 9; then 6 and 4 and 3 and 1 to the lighter one.
        QCOMPARE(sharedOut(lengths, 2), (std::vector<std::vector<std::size_t>>{{4, 5}, {0, 1, 2, 3}}));
        QCOMPARE(sharedOut(std::vector<std::size_t>{5}, 3), (std::vector<std::vector<std::size_t>>{{0}, {}, {}}));
    }
};

QTEST_APPLESS_MAIN(TestObjective)
#include "tst_objective.moc"
