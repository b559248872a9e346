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

/// The row of copies and memsets that a record has which knows of them.
KernelCounters copies(double launches, double time_ns)
{
    KernelCounters out;
    out.name = counters::copiesName;
    out.launches = launches;
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
        CounterSide side{1'000'000, {kernel("a", 100'000), kernel("b", 50'000)}, {}};
        auto facts = factsOf(side, h200(), nullptr);
        QCOMPARE(int(facts.bound), int(Bound::Launch));
        QCOMPARE(facts.bottleneck,
                 std::string("Launch-bound: 2 kernels work 150 µs of 1.00 ms; otherwise the GPU copies or "
                             "waits for the CPU"));
        QVERIFY(!facts.copies_ns);
        side.kernels.push_back(copies(0, 0)); // it is known that there are none
        facts = factsOf(side, h200(), nullptr);
        QCOMPARE(facts.bottleneck, std::string("Launch-bound: 2 kernels work 150 µs of 1.00 ms and the GPU waits for "
                                               "the CPU otherwise"));
        side.kernels[0].launches = 12'299;
        QVERIFY(factsOf(side, h200(), nullptr).bottleneck.starts_with("Launch-bound: 12,300 kernels work"));
    }

    void copiesKeepTheGpuBusyToo()
    {
        CounterSide side{1'000'000, {kernel("k", 100'000), copies(2, 50'000)}, {}};
        auto facts = factsOf(side, h200(), nullptr);
        QCOMPARE(facts.kernels.size(), std::size_t(1)); // the row of copies is no kernel
        QCOMPARE(facts.kernels[0].share, 1.0);
        QCOMPARE(facts.kernels_ns, 100'000.0);
        QCOMPARE(*facts.copies_ns, 50'000.0);
        QCOMPARE(facts.busy_ns, 150'000.0);
        QCOMPARE(facts.bottleneck,
                 std::string("Launch-bound: 1 kernel and 2 copies or memsets work 150 µs of 1.00 ms and the GPU waits "
                             "for the CPU otherwise"));
        side.call_ns = 200'000;
        side.kernels[0].measured = counted();
        side.kernels[0].measured->dramUse = 0.78;
        facts = factsOf(side, h200(), nullptr);
        QCOMPARE(facts.bottleneck, std::string("Memory-bound (150 µs of 200 µs are kernels and copies): k: 78 % of "
                                               "DRAM's bandwidth"));
        side.kernels[1] = copies(1, 800'000);
        side.call_ns = 1'000'000;
        facts = factsOf(side, h200(), nullptr);
        QCOMPARE(int(facts.bound), int(Bound::Copies));
        QCOMPARE(facts.bottleneck, std::string("Bound by copies: 1 copy or memset in 800 µs, 1 kernel in 100 µs"));
        side.kernels.erase(side.kernels.begin()); // copies alone
        QCOMPARE(factsOf(side, h200(), nullptr).bottleneck,
                 std::string("Bound by copies (800 µs of 1.00 ms are copies): 1 copy or memset in 800 µs"));
        side.call_ns = 8'000'000;
        QCOMPARE(factsOf(side, h200(), nullptr).bottleneck,
                 std::string("Launch-bound: 1 copy or memset works 800 µs of 8.00 ms and the GPU waits for the CPU "
                             "otherwise"));
    }

    void kernelsSideBySideTakeNoLongerThanTheCall()
    {
        costs::Costs costs;
        costs.flops.products = 19e9;
        costs.read_bytes = 190e6;
        costs.written_bytes = 38e6;
        CounterSide side{100'000, {kernel("a", 120'000), kernel("b", 70'000)}, {"A note of the record."}};
        auto facts = factsOf(side, h200(), &costs);
        QCOMPARE(facts.kernels_ns, 190'000.0);
        QCOMPARE(facts.together_ns, 100'000.0);
        QCOMPARE(facts.busy_ns, 100'000.0);
        QCOMPARE(facts.roof->rate, 1.9e14); // 19 G in 100 us
        QVERIFY(facts.bottleneck.ends_with("; the least that must move is 48 % of what memory moves in that time"));
        QCOMPARE(facts.notes, (std::vector<std::string>{"A note of the record.",
                                                        "The times of kernels add up to 190 µs, more than the 100 µs "
                                                        "of the call: kernels ran side by side."}));
        for (KernelCounters& one : side.kernels)
            one.measured = counted(); // each 9.6 G operations in 200 us
        QCOMPARE(factsOf(side, h200(), nullptr).roof->rate, 192e12);
        side.call_ns = 180'000; // a little less than the sum, which may be of the recording
        QCOMPARE(factsOf(side, h200(), nullptr).notes.back(),
                 std::string("The times of kernels add up to 190 µs, more than the 180 µs of the call: some ran side "
                             "by side, or took longer while they were recorded."));
        side.call_ns = 190'000;
        QCOMPARE(factsOf(side, h200(), nullptr).notes.size(), std::size_t(1));
        side.kernels.push_back(copies(1, 60'000)); // beside the kernels
        QCOMPARE(factsOf(side, h200(), nullptr).notes.back(),
                 std::string("The times of kernels and copies add up to 250 µs, more than the 190 µs of the call: "
                             "kernels and copies ran side by side."));
        side.call_ns = 100'000;
        QVERIFY(factsOf(side, h200(), nullptr).notes.back().starts_with("The times of kernels add up to 190 µs,"));
    }

    void numbersHaveThreeDigitsAndNoPowers()
    {
        using counters::threeDigitsText;
        QCOMPARE(threeDigitsText(1707.4), std::string("1,710"));
        QCOMPARE(threeDigitsText(1'234'567), std::string("1,230,000"));
        QCOMPARE(threeDigitsText(999.6), std::string("1,000"));
        QCOMPARE(threeDigitsText(999.4), std::string("999"));
        QCOMPARE(threeDigitsText(17.07), std::string("17.1"));
        QCOMPARE(threeDigitsText(20), std::string("20"));
        QCOMPARE(threeDigitsText(0.125), std::string("0.125"));
        QCOMPARE(threeDigitsText(0.0000123), std::string("0.0000123"));
        QCOMPARE(threeDigitsText(0), std::string("0"));
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
        QCOMPARE(changes[3].name, std::string("(host, copies and gaps)")); // of which nothing is known
        QCOMPARE(changes[0].aCall_ns, 150'000.0);
        QCOMPARE(changes[3].bCall_ns, 75'000.0);
        QCOMPARE(changes[3].gained_ns(), 15'000.0);
        double sum = 0;
        for (const auto& one : changes)
            sum += one.share;
        QVERIFY(std::abs(sum - 1) < 1e-12);
    }

    void copiesHaveARowWhereBothSidesKnowOfThem()
    {
        const CounterSide a{100'000, {kernel("k", 40'000), copies(0, 0)}, {}},
            b{150'000, {kernel("k", 35'000), copies(2, 60'000)}, {}}, unknown{150'000, {kernel("k", 35'000)}, {}};
        auto changes = counters::changesOf(a, b);
        QCOMPARE(changes.size(), std::size_t(3));
        QCOMPARE(changes[0].name, std::string("(copies and memsets)")); // what differs most
        QCOMPARE(changes[0].gained_ns(), -60'000.0);
        QCOMPARE(changes[0].bLaunches, 2.0);
        QCOMPARE(changes[2].name, std::string("(host and gaps)"));
        QCOMPARE(changes[2].a_ns, 60'000.0);
        QCOMPARE(changes[2].b_ns, 55'000.0);
        QCOMPARE(counters::changesOf(a, a).size(), std::size_t(2)); // neither has any
        for (const auto& [left, right] : {std::pair(b, unknown), std::pair(unknown, b)}) {
            changes = counters::changesOf(left, right);
            QCOMPARE(changes.size(), std::size_t(2));
            QCOMPARE(changes[1].name, std::string("(host, copies and gaps)"));
            QCOMPARE(changes[1].a_ns, 115'000.0); // with them in it, on either side
            QCOMPARE(changes[1].b_ns, 115'000.0);
        }
    }

    void whatIsLeftOfACallIsNeverBelowNothing()
    {
        const CounterSide a{130'000, {kernel("k", 36'000), copies(0, 0)}, {}},
            b{22'000, {kernel("k", 30'000), kernel("m", 15'000), copies(0, 0)}, {}};
        const auto changes = counters::changesOf(a, b);
        QCOMPARE(changes.back().a_ns, 94'000.0);
        QCOMPARE(changes.back().b_ns, 0.0);
        QCOMPARE(changes.back().share, 94.0 / 108);
        QCOMPARE(changes.back().bCall_ns, 22'000.0);
        QCOMPARE(counters::changesOf(b, a).back().a_ns, 0.0);
    }
};

QTEST_APPLESS_MAIN(KernelFactsTest)
#include "tst_kernelfacts.moc"
