// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of zooming, moving and fitting, and the ruler's marks.
#include "ui/timeline/timelinetexts.h"
#include "ui/timeline/viewrange.h"

#include <QTest>

using namespace cudal1::ui;

class TestViewRange : public QObject {
    Q_OBJECT
    static constexpr ViewRange limits{-100, 10'100};
private slots:
    void zoomingKeepsThePlace()
    {
        const ViewRange out = zoomed({1'000, 2'000}, 0.5, 1'250, limits);
        QCOMPARE(out.length_ns(), 500.0);
        QCOMPARE((1'250 - out.from_ns) / out.length_ns(), 0.25);
        QCOMPARE(zoomed(out, 2, 1'250, limits).from_ns, 1'000.0);
        QVERIFY(zoomed({0, 9'000}, 1e9, 500, limits) == limits);
        QCOMPARE(zoomed({0, 1'000}, 1e-9, 500, limits).length_ns(), shortest_ns);
    }
    void movingStopsAtTheLimits()
    {
        QCOMPARE(moved({0, 1'000}, 500, limits).from_ns, 500.0);
        QCOMPARE(moved({0, 1'000}, -1e6, limits).from_ns, -100.0);
        const ViewRange end = moved({0, 1'000}, 1e6, limits);
        QCOMPARE(end.to_ns, 10'100.0);
        QCOMPARE(end.length_ns(), 1'000.0);
    }
    void fittingHasAMargin()
    {
        const ViewRange out = fitted({1'000, 2'000}, limits);
        QCOMPARE(out.from_ns, 900.0);
        QCOMPARE(out.to_ns, 2'100.0);
        QVERIFY(fitted({5'000, 5'000}, limits).length_ns() >= shortest_ns); // an instant
    }
    void showingMovesAsLittleAsItMust()
    {
        const ViewRange now{1'000, 2'000};
        QVERIFY(showing(now, {1'200, 1'300}, limits) == now);
        const ViewRange right = showing(now, {2'500, 2'600}, limits);
        QCOMPARE(right.length_ns(), 1'000.0);
        QCOMPARE(right.to_ns, 2'650.0);
        QCOMPARE(showing(now, {500, 600}, limits).from_ns, 450.0);
        QVERIFY(showing(now, {1'500, 9'000}, limits) == now); // too long, and its begin is in view
    }
    void nothingIsNotANumber()
    {
        const ViewRange out = bounded({std::nan(""), 5}, limits);
        QVERIFY(out.from_ns >= limits.from_ns && out.to_ns <= limits.to_ns);
    }
    void rulerSteps()
    {
        QCOMPARE(rulerStep_ns(1), 1.0);
        QCOMPARE(rulerStep_ns(1.5), 2.0);
        QCOMPARE(rulerStep_ns(30), 50.0);
        QCOMPARE(rulerStep_ns(70), 100.0);
        QCOMPARE(rulerStep_ns(5e6), 5e6);
        QCOMPARE(rulerStep_ns(0.1), 1.0);
    }
    void namesAndMoments()
    {
        QCOMPARE(shortName("void at::native::vectorized_elementwise_kernel<4, at::native::F>(int)"),
                 QStringLiteral("vectorized_elementwise_kernel<4, at::native::F>(int)"));
        QCOMPARE(shortName("std::enable_if<(true), void>::type internal::gemvx::kernel<int, float>(int)"),
                 QStringLiteral("gemvx::kernel<int, float>(int)"));
        QCOMPARE(shortName("aten::add"), QStringLiteral("aten::add"));
        QCOMPARE(shortName("void (anonymous namespace)::softmax<float>(float*)"),
                 QStringLiteral("softmax<float>(float*)"));
        QCOMPARE(shortName("Memcpy HtoD (Pageable -> Device)"), QStringLiteral("Memcpy HtoD (Pageable -> Device)"));
        QCOMPARE(momentText(0), QStringLiteral("0"));
        QCOMPARE(momentText(12'345), QStringLiteral("12.345 µs"));
        QCOMPARE(momentText(-250), QStringLiteral("-250 ns"));
    }
};

QTEST_APPLESS_MAIN(TestViewRange)
#include "tst_viewrange.moc"
