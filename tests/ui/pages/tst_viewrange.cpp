// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of zooming, moving and fitting, and the ruler's marks.
#include "ui/timeline/distinctnames.h"
#include "ui/timeline/timelinetexts.h"
#include "ui/timeline/viewrange.h"

#include <QSet>
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
    void namesInAFewCharactersDiffer()
    {
        // What is short stays, and what differs at its ends loses its middle.
        QCOMPARE(distinctNames({"gemm", "elementwise_kernel_of_add", "elementwise_kernel_of_mul"}, 11),
                 (QStringList{"gemm", "eleme…f_add", "eleme…f_mul"}));
        // The difference is in the middle: what both have in common goes.
        const QString gemm = QStringLiteral("sm90_xmma_gemm_f32f32_tn_n_tilesize%1x64x32_stage%2_segment__5x_cublas");
        QCOMPARE(distinctNames({gemm.arg(64).arg(4), gemm.arg(128).arg(4), "relu", gemm.arg(64).arg(4)}, 30),
                 (QStringList{"sm90_xmma_…tilesize64x64x32_s…", "sm90_xmma_…tilesize128x64x32_…", "relu",
                              "sm90_xmma_…tilesize64x64x32_s…"}));
        // Three that differ at two places, each shows the one by which it is told apart.
        const QStringList three{gemm.arg(64).arg(3), gemm.arg(64).arg(4), gemm.arg(128).arg(4)};
        const QStringList shown = distinctNames(three, 24);
        QCOMPARE(QSet<QString>(shown.begin(), shown.end()).size(), 3);
        QVERIFY2(shown[0].contains("stage3") && shown[1].contains("stage4") && shown[2].contains("size128x64"),
                 qPrintable(shown.join(u' ')));
        for (const QString& name : distinctNames(three, 2)) // less than any name can be told apart in
            QVERIFY2(name.size() <= 8, qPrintable(name));
        // A name that others begin with, and names of nothing but one word.
        const QString word(50, u'a');
        const QStringList words = distinctNames({word, word + u'b' + word, word + u'c' + word}, 12);
        QCOMPARE(QSet<QString>(words.begin(), words.end()).size(), words.size());
    }
};

QTEST_APPLESS_MAIN(TestViewRange)
#include "tst_viewrange.moc"
