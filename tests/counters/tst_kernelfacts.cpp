// SPDX-License-Identifier: GPL-3.0-or-later
// Rates, shares and sentences about kernels, worked out by hand; and where the time of one side went in another.
#include "core/counters/kernelchange.h"
#include "core/counters/kernelfacts.h"

#include <QTest>

using namespace cudal1;
using counters::Bound;
using counters::factsOf;
using protocol::CounterSide;
using protocol::KernelCounters;
using protocol::KernelLaunch;
using protocol::KernelMetrics;

namespace {

const KernelLaunch wide{{16'384, 1, 1}, {256, 1, 1}, 32, 0, 0}; // full occupancy, 15.5 waves of 8 × 132

protocol::DeviceInfo h200()
{
    protocol::DeviceInfo device;
    device.name = "cuda:0";
    device.model = "NVIDIA H200";
    device.capability = "9.0";
    device.processors = 132;
    return device;
}

KernelCounters kernel(const char* name, double time_ns, KernelLaunch launch = wide)
{
    KernelCounters out;
    out.name = name;
    out.launch = launch;
    out.time_ns = time_ns;
    return out;
}

/// 480 MB in 200 us are 2.4 TB/s; 9.6 G operations in it are 20 a byte and 48 TFLOP/s.
KernelMetrics counted()
{
    KernelMetrics m;
    m.duration_ns = 200'000;
    m.dram_bytes = 480e6;
    m.l2_bytes = 960e6;
    m.fp32_ops = 6e9;
    m.tensor_ops = 3.6e9;
    m.occupancy = 0.5;
    m.dramUse = 0.5;
    m.l2Use = 0.4;
    m.fp32Use = 0.3;
    m.stalls = {{"long_scoreboard", 0.6}, {"barrier", 0.2}, {"selected", 0.15}, {"not_selected", 0.05}};
    return m;
}

} // namespace

class KernelFactsTest : public QObject {
    Q_OBJECT
private slots:
    void ratesOfWhatWasCounted()
    {
        CounterSide side{250'000, {kernel("k", 180'000)}, {}};
        side.kernels[0].measured = counted();
        const auto facts = factsOf(side, h200(), nullptr);
        const counters::KernelFacts& one = facts.kernels.at(0);
        QCOMPARE(*one.dram_rate, 2.4e12);
        QCOMPARE(*one.l2_rate, 4.8e12);
        QVERIFY(!one.l1_rate && !one.rateIsOfTensors);
        QCOMPARE(one.roof->intensity, 20.0);
        QCOMPARE(one.roof->rate, 48e12);
        QCOMPARE(one.share, 1.0);
        QVERIFY(facts.roofIsCounted);
        QCOMPARE(facts.roof->rate, 48e12);
        QCOMPARE(facts.kernels_ns, 180'000.0);
    }

    void theUnitThatIsUsedMostBinds()
    {
        CounterSide side{200'000, {kernel("k", 190'000)}, {}};
        KernelMetrics m = counted();
        m.dramUse = 0.78;
        side.kernels[0].measured = m;
        auto facts = factsOf(side, h200(), nullptr);
        QCOMPARE(int(facts.bound), int(Bound::Memory));
        QCOMPARE(facts.bottleneck, std::string("Memory-bound: k: 78 % of DRAM's bandwidth"));
        m.tensorUse = 0.9;
        side.kernels[0].measured = m;
        facts = factsOf(side, h200(), nullptr);
        QCOMPARE(facts.bottleneck, std::string("Bound by tensor cores: k: 90 % of the tensor cores"));
    }

    void whatUsesNothingWaits()
    {
        CounterSide side{200'000, {kernel("k", 190'000)}, {}};
        side.kernels[0].measured = counted();
        QCOMPARE(
            factsOf(side, h200(), nullptr).bottleneck,
            std::string("Latency-bound: k: warps spend 60 % of their time waiting for memory or the L2 cache; most "
                        "used is DRAM's bandwidth, to 50 %"));
        side.kernels[0].launch.grid = {24, 1, 1};
        QVERIFY(factsOf(side, h200(), nullptr)
                    .bottleneck.starts_with("Too little parallel work: k: 24 blocks for 132 multiprocessors; warps"));
    }

    void waitsLeaveOutWarpsThatAreReady()
    {
        const auto waits = counters::waitsOf(counted());
        QCOMPARE(waits.size(), std::size_t(2));
        QCOMPARE(waits[0].first, std::string("long_scoreboard"));
        QCOMPARE(waits[1].second, 0.2);
    }

    void aCallThatTheGpuWaitsInIsLaunchBound()
    {
        const CounterSide side{1'000'000, {kernel("a", 100'000), kernel("b", 50'000)}, {}};
        const auto facts = factsOf(side, h200(), nullptr);
        QCOMPARE(int(facts.bound), int(Bound::Launch));
        QCOMPARE(facts.bottleneck, std::string("Launch-bound: 2 kernels work 150 µs of 1.00 ms and the GPU waits for "
                                               "the CPU otherwise"));
    }

    void launchesAloneSayWhatTheyCan()
    {
        CounterSide side{200'000, {kernel("k", 190'000)}, {}};
        side.kernels[0].tensor_bytes = 684e6; // 3.6 TB/s, of 4.8
        auto facts = factsOf(side, h200(), nullptr);
        QVERIFY(facts.kernels[0].rateIsOfTensors);
        QCOMPARE(facts.bottleneck, std::string("Memory-bound: k: its tensors alone are 75 % of what memory moves in "
                                               "that time"));
        side.kernels[0].tensor_bytes = 0;
        side.kernels[0].launch = {{16, 32, 1}, {256, 1, 1}, 254, 0, 67'584};
        facts = factsOf(side, h200(), nullptr);
        QCOMPARE(int(facts.bound), int(Bound::Unknown));
        QCOMPARE(facts.bottleneck,
                 std::string("GPU work: k: at most 12 % of the warps fit, limited by registers, 254 a "
                             "thread"));
    }

    void theTasksCostsStandInForCounts()
    {
        costs::Costs costs;
        costs.flops.products = 19e9;
        costs.read_bytes = 190e6;
        costs.written_bytes = 38e6; // 47.5 us of 190 at 4.8 TB/s
        const auto facts = factsOf({200'000, {kernel("k", 190'000)}, {}}, h200(), &costs);
        QVERIFY(facts.roof && !facts.roofIsCounted);
        QCOMPARE(facts.roof->intensity, 19e9 / 228e6);
        QCOMPARE(facts.roof->rate, 1e14);
        QVERIFY(facts.bottleneck.ends_with("; the least that must move is 25 % of what memory moves in that time"));
    }

    void namesLoseTheirArguments()
    {
        QCOMPARE(counters::shortName("void f<int, (X)2>(float*, int)"), std::string("f<int, (X)2>"));
        QCOMPARE(counters::shortName("void at::native::(anonymous namespace)::g<4, at::native::Add<float>>(int)"),
                 std::string("g<4, Add<float>>"));
        QCOMPARE(counters::shortName("format::g(int)"), std::string("format::g"));
        QCOMPARE(counters::shortName("triton_mm_kernel"), std::string("triton_mm_kernel"));
        QCOMPARE(counters::shortName("abcdefghijklmnopqrstuvwxyz(int)", 10), std::string("abcdef…xyz"));
    }

    void changesAddUpToTheCalls()
    {
        // A: 100 us in gemm, 30 in relu (twice, as two rows), 20 beside; B: 60 in fused, 10 in relu, 5 beside.
        const CounterSide a{150'000,
                            {kernel("gemm", 100'000), kernel("relu", 20'000),
                             kernel("relu", 10'000, {{1, 1, 1}, {32, 1, 1}, 16, 0, 0})},
                            {}};
        const CounterSide b{75'000, {kernel("fused", 60'000), kernel("relu", 10'000)}, {}};
        const auto changes = counters::changesOf(a, b);
        QCOMPARE(changes.size(), std::size_t(4));
        QCOMPARE(changes[0].name, std::string("gemm"));
        QCOMPARE(changes[0].gained_ns(), 100'000.0);
        QCOMPARE(changes[0].share, 100.0 / 75);
        QCOMPARE(changes[1].name, std::string("fused"));
        QCOMPARE(changes[1].share, -60.0 / 75);
        QCOMPARE(changes[2].gained_ns(), 20'000.0);
        QCOMPARE(changes[2].aLaunches, 2.0);
        QCOMPARE(changes[3].name, std::string("(host and gaps)"));
        QCOMPARE(changes[3].gained_ns(), 15'000.0);
        double sum = 0;
        for (const auto& one : changes)
            sum += one.share;
        QVERIFY(std::abs(sum - 1) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(KernelFactsTest)
#include "tst_kernelfacts.moc"
