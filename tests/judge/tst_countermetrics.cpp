// SPDX-License-Identifier: GPL-3.0-or-later
// What NVIDIA's metrics say, which launch is whose, and that every metric exists on the chips we name, in few passes.
#include "core/judge/capture/chipmetrics.h"
#include "core/judge/supervisor/countermetrics.h"

#include <QTest>

#include <algorithm>

using namespace cudal1;
using judge::CountedLaunch;
using protocol::TimelineEvent;

namespace {

TimelineEvent kernel(const char* name, std::int64_t start_ns, std::uint64_t correlation, std::int64_t graph = 0)
{
    TimelineEvent out;
    out.track = 1;
    out.category = TimelineEvent::Category::Kernel;
    out.name = name;
    out.start_ns = start_ns;
    out.duration_ns = 10;
    out.correlation = correlation;
    out.graph = graph;
    return out;
}

/// Two calls of two kernels, of which one is launched twice in the second, and the later one first.
protocol::Timeline timeline()
{
    protocol::Timeline out;
    out.windows = {{0, 50, 90, 100}, {200, 250, 290, 300}};
    out.events = {kernel("a", 10, 1), kernel("b", 20, 2), kernel("a", 210, 12), kernel("b", 220, 11),
                  kernel("a", 230, 13)};
    return out;
}

CountedLaunch launch(const char* name, double duration_ns, double dramPercent)
{
    return {name,
            {{"gpu__time_duration.sum", duration_ns},
             {"dram__bytes.sum", 1000},
             {"dram__bytes.sum.pct_of_peak_sustained_elapsed", dramPercent}}};
}

} // namespace

class CounterMetricsTest : public QObject {
    Q_OBJECT
private slots:
    void metricsByName()
    {
        const auto m = judge::metricsOf({{"gpu__time_duration.sum", 5000},
                                         {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 10},
                                         {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 20},
                                         {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 100},
                                         {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 7},
                                         {"sm__ops_path_tensor_src_fp16.sum", 8},
                                         {"sm__warps_active.avg.pct_of_peak_sustained_active", 25},
                                         {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 3},
                                         {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1},
                                         {"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", 0}});
        QCOMPARE(*m.duration_ns, 5000.0);
        QCOMPARE(*m.fp32_ops, 230.0);
        QCOMPARE(*m.tensor_ops, 15.0);
        QCOMPARE(*m.occupancy, 0.25);
        QVERIFY(!m.dram_bytes && !m.dramUse);
        QCOMPARE(m.stalls, (std::map<std::string, double>{{"wait", 0.75}, {"selected", 0.25}}));
    }

    void launchesGoToTheirKernels()
    {
        QCOMPARE(judge::launchesOfLastCall(timeline()), std::size_t(3));
        QCOMPARE(judge::launchesOfLastCall({}), std::size_t(0));
        // Launched in the order b (11), a (12), a (13).
        auto side = protocol::launchedKernels(timeline());
        QVERIFY(judge::addCounts(side, timeline(), {launch("b", 100, 50), launch("a", 100, 10), launch("a", 300, 30)}));
        for (const protocol::KernelCounters& row : side.kernels) {
            QVERIFY(row.measured.has_value());
            if (row.name == "a") { // weighted by time: (100 × 10 + 300 × 30) / 400
                QCOMPARE(*row.measured->duration_ns, 400.0);
                QCOMPARE(*row.measured->dram_bytes, 2000.0);
                QCOMPARE(*row.measured->dramUse, 0.25);
            } else {
                QCOMPARE(*row.measured->dramUse, 0.5);
            }
        }
        QVERIFY(side.notes.empty());
    }

    void namesAreComparedWithoutTheirArguments()
    {
        auto recorded = timeline();
        for (TimelineEvent& event : recorded.events)
            event.name = "void " + event.name + "<(int)2>(float*)";
        auto side = protocol::launchedKernels(recorded);
        QVERIFY(judge::addCounts(side, recorded, {launch("b<2>", 1, 1), launch("a<2>", 1, 1), launch("a", 1, 1)}));
    }

    void whatDoesNotFitIsSaid()
    {
        auto side = protocol::launchedKernels(timeline());
        QVERIFY(!judge::addCounts(side, timeline(), {launch("", 1, 1)}));
        QCOMPARE(side.notes.back(),
                 std::string("The call launched 3 kernels while its times were recorded, and 1 kernel "
                             "while they were counted, so that nothing says which is which."));
        QVERIFY(!side.kernels[0].measured);
        QVERIFY(!judge::addCounts(side, timeline(), {launch("a", 1, 1), launch("b", 1, 1), launch("a", 1, 1)}));
        QCOMPARE(side.notes.back(), std::string("Launch 1 was of b while times were recorded, and of a while it was "
                                                "counted."));
    }

    void aGraphThatIsCountedAsOne()
    {
        protocol::Timeline graph;
        graph.windows = {{0, 50, 90, 100}};
        graph.events = {kernel("a", 10, 1), kernel("b", 20, 2, 7), kernel("c", 30, 2, 7)};
        auto side = protocol::launchedKernels(graph);
        QVERIFY(!judge::addCounts(side, graph, {launch("", 1, 1), launch("", 1, 1)}));
        QVERIFY(side.notes.back().starts_with("The profiler counts a CUDA graph as one piece"));
        QVERIFY(judge::addCounts(side, graph, {launch("", 1, 1), launch("", 1, 1), launch("", 1, 1)}));
    }

    void chipsHaveTheMetrics_data()
    {
        QTest::addColumn<int>("missing");
        // Each chip has the tensor cores' operations by one set of names, and no more than GH100 waits for them.
        QTest::newRow("GA100") << 4;
        QTest::newRow("AD102") << 3;
        QTest::newRow("GH100") << 3;
    }

    void chipsHaveTheMetrics()
    {
        QFETCH(int, missing);
        const std::string chip = QTest::currentDataTag();
        const std::vector<std::string>& all = judge::counterMetrics();
        const std::vector<std::string> there = judge::countableOn(chip, all);
        QStringList absent;
        for (const std::string& metric : all)
            if (std::find(there.begin(), there.end(), metric) == there.end())
                absent << QString::fromStdString(metric);
        QVERIFY2(absent.size() == missing, qPrintable(absent.join(' ')));
        for (const QString& metric : absent)
            QVERIFY2(metric.contains("tensor") || metric.contains("gmma"), qPrintable(metric));
        const std::size_t passes = judge::passesOn(chip, there);
        QVERIFY2(passes > 0 && passes <= 14, std::to_string(passes).c_str());
        QVERIFY(judge::countableOn(chip, {"nonsense__cycles.sum"}).empty());
        QCOMPARE(judge::passesOn(chip, {"nonsense__cycles.sum"}), std::size_t(0));
    }
};

QTEST_APPLESS_MAIN(CounterMetricsTest)
#include "tst_countermetrics.moc"
