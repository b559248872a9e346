// SPDX-License-Identifier: GPL-3.0-or-later
// Float32 on the CPU is compared in one pass, and says what the general way says of the same numbers in double.
#undef slots      // a name in Python's headers, and a keyword of Qt
#ifndef Q_MOC_RUN // which would read all of torch
#include "core/judge/witness/comparison.h"
#endif

#include <QtTest>

#include <cmath>
#include <limits>

using namespace cudal1::judge;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity(), notANumber = std::numeric_limits<float>::quiet_NaN();

/// Enough for several threads, with NaN and infinities on either side.
std::pair<at::Tensor, at::Tensor> twoResults()
{
    at::manual_seed(3);
    at::Tensor a = at::randn({500, 777}), b = a + 1e-3 * at::randn({500, 777});
    a[3][4].fill_(notANumber);
    b[3][5].fill_(notANumber);
    a[499][776].fill_(infinite);
    b[499][776].fill_(infinite);
    a[7][7].fill_(-infinite);
    return {a, b};
}

bool nearly(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

} // namespace

class TestComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rootMeanSquareOfWhatIsFinite()
    {
        const auto [a, b] = twoResults();
        QVERIFY(nearly(rmsOfFinite(a), rmsOfFinite(a.to(at::kDouble))));
        QVERIFY(nearly(rmsOfFinite(a.t()), rmsOfFinite(a))); // rows that do not follow each other in memory
        QCOMPARE(rmsOfFinite(at::full({3}, 2.0F)), 2.0);
        QCOMPARE(rmsOfFinite(at::full({3}, notANumber)), 0.0);
        QCOMPARE(rmsOfFinite(at::empty({0})), 0.0);
    }

    void numbersBelowTheLeastNormalOne()
    {
        const at::Tensor zeros = at::zeros({5});
        QVERIFY(compareValues(zeros, at::full({5}, 1e-45F), 1e-2, 0).equal());
        QVERIFY(compareValues(zeros, at::full({5}, 1e-38F), 1e-2, 0).equal());
        QVERIFY(!compareValues(zeros, at::full({5}, 2e-38F), 1e-2, 0).equal());
        QVERIFY(!compareValues(at::full({5}, 2e-38F), zeros, 1e-2, 0).equal());
        QVERIFY(!compareValues(zeros.to(at::kDouble), at::full({5}, 1e-38, at::kDouble), 1e-2, 0).equal());
        QVERIFY(compareValues(zeros.to(at::kBFloat16), at::full({5}, 1e-38, at::kBFloat16), 1e-2, 0).equal());
        QCOMPARE(compareValues(at::full({5}, 1e-45F), zeros, 1e-2, 0).relativeError(), 0.0);
        QVERIFY(vanishes(zeros) && vanishes(at::full({5}, -1e-38F)) && vanishes(at::full({2}, notANumber)));
        QVERIFY(!vanishes(at::tensor({0.0F, -2e-38F})) && !vanishes(at::zeros({5}, at::kLong)) &&
                !vanishes(at::empty({0})));
        QVERIFY(!compareValues(zeros.to(at::kHalf), at::full({5}, 1e-5, at::kHalf), 1e-2, 0).equal());
    }

    void largestDifferenceOfWhatIsFinite()
    {
        const auto [a, b] = twoResults();
        // In float, as the elements are.
        const at::Tensor difference = (a - b).abs();
        const double expected = at::where(difference.isfinite(), difference, 0.0).max().item<double>();
        QVERIFY(expected > 0);
        QCOMPARE(largestDifference(a, b), expected);
        QCOMPARE(largestDifference(at::empty({0}), at::empty({0})), 0.0);
    }

    void distanceFromAnExactResult()
    {
        const auto [a, b] = twoResults();
        const double general = relativeDistance(b.to(at::kDouble), a.to(at::kDouble));
        QVERIFY(general > 5e-4 && general < 2e-3);
        QVERIFY(nearly(relativeDistance(b, a.to(at::kDouble)), general));
        QVERIFY(nearly(relativeDistance(b, a), general));
        QCOMPARE(relativeDistance(at::ones({4}), at::zeros({4})), 0.0);
    }
};

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
