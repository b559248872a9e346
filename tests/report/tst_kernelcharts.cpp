// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline and the picture of kernels beside each other, with numbers worked out by hand.
#include "core/charts/kernelcharts.h"
#include "core/charts/svg.h"

#include <QTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::charts;
using protocol::CounterSide;

namespace {

protocol::DeviceInfo h200()
{
    protocol::DeviceInfo device;
    device.model = "NVIDIA H200";
    device.capability = "9.0";
    device.processors = 132;
    return device;
}

/// One kernel of 200 us that moves 480 MB and computes 9.6 G operations: 20 a byte, 48 TFLOP/s.
CounterSide counted()
{
    CounterSide side{250'000, {{"gemm", {{2112, 1, 1}, {256, 1, 1}, 32, 0, 0}, 1, 200'000, 0, {}}}, {}};
    side.kernels[0].measured.emplace();
    side.kernels[0].measured->duration_ns = 200'000;
    side.kernels[0].measured->dram_bytes = 480e6;
    side.kernels[0].measured->tensor_ops = 9.6e9;
    side.kernels[0].measured->dramUse = 0.5;
    return side;
}

const Series* seriesOf(const Chart& chart, const char* name)
{
    for (const Series& series : chart.series)
        if (series.name == QLatin1String(name))
            return &series;
    return nullptr;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

} // namespace

class KernelChartsTest : public QObject {
    Q_OBJECT
private slots:
    void roofsBendWhereThePipeIsReached()
    {
        const KernelSide sides[] = {{"reference", counters::factsOf(counted(), h200(), nullptr)}};
        const Chart chart = roofline(sides, counters::roofsOf("NVIDIA H200"));
        const Series* fp32 = seriesOf(chart, "FP32 67 TFLOP/s");
        QVERIFY(fp32 && fp32->look == Series::Look::Lines);
        // 67 TFLOP/s over 4.8 TB/s are 13.96 operations a byte; on the slope the rate is the intensity times 4.8.
        QCOMPARE(fp32->points.size(), std::size_t(3));
        QVERIFY(near(fp32->points[1].x, 67 / 4.8) && near(fp32->points[1].y, 67));
        QVERIFY(near(fp32->points[0].y, fp32->points[0].x * 4.8));
        QVERIFY(near(fp32->points[2].y, 67) && near(fp32->points[2].x, chart.x.high));
        const Series* tf32 = seriesOf(chart, "TF32 494 TFLOP/s");
        QVERIFY(tf32 && near(tf32->points[1].x, 494 / 4.8));
        QVERIFY(fp32->pattern != tf32->pattern);
    }

    void kernelsAndCallsArePoints()
    {
        const KernelSide sides[] = {{"reference", counters::factsOf(counted(), h200(), nullptr)},
                                    {"#7", counters::factsOf(counted(), h200(), nullptr)}};
        const Chart chart = roofline(sides, counters::roofsOf("NVIDIA H200"));
        const Series* own = seriesOf(chart, "#7");
        QVERIFY(own && own->points.size() == 1);
        QVERIFY(near(own->points[0].x, 20) && near(own->points[0].y, 48));
        QCOMPARE(int(own->ink), int(Ink::Variant));
        const Mark& mark = chart.marks[std::size_t(own->points[0].mark)];
        QVERIFY2(mark.hover.contains("gemm") && mark.hover.contains("48 TFLOP/s at 20 operations a byte"),
                 qPrintable(mark.hover));
        QVERIFY(chart.x.low < 20 && 20 < chart.x.high && chart.y.low < 48 && chart.y.high > 494);
        // Two roofs, and one series a side: a mark of the call would cover that of its only kernel.
        QCOMPARE(chart.series.size(), std::size_t(4));
        QVERIFY(!chart.note.contains("diamond") && !chart.note.contains("as written"));
        QCOMPARE(chart.table.rows.size(), std::size_t(2));
        QCOMPARE(chart.table.columns.size(), chart.table.rows[0].size());
        QVERIFY(svgOf(chart, {480, 360}).contains("TF32 494 TFLOP/s"));
    }

    void numbersOfHoversAreGrouped()
    {
        CounterSide side = counted();
        side.kernels[0].measured->tensor_ops = 480e6 * 1707; // in 200 us
        const KernelSide sides[] = {{"reference", counters::factsOf(side, h200(), nullptr)}};
        const Chart chart = roofline(sides, counters::roofsOf("NVIDIA H200"));
        const Series* own = seriesOf(chart, "reference");
        QVERIFY(own && own->points.size() == 1);
        const QString hover = chart.marks[std::size_t(own->points[0].mark)].hover;
        QVERIFY2(hover.endsWith("\n4,100 TFLOP/s at 1,710 operations a byte"), qPrintable(hover));
    }

    void kernelsSideBySideAreNoSlowerThanTheirCall()
    {
        costs::Costs costs;
        costs.flops.products = 20e9;
        costs.read_bytes = 1e9;
        const CounterSide one{150'000, {{"k", {}, 1, 100'000, 0, {}}}, {}},
            two{50'000, {{"k", {}, 1, 90'000, 0, {}}, {"m", {}, 1, 60'000, 0, {}}}, {}};
        const KernelSide sides[] = {{"reference", counters::factsOf(one, h200(), &costs)},
                                    {"#7", counters::factsOf(two, h200(), &costs)}};
        const Chart chart = roofline(sides, counters::roofsOf("NVIDIA H200"));
        const Series *slow = seriesOf(chart, "reference"), *fast = seriesOf(chart, "#7");
        QVERIFY(slow && fast);
        QVERIFY(near(slow->points[0].y, 200)); // 20 G in 100 us
        QVERIFY(near(fast->points[0].y, 400)); // in 50
        QVERIFY2(chart.note.contains("A diamond is all kernels of a call together") &&
                     chart.note.contains("add up to more than the call"),
                 qPrintable(chart.note));
        QVERIFY(!roofline(std::span(sides).first(1), counters::roofsOf("NVIDIA H200")).note.contains("add up"));
        const Chart changes = kernelChanges(counters::changesOf(one, two), "reference", "#7");
        QCOMPARE(changes.note, QStringLiteral("A call takes 150 µs in reference and 50.0 µs in #7."));
        QCOMPARE(textOf(changes.table.rows.back()[1]), QStringLiteral("0.05"));
        QCOMPARE(textOf(changes.table.rows.back()[2]), QStringLiteral("0"));
    }

    void withoutRoofsOrOperationsThereIsNoPicture()
    {
        const KernelSide sides[] = {{"reference", counters::factsOf(counted(), h200(), nullptr)}};
        QVERIFY(!roofline(sides, counters::roofsOf("a GPU of one's own")).empty.isEmpty());
        CounterSide timed = counted();
        timed.kernels[0].measured.reset();
        const KernelSide unknown[] = {{"reference", counters::factsOf(timed, h200(), nullptr)}};
        const Chart chart = roofline(unknown, counters::roofsOf("NVIDIA H200"));
        QVERIFY(!chart.empty.isEmpty());
        QCOMPARE(chart.table.rows.size(), std::size_t(1)); // its launches are known
    }

    void kernelsBesideEachOther()
    {
        const CounterSide a{150'000, {{"gemm", {}, 1, 100'000, 0, {}}}, {}},
            b{50'000, {{"fused", {}, 2, 40'000, 0, {}}}, {}};
        const Chart chart = kernelChanges(counters::changesOf(a, b), "reference", "#7");
        QCOMPARE(chart.y.words, (QStringList{"gemm", "fused", "(host, copies and gaps)"}));
        QVERIFY(chart.y.ends[0].startsWith(QStringLiteral("-100")) &&
                chart.y.ends[1].startsWith(QStringLiteral("+40")));
        QCOMPARE(chart.series.size(), std::size_t(2));
        QCOMPARE(chart.series[0].points[0].x2, 0.1); // ms
        QCOMPARE(chart.series[1].points[1].x2, 0.04);
        QCOMPARE(textOf(chart.table.rows[0][4]), QStringLiteral("100")); // % of the gain: 100 of 100 us
        QCOMPARE(textOf(chart.table.rows[2][4]), QStringLiteral("40"));  // 50 - 10
        QVERIFY(chart.table.columns[4].title.contains("of the gain"));
        QVERIFY(kernelChanges(counters::changesOf(b, a), "a", "b").table.columns[4].title.contains("of the loss"));
        QVERIFY(!kernelChanges({}, "a", "b").empty.isEmpty());
    }
};

QTEST_APPLESS_MAIN(KernelChartsTest)
#include "tst_kernelcharts.moc"
