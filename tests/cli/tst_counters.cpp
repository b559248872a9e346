// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 counters`: what is taken and kept, what is said of it, and where the time of one side went in the other.
#include "tests/cli/programfolder.h"
#include "tests/store/storesamples.h"
#include "tests/timeline/timelinesamples.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace cudal1;
using nlohmann::json;
using tests::Ran;

namespace {

const QByteArray gpu =
    R"j({"on":"describe","reply":{"devices":[{"name":"cuda:0","model":"NVIDIA H200","capability":"9.0","processors":132}]}})j"
    "\n";
const QByteArray counted =
    R"j({"on":"counters","reply":{"task":"3/41","candidate_name":"v","precision":"kernelbench","seed":1,"recorded_ms":1000,)j"
    R"j("device":{"name":"cuda:0","model":"NVIDIA H200","capability":"9.0","processors":132},"source":"cupti","tool":"CUPTI 13.0","reason":"",)j"
    R"j("reference":{"call_ns":250000,"notes":[],"kernels":[{"name":"gemm(int)","launches":1,"time_ns":200000,)j"
    R"j("launch":{"grid":[2112,1,1],"block":[256,1,1],"registers":128},"measured":{"duration_ns":200000,"dram_bytes":480000000,)j"
    R"j("fp32_ops":9600000000,"dram_use":0.75,"occupancy":0.2,"stalls":{"long_scoreboard":0.7,"selected":0.3}}}]},)j"
    R"j("candidate":{"call_ns":60000,"notes":[],"kernels":[{"name":"fused(int)","launches":2,"time_ns":50000,)j"
    R"j("launch":{"grid":[24,1,1],"block":[128,1,1],"registers":32},"measured":{"duration_ns":50000,"tensor_use":0.3}}]}}})j"
    "\n";

} // namespace

class TestCounters : public QObject, private tests::ProgramFolder {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        playLines(gpu + counted);
        QVERIFY(project()->putTask(store::samples::task()).ok());
        QVERIFY(*project()->addVariant(store::samples::variant("v = 1")) == base::VariantId{1});
    }

    void takenCountersAreKept()
    {
        const Ran nothing = cudal1({"counters", "1"});
        QVERIFY2(nothing.status == 2 && nothing.err.contains("counters 1 --capture"), nothing.err);
        const Ran ran = cudal1({"counters", "1", "--capture", "--device", "cuda:0"});
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(ran.out.contains("20 % of 25 %") && ran.out.contains("at most ") && ran.out.contains("(host, copies"),
                 ran.out);
        QVERIFY2(ran.out.contains("Counted by CUPTI 13.0 in one call.") &&
                     ran.out.contains("Memory-bound (200 µs of 250 µs are kernels): gemm: 75 % of DRAM's bandwidth.") &&
                     ran.out.contains("are kernels): fused: 24 blocks for 132 multiprocessors"),
                 ran.out);
        QCOMPARE(asked("counters"), 1);
        QCOMPARE(project()->counters({"3/41"}, {1})->size(), std::size_t(1));
        QCOMPARE(cudal1({"counters", "1"}).out, ran.out); // from the project
        const Ran shown = cudal1({"show", "1"});
        QVERIFY2(shown.out.contains("Bottleneck\n  Too little parallel work"), shown.out);
        QCOMPARE(asked("counters"), 1);
    }

    void allOfItIsJson()
    {
        const Ran ran = cudal1({"counters", "1", "--capture", "--device", "cuda:0", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        const json got = ran.parsed();
        QVERIFY(got["task"] == json("3/41") && got["variant"] == json(1));
        const json &reference = got["baseline"], &own = got["own"];
        QVERIFY(reference["source"] == json("cupti") && reference["bound"] == json("memory"));
        const json& gemm = reference["kernels"][0];
        QCOMPARE(gemm["counted"]["dram_use"].get<double>(), 0.75);
        QCOMPARE(gemm["dram_bytes_per_s"].get<double>(), 2.4e12);
        QCOMPARE(gemm["roofline"]["ops_per_byte"].get<double>(), 20.0);
        // 128 × 32 registers are 4,096 a warp: 16 warps, two blocks of 8, a quarter of 64.
        QVERIFY(gemm["occupancy"]["most"] == json(0.25) && gemm["occupancy"]["limiter"] == json("registers"));
        QVERIFY(own["bound"] == json("grid") && own["roofline"].is_null());
        // 190 us are gained: 200 of gemm, less 50 of fused, and 40 of the 50 beside.
        QCOMPARE(got["changes"].size(), std::size_t(3));
        QCOMPARE(got["changes"][0]["gained_ns"].get<double>(), 200'000.0);
        QCOMPARE(got["changes"][2]["gained_ns"].get<double>(), 40'000.0);
        QCOMPARE(got["changes"][1]["share_of_gain"].get<double>(), -50.0 / 190);
        QVERIFY(got["ncu_command"].get<std::string>().find("-k 'fused'") != std::string::npos);
    }

    void kernelsSideBySideAreTold()
    {
        protocol::Counters counters;
        counters.device.model = "NVIDIA H200";
        counters.device.capability = "9.0";
        counters.device.processors = 132;
        counters.source = protocol::CounterSource::Cupti;
        // 128 × 32 registers are 4,096 a warp: a quarter of the warps fit, and nobody counted those that were there.
        protocol::KernelCounters kernel{"gemm(int)", {{2112, 1, 1}, {256, 1, 1}, 128, 0, 0}, 2, 200'000, 0, {}};
        kernel.measured.emplace();
        kernel.measured->duration_ns = 200'000;
        kernel.measured->dram_bytes = 1e6;
        kernel.measured->fp32_ops = 1707e6;
        counters.reference = {250'000, {kernel}, {}};
        counters.candidate = protocol::CounterSide{100'000, {kernel}, {}};
        QVERIFY(project()->putCounters({"3/41"}, {1}, counters).ok());
        const Ran ran = cudal1({"counters", "1"});
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(
            ran.out.contains("100 µs a call as recorded, 200 µs in kernels (added up)\n") &&
                ran.out.contains("The times of kernels add up to 200 µs, more than the 100 µs of the call: kernels "
                                 "ran side by side."),
            ran.out);
        const qsizetype left = ran.out.indexOf("(host, copies and gaps)"), call = ran.out.indexOf("\ncall ");
        QVERIFY2(left > 0 && ran.out.mid(left, call - left).simplified() ==
                                 "(host, copies and gaps) 50.0 µs 0 ns -50.0 µs 33 %",
                 ran.out);
        QVERIFY2(ran.out.mid(call).simplified().startsWith("call 250 µs 100 µs -150 µs 100 %"), ran.out);
        QVERIFY2(ran.out.contains("1,710 operations a byte, 8.54 TFLOP/s") &&   // 1,707 M in 200 us
                     ran.out.contains("1,710 operations a byte, 17.1 TFLOP/s"), // and in the 100 of the call
                 ran.out);
        QVERIFY2(ran.out.contains("at most 25 %"), ran.out);
    }

    void copiesOfATimelineAreTold()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        answer.candidate = answer.reference;
        QVERIFY(project()->addTimeline({"3/41"}, {1}, answer).ok());
        const Ran ran = cudal1({"counters", "1"});
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(ran.out.contains("100 µs a call as recorded, 30.0 µs in kernels, 5.00 µs in copies and memsets\n") &&
                     ran.out.contains("Launch-bound: 2 kernels and 1 copy or memset work 35.0 µs of 100 µs and the GPU "
                                      "waits for the CPU otherwise."),
                 ran.out);
        QVERIFY2(ran.out.contains("\n(copies and memsets)") && ran.out.contains("\n(host and gaps)"), ran.out);
        QVERIFY2(ran.out.contains("-k 'gemm'"), ran.out);
    }

    void anotherVariantMayBeTheBaseline()
    {
        QVERIFY(*project()->addVariant(store::samples::variant("w = 1")) == base::VariantId{2});
        for (const char* variant : {"1", "2"})
            QCOMPARE(cudal1({"counters", variant, "--capture", "--device", "cuda:0"}).status, 0);
        const Ran ran = cudal1({"counters", "1", "--against", "2", "--json"});
        QVERIFY2(ran.status == 0, ran.err);
        QCOMPARE(ran.parsed()["baseline"]["name"].get<std::string>(), std::string("variant 2"));
        QCOMPARE(ran.parsed()["changes"][0]["gained_ns"].get<double>(), 0.0); // they are the same
        const Ran reference = cudal1({"counters", "3/41"});
        QVERIFY2(reference.status != 0 && reference.err.contains("--capture"), reference.err); // taken of it alone
    }

    void whatIsWrongIsSaid()
    {
        const Ran means = cudal1({"counters", "1", "--capture", "--by", "guess", "--device", "cuda:0"});
        QVERIFY2(means.status == 2 && means.err.contains("--by is cupti, ncu or static"), means.err);
        const Ran other = cudal1({"counters", "1", "--against", "9"});
        QVERIFY2(other.status == 2, other.err);
        QCOMPARE(asked("counters"), 0);
    }
};

QTEST_GUILESS_MAIN(TestCounters)
#include "tst_counters.moc"
