// SPDX-License-Identifier: GPL-3.0-or-later
// Effects against numbers worked out by hand, and against factorial data whose effects are known.
#include "core/ablation/ablationtable.h"
#include "core/ablation/findingstext.h"
#include "core/ablation/measured.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace cudal1;
using ablation::Effect;
using ablation::Effects;
using ablation::Measured;

namespace {

/// `below` and `above` are half widths of the logarithm.
Measured at(std::uint32_t on, double speedup, double below = 0.01, double above = 0.01)
{
    return {on, {speedup, speedup * std::exp(-below), speedup * std::exp(above)}};
}

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-9;
}

/// The factor and both half widths, in logarithms.
bool is(const base::Interval& factor, double log, double below, double above)
{
    const double centre = std::log(factor.estimate);
    const bool good = near(centre, log) && near(centre - std::log(factor.low), below) &&
                      near(std::log(factor.high) - centre, above);
    if (!good)
        qWarning("got %.6f -%.6f +%.6f, wanted %.6f -%.6f +%.6f", centre, centre - std::log(factor.low),
                 std::log(factor.high) - centre, log, below, above);
    return good;
}

const std::vector<std::string> names{"USE_A", "USE_B", "USE_C"};

} // namespace

class TestEffects : public QObject {
    Q_OBJECT
private slots:
    // b does nothing alone and doubles a.
    void twoToggles()
    {
        const Effects e = ablation::effectsOf(2, std::vector{at(0, 1), at(1, 2), at(2, 1), at(3, 4)});
        QCOMPARE(e.mains.size(), std::size_t(2));
        QVERIFY(e.mains[0].toggles == 1 && e.mains[0].backgrounds == 2 && e.mains[1].toggles == 2);
        QVERIFY(is(e.mains[0].factor, std::log(8) / 2, 0.01,
                   0.01)); // mean of ln 2 and ln 4; four halves of 0.01 in quadrature
        QVERIFY(is(e.mains[1].factor, std::log(2) / 2, 0.01, 0.01)); // mean of ln 1 and ln 2
        QCOMPARE(e.interactions.size(), std::size_t(1));
        QVERIFY(e.interactions[0].toggles == 3 && e.interactions[0].backgrounds == 1);
        QVERIFY(is(e.interactions[0].factor, std::log(2), 0.02, 0.02)); // 4 · 1 / (2 · 1)
        QVERIFY(is(e.total, std::log(4), std::sqrt(2) * 0.01, std::sqrt(2) * 0.01));
        QVERIFY(e.missing == 0 && e.shapley.size() == 2);
        QVERIFY(is(e.shapley[0].factor, std::log(8) / 2, 0.01, 0.01) &&
                is(e.shapley[1].factor, std::log(2) / 2, 0.01, 0.01));

        QCOMPARE(e.gates.size(), std::size_t(1)); // a needs no b: it doubles without it
        QVERIFY(e.gates[0].toggle == 1 && e.gates[0].gate == 0 && !e.gates[0].mutual);
        QVERIFY(is(e.gates[0].with, std::log(2), std::sqrt(2) * 0.01, std::sqrt(2) * 0.01));
        QVERIFY(is(e.gates[0].without, 0, std::sqrt(2) * 0.01, std::sqrt(2) * 0.01));
        QCOMPARE(
            ablation::gateText(names, e.gates[0]),
            std::string(
                "a is the gatekeeper of b, which gives 2.00× (1.97–2.03) with it and 1.00× (0.99–1.01) without it."));
    }

    // What lowers the one that is divided by raises the ratio.
    // The same numbers, by both clocks.
    void findingsUnderHeadings()
    {
        const std::vector<std::string> two{"USE_A", "USE_B"};
        const Effects e = ablation::effectsOf(2, std::vector{at(0, 1), at(1, 2), at(2, 1), at(3, 4)});
        QVERIFY(ablation::findingsOf(two, {}, {}, {}).empty());
        const std::vector<ablation::Topic> topics = ablation::findingsOf(two, {}, e, e);
        QCOMPARE(topics.size(), std::size_t(3));
        QCOMPARE(topics[0].title, std::string("Gatekeepers"));
        QCOMPARE(topics[0].sentences, (std::vector<std::string>{ablation::gateText(two, e.gates[0]),
                                                                "By events: " + ablation::gateText(two, e.gates[0])}));
        QCOMPARE(topics[1].title, std::string("Effects, by the wall clock"));
        QCOMPARE(topics[1].sentences,
                 (std::vector<std::string>{ablation::mainText(two, e.mains[0]), ablation::mainText(two, e.mains[1]),
                                           ablation::interactionText(two, e.interactions[0])}));
        QCOMPARE(topics[2].title, std::string("Shares in the whole"));
        QCOMPARE(topics[2].sentences, (std::vector<std::string>{ablation::shapleyText(two, e.shapley[0], e.total),
                                                                ablation::shapleyText(two, e.shapley[1], e.total)}));
        QVERIFY(topics[1].aside.empty() && topics[2].aside.empty());

        // Without all four there are no shares, and that is said.
        const auto holes = ablation::findingsOf(two, {}, ablation::effectsOf(2, std::vector{at(0, 1), at(1, 2)}), {});
        QVERIFY(holes.size() == 2 && holes[0].title == topics[1].title && holes[1].sentences.empty());
        QCOMPARE(holes[1].aside, std::string("Shapley values need all 4 combinations; 2 have no speed-up."));
    }

    void sidesOfIntervals()
    {
        const Effects e = ablation::effectsOf(1, std::vector{at(0, 1, 0.02, 0.04), at(1, 2, 0.03, 0.01)});
        QVERIFY(is(e.mains[0].factor, std::log(2), 0.05, std::sqrt(0.0005)));
    }

    // v({1}) = 0.1, v({2}) = 0.2, v({3}) = 0.3, v({1,2}) = 0.5, v({1,3}) = 0.4, v({2,3}) = 0.6, v(all) = 1
    void shapleyOfThree()
    {
        const double v[] = {0, 0.1, 0.2, 0.5, 0.3, 0.4, 0.6, 1};
        std::vector<Measured> measured;
        for (std::uint32_t on = 0; on < 8; ++on)
            measured.push_back(at(on, std::exp(v[on]), 0, 0));
        const Effects e = ablation::effectsOf(3, measured);
        QVERIFY(near(std::log(e.shapley[0].factor.estimate), 0.1 / 3 + 0.3 / 6 + 0.1 / 6 + 0.4 / 3));
        QVERIFY(near(std::log(e.shapley[1].factor.estimate), 0.2 / 3 + 0.4 / 6 + 0.3 / 6 + 0.6 / 3));
        QVERIFY(near(std::log(e.shapley[2].factor.estimate), 0.3 / 3 + 0.3 / 6 + 0.4 / 6 + 0.5 / 3));
        // Main effects weigh backgrounds alike: of 1 over {}, {2}, {3}, {2,3}.
        QVERIFY(near(std::log(e.mains[0].factor.estimate), (0.1 + 0.3 + 0.1 + 0.4) / 4) && e.mains[0].backgrounds == 4);
        // Pair 1, 2 over {} and {3}: 0.5 - 0.1 - 0.2 and 1 - 0.4 - 0.6 + 0.3
        QVERIFY(near(std::log(e.interactions[0].factor.estimate), (0.2 + 0.3) / 2) &&
                e.interactions[0].backgrounds == 2);
    }

    void shapleyValuesMultiplyToTheTotal()
    {
        std::mt19937 random(7);
        for (std::size_t count = 1; count <= 6; ++count) {
            std::vector<Measured> measured;
            for (std::uint32_t on = 0; on < 1U << count; ++on)
                measured.push_back(at(on, 0.5 + double(random() % 1000) / 250));
            const Effects e = ablation::effectsOf(count, measured);
            double product = 1;
            for (const Effect& one : e.shapley)
                product *= one.factor.estimate;
            QVERIFY(near(std::log(product), std::log(e.total.estimate)));
        }
    }

    // Factors 3, 1.5, 0.8 that multiply: what is put in comes out, and no pair interacts.
    void independentFactors()
    {
        const double factors[] = {3, 1.5, 0.8};
        std::vector<Measured> measured;
        for (std::uint32_t on = 0; on < 8; ++on) {
            double speedup = 0.9;
            for (std::uint32_t i = 0; i < 3; ++i)
                speedup *= on >> i & 1U ? factors[i] : 1;
            measured.push_back(at(on, speedup));
        }
        const Effects e = ablation::effectsOf(3, measured);
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY(
                is(e.mains[i].factor, std::log(factors[i]), std::sqrt(8.0 / 16) * 0.01, std::sqrt(8.0 / 16) * 0.01));
            QVERIFY(near(std::log(e.shapley[i].factor.estimate), std::log(factors[i])));
        }
        for (const Effect& one : e.interactions)
            QVERIFY(near(std::log(one.factor.estimate), 0));
        QVERIFY(e.gates.empty());
        QCOMPARE(ablation::mainText(names, e.mains[0]),
                 std::string("a makes a call 3.00× (2.98–3.02) as fast, on average over 4 settings of the others."));
        QCOMPARE(
            ablation::mainText(names, e.mains[2]),
            std::string(
                "c slows a call down to 0.80× (0.79–0.81) of its speed, on average over 4 settings of the others."));
        QVERIFY(ablation::interactionText(names, e.interactions[1])
                    .starts_with("Whether a and c depend on each other is unclear: together 1.00×"));
        // ln 3 / ln 3.6
        QVERIFY(ablation::shapleyText(names, e.shapley[0], e.total).ends_with(", 86 % of the 3.60× of all."));
        QCOMPARE(ablation::shapleyText(names, {1, {1.12, 0.83, 1.48}}, e.total),
                 std::string("Whether a contributes anything is unclear: a factor of 1.12× (0.83–1.48)."));
    }

    void sureAndTooSmallToMatter()
    {
        const Effects e = ablation::effectsOf(1, std::vector{at(0, 1, 0.001, 0.001), at(1, 1.004, 0.001, 0.001)});
        QVERIFY(e.mains[0].factor.low > 1);
        QCOMPARE(ablation::mainText(names, e.mains[0]),
                 std::string("a changes nothing: 1.004× (1.003–1.005), with one setting of the others."));
    }

    void mutualAndHarmfulGates()
    {
        const Effects both = ablation::effectsOf(2, std::vector{at(0, 1), at(1, 1), at(2, 1), at(3, 1.5)});
        QVERIFY(both.gates.size() == 1 && both.gates[0].mutual);
        QVERIFY(ablation::gateText(names, both.gates[0]).starts_with("a and b work only together: a gives 1.50×"));
        const Effects harm = ablation::effectsOf(2, std::vector{at(0, 1), at(1, 1), at(2, 2), at(3, 1)});
        QVERIFY(harm.gates.size() == 1 && harm.gates[0].toggle == 0 && harm.gates[0].gate == 1 &&
                harm.gates[0].with.estimate < 1);
    }

    void noGateWhereNothingIsSure()
    {
        // The same numbers as in twoToggles(), too wide to tell.
        QVERIFY(ablation::effectsOf(
                    2, std::vector{at(0, 1, 0.5, 0.5), at(1, 2, 0.5, 0.5), at(2, 1, 0.5, 0.5), at(3, 4, 0.5, 0.5)})
                    .gates.empty());
        // Sure, and too small to care.
        QVERIFY(ablation::effectsOf(2, std::vector{at(0, 1, 1e-4, 1e-4), at(1, 1, 1e-4, 1e-4), at(2, 1, 1e-4, 1e-4),
                                                   at(3, 1.015, 1e-4, 1e-4)})
                    .gates.empty());
        // Smaller without, and there: 1.2 and 2.
        QVERIFY(ablation::effectsOf(2, std::vector{at(0, 1), at(1, 1.2), at(2, 1), at(3, 2)}).gates.size() ==
                1); // only b of a
    }

    void holesAreLeftOut()
    {
        // {a, b} was incorrect.
        const Effects e = ablation::effectsOf(2, std::vector{at(0, 1), at(1, 2), at(2, 3), Measured{3, {}}});
        QVERIFY(e.mains.size() == 2 && e.mains[0].backgrounds == 1 &&
                near(std::log(e.mains[0].factor.estimate), std::log(2)));
        QVERIFY(e.interactions.empty() && e.shapley.empty() && e.gates.empty() && !e.total.valid());
        QCOMPARE(e.missing, 1);
        QCOMPARE(ablation::shapleyMissingText(2, e),
                 std::string("Shapley values need all 4 combinations; 1 has no speed-up."));
        const Effects none = ablation::effectsOf(3, {});
        QVERIFY(none.mains.empty() && none.missing == 8);
    }

    void otherDesigns()
    {
        const Effects one = ablation::effectsOf(3, std::vector{at(0, 1), at(1, 2), at(2, 3), at(4, 4)});
        QVERIFY(one.mains.size() == 3 && near(std::log(one.mains[2].factor.estimate), std::log(4)) &&
                one.interactions.empty());
        const Effects out = ablation::effectsOf(3, std::vector{at(7, 6), at(6, 3), at(5, 2), at(3, 6)});
        QVERIFY(out.mains.size() == 3 && near(std::log(out.mains[1].factor.estimate), std::log(3)) &&
                near(std::log(out.mains[2].factor.estimate), 0));
    }

    // a makes a call 4 times as fast and frees it of the host, b does nothing. The host was slower by 1.3 for two of
    // the four.
    void whatTheHostChangedIsNoEffect()
    {
        std::vector<ablation::CombinationRow> rows(4);
        for (std::uint32_t on = 0; on < 4; ++on) {
            const double reference_ns = on == 1 || on == 2 ? 130e6 : 100e6,
                         candidate_ns = on & 1U ? 25e6 : reference_ns;
            const double speedup = reference_ns / candidate_ns;
            rows[on].on = on;
            ablation::CombinationResult& found = rows[on].found.emplace();
            found.verdict = protocol::Verdict::Correct;
            found.wall = {{speedup, speedup / 1.01, speedup * 1.01}, reference_ns, candidate_ns};
            found.gpuBusy = {{1, 0.99, 1.01}, 30e6, on & 1U ? 25e6 : 30e6};
        }
        const Effects e = ablation::effectsOf(2, ablation::measuredOf(rows, ablation::EffectClock::Wall));
        QVERIFY(is(e.mains[0].factor, std::log(std::sqrt(100e6 * 130e6) / 25e6), std::log(1.01), std::log(1.01)));
        // Its own share of waiting differs a little where the host was slow: what is left of ln 1.3 is less than half a
        // per cent.
        QVERIFY(std::abs(std::log(e.mains[1].factor.estimate)) < 0.005 &&
                std::abs(std::log(e.interactions[0].factor.estimate)) < 0.01);
        QVERIFY(e.gates.empty());
        QCOMPARE(
            ablation::driftText(rows),
            std::string("A call of the reference took 100 ms to 130 ms, since the host was not equally fast all the "
                        "time. Each speed-up is over the reference as it was beside that combination; so to rank "
                        "combinations, compare the times of their calls. Effects are computed as if the host had "
                        "been equally fast throughout."));
        // So the table does the same: the last one has a shorter call and a smaller speed-up than the second.
        std::vector<ablation::CombinationRow> ranked = rows;
        ranked[3].found->wall.candidate_ns = 24e6;
        ablation::sort(ranked, ablation::Order::Rank);
        QVERIFY(ranked[0].on == 3 && ranked[1].on == 1 && ranked[2].on == 0 && ranked[3].on == 2);
        ablation::sort(ranked, ablation::Order::Speedup);
        QVERIFY(ranked[0].on == 1 && ranked[1].on == 3);

        // Without a busy clock nothing is known of the host, and a steady one is not worth a word.
        for (ablation::CombinationRow& row : rows)
            row.found->gpuBusy = {};
        QVERIFY(near(std::log(ablation::effectsOf(2, ablation::measuredOf(rows, ablation::EffectClock::Wall))
                                  .interactions[0]
                                  .factor.estimate),
                     -std::log(1.3)));
        QVERIFY(ablation::driftText(rows).empty());
        QVERIFY(ablation::rankedBy(rows) == ablation::Order::Speedup);
    }

    void combinationsInWords()
    {
        QCOMPARE(ablation::combinationText(names, 0), std::string("none"));
        QCOMPARE(ablation::combinationText(names, 5), std::string("a + c"));
        QCOMPARE(ablation::combinationText(names, 7), std::string("all"));
    }

    void togglesThatBreak()
    {
        std::vector<ablation::CombinationRow> rows(4);
        for (std::uint32_t on = 0; on < 4; ++on) {
            rows[on].on = on;
            rows[on].found.emplace();
            rows[on].found->verdict = on & 2U ? protocol::Verdict::Incorrect : protocol::Verdict::Correct;
        }
        const std::vector<std::string> texts = ablation::breakingTexts({"USE_A", "USE_B"}, rows);
        QCOMPARE(texts, (std::vector<std::string>{"With b no combination is correct; without it all are."}));
        rows[0].found->verdict = protocol::Verdict::Crashed;
        QVERIFY(ablation::breakingTexts({"USE_A", "USE_B"}, rows).empty());
    }
};

QTEST_GUILESS_MAIN(TestEffects)
#include "tst_effects.moc"
