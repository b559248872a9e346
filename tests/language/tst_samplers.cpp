// SPDX-License-Identifier: GPL-3.0-or-later
// Samplers of exemplars against numbers worked out by hand, and against 100,000 draws.
#include "core/language/bestsampler.h"
#include "core/language/bucketsampler.h"
#include "core/language/draws.h"
#include "core/language/islandsampler.h"
#include "core/language/randomsampler.h"

#include <QTest>

#include <cmath>
#include <map>
#include <set>

using namespace cudal1;
using namespace cudal1::language;

namespace {

constexpr int draws = 100'000;
using Places = std::vector<std::size_t>;

/// Scores with variants 1, 2, 3, …
std::vector<Scored> scoredOf(const std::vector<double>& scores)
{
    std::vector<Scored> out;
    for (const double score : scores)
        out.push_back({{std::int64_t(out.size() + 1)}, score});
    return out;
}

/// The value that chi-square with so many degrees of freedom exceeds once in 100,000 (Wilson and Hilferty; 4.265 is the
/// normal quantile).
double chiSquareBound(int degrees)
{
    const double a = 2.0 / (9 * degrees);
    return degrees * std::pow(1 - a + 4.265 * std::sqrt(a), 3);
}

/// How far the counts of what was drawn are from what was expected.
double chiSquare(const std::map<Places, double>& expected, const std::map<Places, int>& counts)
{
    double sum = 0;
    for (const auto& [places, probability] : expected) {
        const auto found = counts.find(places);
        const double want = probability * draws, have = found == counts.end() ? 0 : found->second;
        sum += (have - want) * (have - want) / want;
    }
    for (const auto& [places, count] : counts)
        if (!expected.contains(places))
            sum += 1e9; // cannot be
    return sum;
}

std::map<Places, int> drawn(const ExemplarSampler& sampler, const std::vector<Scored>& scored, int most)
{
    std::map<Places, int> counts;
    for (int seed = 0; seed < draws; ++seed)
        ++counts[sampler.sample(scored, most, std::uint64_t(seed))];
    return counts;
}

bool near(double a, double b, double tolerance = 1e-5)
{
    return std::abs(a - b) <= tolerance;
}

} // namespace

class TestSamplers : public QObject {
    Q_OBJECT
    // Two variants of about 1, one of 1.5, two of about 2.
    const std::vector<Scored> m_five = scoredOf({1.00, 2.00, 1.50, 1.05, 2.04});

private slots:
    void equationOneByHand()
    {
        // Means 1.025, 1.5 and 2.02, whose mean is 1.515. With tau = 0.5 the exponents are -0.98, -0.03 and 1.01, the
        // exponentials 0.375311, 0.970446 and 2.745601, their sum 4.091358.
        const auto buckets = BucketSampler(0.1, 0.5).buckets(m_five);
        QCOMPARE(buckets.size(), std::size_t(3));
        QCOMPARE(buckets[0].index, std::int64_t(10));
        QCOMPARE(buckets[1].index, std::int64_t(15));
        QCOMPARE(buckets[2].index, std::int64_t(20));
        QVERIFY((buckets[0].members == Places{0, 3} && buckets[1].members == Places{2} &&
                 buckets[2].members == Places{1, 4}));
        QVERIFY(near(buckets[0].mean, 1.025) && near(buckets[1].mean, 1.5) && near(buckets[2].mean, 2.02));
        QVERIFY(near(buckets[0].probability, 0.375311 / 4.091358));
        QVERIFY(near(buckets[1].probability, 0.970446 / 4.091358));
        QVERIFY(near(buckets[2].probability, 2.745601 / 4.091358));
    }

    void bucketsBeginAtTheirLowerEnd()
    {
        // 1.2 / 0.1 is a little less than 12 in binary.
        const auto buckets = BucketSampler(0.1, 0.5).buckets(scoredOf({1.19, 1.2, 1.29, 1.3, 0.05}));
        QCOMPARE(buckets.size(), std::size_t(4));
        QVERIFY(buckets[0].index == 0 && buckets[1].index == 11 && buckets[2].index == 12 && buckets[3].index == 13);
        QVERIFY((buckets[2].members == Places{1, 2}));
    }

    void bucketsAreDrawnAsTheEquationSays()
    {
        const double p[] = {0.375311 / 4.091358, 0.970446 / 4.091358, 2.745601 / 4.091358};
        const Places members[] = {{0, 3}, {2}, {1, 4}};
        // The second bucket by its share of the two that are left; of each one member, all equally likely.
        std::map<Places, double> expected;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (const std::size_t a : members[i])
                    for (const std::size_t b : members[j])
                        if (i != j)
                            expected[{a, b}] = p[i] * p[j] / (1 - p[i]) / double(members[i].size()) /
                                               double(members[j].size());
        QCOMPARE(expected.size(), std::size_t(16));
        double sum = 0;
        for (const auto& [places, probability] : expected)
            sum += probability;
        QVERIFY(near(sum, 1));
        const double found = chiSquare(expected, drawn(BucketSampler(0.1, 0.5), m_five, 2));
        QVERIFY2(found < chiSquareBound(15), qPrintable(QString::number(found)));
        // The test can fail: by another temperature the draws are far off.
        QVERIFY(chiSquare(expected, drawn(BucketSampler(0.1, 0.6), m_five, 2)) > chiSquareBound(15));
    }

    void fewBucketsGiveFewExemplars()
    {
        const BucketSampler sampler;
        QVERIFY(sampler.sample({}, 2, 1).empty());
        QCOMPARE(sampler.sample(scoredOf({1.01, 1.02, 1.03}), 2, 1).size(), std::size_t(1));
        QCOMPARE(sampler.sample(scoredOf({1.0, 449.0}), 5, 1).size(), std::size_t(2)); // no overflow on the way
        QVERIFY(sampler.sample(m_five, 0, 1).empty());
    }

    void randomIsUniform()
    {
        std::map<Places, double> expected;
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b)
                if (a != b)
                    expected[{a, b}] = 1.0 / 12;
        const double found = chiSquare(expected, drawn(RandomSampler(), scoredOf({1, 9, 2, 1}), 2));
        QVERIFY2(found < chiSquareBound(11), qPrintable(QString::number(found)));
        QCOMPARE(RandomSampler().sample(scoredOf({1, 2}), 4, 3).size(), std::size_t(2));
    }

    void bestAreTheBest()
    {
        const BestSampler sampler;
        QVERIFY((sampler.sample(m_five, 3, 1) == Places{4, 1, 2}));
        QVERIFY((sampler.sample(scoredOf({2, 3, 3}), 2, 7) == Places{1, 2})); // of equal ones the older
        QVERIFY(sampler.sample({}, 2, 1).empty());
    }

    void islandsDealAndMigrate()
    {
        // Three islands get variants 1, 2, 3; then the best of each goes one island on.
        const IslandSampler sampler({3, 3, 0, 0.5});
        QVERIFY((sampler.populations(scoredOf({1.0, 2.0})) == std::vector<Places>{{0}, {1}, {}}));
        const std::vector<Places> after{{0, 2}, {1, 0}, {2, 1}};
        QVERIFY(sampler.populations(scoredOf({1.0, 2.0, 1.5})) == after);
        // In whatever order they are given: variants have numbers.
        std::vector<Scored> turned = scoredOf({1.0, 2.0, 1.5});
        std::swap(turned[0], turned[2]);
        QVERIFY((sampler.populations(turned) == std::vector<Places>{{2, 0}, {1, 2}, {0, 1}}));
    }

    void theWorseHalfIsResetFromTheBetter()
    {
        // Bests after four variants: island 0 has 1.1, island 1 has 2.0; so island 0 becomes a copy of island 1.
        std::vector<Scored> scored = scoredOf({1.0, 2.0, 1.1, 1.9});
        const IslandSampler sampler({2, 0, 4, 0.5});
        QVERIFY((sampler.populations(scored) == std::vector<Places>{{1, 3}, {1, 3}}));
        // A child of variant 2 could live on both, and of equally full islands takes the first; a child of 2 and 4
        // then finds island 1 less full.
        scored.push_back({{5}, 1.2, {{2}}});
        scored.push_back({{6}, 1.3, {{2}, {4}}});
        QVERIFY((sampler.populations(scored) == std::vector<Places>{{1, 3, 4}, {1, 3, 5}}));
        // Parents that live on no island are none: it is dealt out, and two were dealt to each before.
        scored.push_back({{7}, 1.4, {{1}}});
        QVERIFY((sampler.populations(scored) == std::vector<Places>{{1, 3, 4, 6}, {1, 3, 5}}));
    }

    void ofThreeIslandsTheMiddleStays()
    {
        const IslandSampler sampler({3, 0, 3, 0.5});
        QVERIFY((sampler.populations(scoredOf({1.5, 1.0, 2.0})) == std::vector<Places>{{0}, {2}, {2}}));
    }

    void islandsAreDrawnAlikeAndTheirPeopleByScore()
    {
        // Island 0 has 1.0 and 1.5, whose weights are 1 and e; island 1 has 2.0.
        const double e = std::exp(1.0);
        const std::map<Places, double> expected{{{0}, 0.5 / (1 + e)}, {{2}, 0.5 * e / (1 + e)}, {{1}, 0.5}};
        const double found = chiSquare(expected, drawn(IslandSampler({2, 0, 0, 0.5}), scoredOf({1.0, 2.0, 1.5}), 1));
        QVERIFY2(found < chiSquareBound(2), qPrintable(QString::number(found)));
        QVERIFY(IslandSampler().sample({}, 4, 1).empty());
        // All exemplars of a prompt are of one island.
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const Places places = IslandSampler({2, 0, 0, 0.5}).sample(scoredOf({1, 2, 3, 4, 5, 6}), 4, seed);
            QCOMPARE(places.size(), std::size_t(3));
            for (const std::size_t place : places)
                QCOMPARE(place % 2, places[0] % 2);
        }
    }

    void oneSeedIsOneChoice()
    {
        for (const char* name : {"bucket", "random", "islands", "best"}) {
            const auto sampler = makeSampler(name);
            QVERIFY(sampler.ok());
            QCOMPARE((*sampler)->name(), std::string(name));
            std::set<Places> all;
            for (std::uint64_t seed = 1; seed <= 40; ++seed) {
                const Places places = (*sampler)->sample(m_five, 2, seed);
                QVERIFY(places == (*sampler)->sample(m_five, 2, seed));
                QCOMPARE(std::set<std::size_t>(places.begin(), places.end()).size(), places.size());
                all.insert(places);
            }
            QVERIFY(all.size() > 1 || std::string(name) == "best");
        }
        const auto unknown = makeSampler("luck");
        QVERIFY(!unknown.ok() && unknown.error().hint.find("islands") != std::string::npos);
    }

    void theGeneratorIsTheStandardsOwn()
    {
        // The ten thousandth number of mt19937_64 with its default seed, as the C++ standard demands it: what is drawn
        // here is drawn with every library.
        std::mt19937_64 engine;
        engine.discard(9999);
        QCOMPARE(std::uint64_t(engine()), std::uint64_t(9981545732273789042U));
        Draws one(5), other(6);
        QVERIFY(one.unit() != other.unit());
        QCOMPARE(Draws(1).below(1), std::size_t(0));
        QCOMPARE(Draws(1).weighted({0, 0, 2, 0}), std::size_t(2));
    }
};

QTEST_GUILESS_MAIN(TestSamplers)
#include "tst_samplers.moc"
