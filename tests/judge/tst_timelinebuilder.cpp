// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines from made-up records: the judge's own work goes, rows never cross, what lies outside is marked and stays.
#include "core/judge/capture/timelinebuilder.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace cudal1;
using judge::ActivityRecord;
using protocol::TimelineEvent;
using protocol::TimelineTrack;
using Category = TimelineEvent::Category;
using Kind = ActivityRecord::Kind;
using Place = TimelineEvent::Place;

namespace {

constexpr std::int64_t origin = 5'000'000'000; // host time of the first window
constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t judgeThread = 100;

/// Two windows of 1 ms, at 0 and 2 ms; the judge at work before, between and after. CUPTI's clock is 7 s ahead.
judge::RecordedTimeline recording(const std::string& device = "cuda:0")
{
    judge::RecordedTimeline out;
    out.device = device;
    out.judgeThread = judgeThread;
    out.windows = {{origin, origin + ms / 2, origin + ms, origin + 2 * ms},
                   {origin + 2 * ms, origin + 2 * ms + ms / 2, origin + 3 * ms, origin + 5 * ms}};
    out.judgeWork = {{origin - ms, origin},
                     {origin + ms / 2, origin + ms / 2 + 10'000},
                     {origin + ms, origin + 2 * ms},
                     {origin + 2 * ms + ms / 2, origin + 2 * ms + ms / 2 + 10'000},
                     {origin + 4 * ms + ms / 2, origin + 5 * ms}};
    out.begin = {origin - 10 * ms, std::uint64_t(origin - 10 * ms) + 7'000'000'000};
    out.end = {origin + 10 * ms, std::uint64_t(origin + 10 * ms) + 7'000'000'000};
    return out;
}

judge::OperatorRecord op(const char* name, std::int64_t start, std::int64_t end, std::int64_t thread = judgeThread)
{
    return {origin + start, origin + end, thread, false, name, "", 0};
}

/// Times after the first window's start.
ActivityRecord record(Kind kind, const char* name, std::int64_t start, std::int64_t end, std::uint32_t correlation,
                      std::uint32_t owner)
{
    ActivityRecord out;
    out.kind = kind;
    out.name = name;
    out.start_ns = std::uint64_t(origin + start) + 7'000'000'000;
    out.end_ns = std::uint64_t(origin + end) + 7'000'000'000;
    out.correlation = correlation;
    (kind == Kind::Runtime || kind == Kind::Driver ? out.thread : out.stream) = owner;
    return out;
}

protocol::Timeline built(judge::RecordedTimeline recorded)
{
    std::sort(recorded.activity.begin(), recorded.activity.end(),
              [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    protocol::Timeline out = judge::buildTimeline(std::move(recorded));
    const std::string problem = protocol::problemOf(out);
    if (!problem.empty())
        qFatal("%s", problem.c_str());
    return out;
}

const TimelineEvent* find(const protocol::Timeline& timeline, const std::string& name)
{
    const auto it = std::find_if(timeline.events.begin(), timeline.events.end(),
                                 [&](const auto& event) { return event.name == name; });
    return it == timeline.events.end() ? nullptr : &*it;
}

const TimelineTrack& trackOf(const protocol::Timeline& timeline, const TimelineEvent& event)
{
    return timeline.tracks.at(std::size_t(event.track - 1));
}

} // namespace

class TestTimelineBuilder : public QObject {
    Q_OBJECT
private slots:
    void timesAreThoseOfTheFirstWindow()
    {
        auto in = recording();
        in.operators = {op("aten::mm", 1'000, 3'000)};
        in.activity = {record(Kind::Runtime, "cudaLaunchKernel", 1'500, 4'500, 1, judgeThread),
                       record(Kind::Kernel, "gemm", 10'000, 60'000, 1, 7)};
        const auto out = built(in);
        QCOMPARE(out.windows.size(), std::size_t(2));
        QCOMPARE(out.windows[1].start_ns, 2 * ms);
        QCOMPARE(out.windows[1].duration_ns(), ms);
        QCOMPARE(find(out, "aten::mm")->start_ns, std::int64_t(1'000));
        // Two clocks and a straight line between them: exact to the rounding of a double.
        QVERIFY(std::abs(find(out, "gemm")->start_ns - 10'000) <= 2);
        QVERIFY(std::abs(find(out, "gemm")->duration_ns - 50'000) <= 2);
        QVERIFY(find(out, "gemm")->place == Place::Inside);
        QCOMPARE(find(out, "gemm")->correlation, std::uint64_t(1));
        QCOMPARE(trackOf(out, *find(out, "gemm")).name, std::string("stream 7"));
        QVERIFY(trackOf(out, *find(out, "cudaLaunchKernel")).kind == TimelineTrack::Kind::Calls);
        QCOMPARE(trackOf(out, *find(out, "aten::mm")).thread, judgeThread);
    }

    void anElementwiseKernelMovesWhatItsOperatorHas()
    {
        const std::string vectorized = "void at::native::vectorized_elementwise_kernel<4, at::native::relu>(int)";
        const std::string reduction = "void at::native::reduce_kernel<512, 1>(at::native::ReduceOp)";
        auto in = recording();
        in.operators = {op("aten::relu", 1'000, 20'000),      op("aten::clamp_min", 4'000, 15'000),
                        op("aten::sum", 30'000, 60'000),      op("aten::mm", 70'000, 80'000),
                        op("aten::add", 70'000, 90'000, 200), op("aten::square", 210'000, 230'000),
                        op("aten::pow", 212'000, 228'000)};
        for (std::size_t i = 0; i < in.operators.size(); ++i)
            in.operators[i].moved_bytes = std::int64_t(1) << i;
        const auto launch = [&](std::int64_t at, std::uint32_t correlation, std::uint32_t thread,
                                const std::string& kernel) {
            in.activity.push_back(record(Kind::Runtime, "cudaLaunchKernel", at, at + 2'000, correlation, thread));
            in.activity.push_back(record(Kind::Kernel, (kernel + std::to_string(correlation)).c_str(), at + 100'000,
                                         at + 101'000, correlation, 7));
        };
        launch(5'000, 1, judgeThread, vectorized);
        launch(16'000, 2, judgeThread, vectorized); // relu's own: one of the two has written what is not its result
        launch(32'000, 3, judgeThread, reduction);  // two of one operator: which has moved what is not known
        launch(40'000, 4, judgeThread, reduction);
        launch(72'000, 5, judgeThread, "sm90_gemm"); // reads its operands as often as it likes
        launch(73'000, 6, 200, vectorized);
        launch(95'000, 7, 200, vectorized);           // in no operator
        launch(78'500, 8, 300, vectorized);           // of a thread without operators
        launch(215'000, 10, judgeThread, vectorized); // pow's, which square calls
        auto graph = record(Kind::Kernel, "void at::native::vectorized_elementwise_kernel<4>9", 300'000, 310'000, 9, 7);
        graph.graph = 3;
        in.operators.push_back(op("replay", 240'000, 260'000));
        in.operators.back().moved_bytes = 1'000;
        in.activity.push_back(record(Kind::Runtime, "cudaGraphLaunch", 241'000, 245'000, 9, judgeThread));
        in.activity.push_back(graph);
        const auto out = built(in);
        std::map<std::uint64_t, std::int64_t> bytes;
        for (const TimelineEvent& event : out.events)
            if (event.category == Category::Kernel)
                bytes.emplace(event.correlation, event.bytes);
        const std::map<std::uint64_t, std::int64_t> expected = {{1, 2},  {2, 0}, {3, 0}, {4, 0}, {5, 0},
                                                                {6, 16}, {7, 0}, {8, 0}, {9, 0}, {10, 64}};
        QCOMPARE(bytes, expected);
    }

    void clocksThatDriftApart()
    {
        auto in = recording();
        in.end.activity_ns += 20'000; // 20 us in 20 ms
        in.activity = {record(Kind::Kernel, "late one", 5 * ms - 100'000, 5 * ms - 50'000, 1, 7)};
        const auto out = built(in);
        // 15 of the 20 ms are over by then, so 15 of the 20 us.
        QVERIFY(std::abs(find(out, "late one")->start_ns - (5 * ms - 115'000)) < 200);
    }

    void theJudgesOwnWorkGoes()
    {
        auto in = recording();
        in.activity = {record(Kind::Runtime, "cudaMemsetAsync", 1 * ms + 100'000, 1 * ms + 110'000, 1, judgeThread),
                       record(Kind::Memset, "flush", 1 * ms + 120'000, 1 * ms + 400'000, 1, 7),
                       record(Kind::Runtime, "cudaLaunchKernel", 1 * ms + 100'000, 1 * ms + 110'000, 2, 200),
                       record(Kind::Kernel, "sneaky", 1 * ms + 120'000, 1 * ms + 400'000, 2, 8)};
        const auto out = built(in);
        QVERIFY(!find(out, "flush") && !find(out, "cudaMemsetAsync"));
        QVERIFY(find(out, "sneaky")); // the same moment, another thread: the module's
        QVERIFY(find(out, "sneaky")->place == Place::Outside);
        QVERIFY(find(out, "cudaLaunchKernel")->place == Place::Outside);
    }

    void theMarkerShowsWhenTheStreamWasDone()
    {
        auto in = recording();
        in.activity = {record(Kind::Runtime, "cudaLaunchKernel", 1'000, 5'000, 1, judgeThread),
                       record(Kind::Kernel, "mine", 20'000, 600'000, 1, 7),
                       record(Kind::Runtime, "cudaLaunchKernel", 6'000, 9'000, 2, judgeThread),
                       record(Kind::Kernel, "side", 30'000, 900'000, 2, 8),
                       record(Kind::Runtime, "cudaMemsetAsync", ms / 2 + 1'000, ms / 2 + 5'000, 3, judgeThread),
                       record(Kind::Memset, "marker", 601'000, 603'000, 3, 7)};
        const auto out = built(in);
        QVERIFY(!find(out, "marker"));
        QVERIFY(std::abs(out.windows[0].streamDone_ns - 603'000) <= 2);
        QCOMPARE(out.windows[1].streamDone_ns, std::int64_t(-1));
        QVERIFY(find(out, "mine")->place == Place::Inside);
        QVERIFY(find(out, "side")->place == Place::BeyondStream);
    }

    void aSideStreamThatJoinsIsInside()
    {
        auto in = recording();
        in.activity = {record(Kind::Kernel, "side", 30'000, 600'000, 2, 8),
                       record(Kind::Runtime, "cudaMemsetAsync", ms / 2 + 1'000, ms / 2 + 5'000, 3, judgeThread),
                       record(Kind::Memset, "marker", 601'000, 603'000, 3, 7)};
        QVERIFY(find(built(in), "side")->place == Place::Inside);
    }

    void whatRunsWhileTheJudgeWaitsIsOutside()
    {
        auto in = recording("cpu");
        in.operators = {op("inside", 100, 200), op("crosses the end", ms - 100, ms + 10'000, 7),
                        op("late", 4 * ms, 4 * ms + 100, 7), op("before all", -2 * ms, -ms),
                        op("after all", 6 * ms, 7 * ms)};
        const auto out = built(in);
        QVERIFY(find(out, "inside")->place == Place::Inside);
        QVERIFY(find(out, "crosses the end")->place == Place::Outside);
        QVERIFY(find(out, "late")->place == Place::Outside);
        QVERIFY(!find(out, "before all") && !find(out, "after all"));
    }

    void driverCallsInsideRuntimeCallsAreFolded()
    {
        auto in = recording();
        in.activity = {
            record(Kind::Runtime, "cudaLaunchKernel", 1'000, 9'000, 10, judgeThread),
            record(Kind::Driver, "cuLaunchKernel", 2'000, 8'000, 11, judgeThread),
            record(Kind::Kernel, "inner", 20'000, 30'000, 11, 7),
            record(Kind::Driver, "cuLaunchKernelEx", 12'000, 15'000, 12, judgeThread), // of a generated kernel
            record(Kind::Kernel, "generated", 40'000, 50'000, 12, 7)};
        const auto out = built(in);
        QVERIFY(!find(out, "cuLaunchKernel"));
        QCOMPARE(find(out, "inner")->correlation, std::uint64_t(10));
        QVERIFY(find(out, "cuLaunchKernelEx")->category == Category::Driver);
        QCOMPARE(find(out, "generated")->correlation, std::uint64_t(12));
    }

    void shortQueriesAreLeftOut()
    {
        auto in = recording();
        in.activity = {record(Kind::Runtime, "cudaGetDevice", 1'000, 1'300, 1, judgeThread),
                       record(Kind::Runtime, "cudaMalloc", 2'000, 90'000, 2, judgeThread),
                       record(Kind::Runtime, "cudaLaunchKernel", 91'000, 91'400, 3, judgeThread),
                       record(Kind::Kernel, "k", 95'000, 96'000, 3, 7)};
        const auto out = built(in);
        QVERIFY(!find(out, "cudaGetDevice"));
        QVERIFY(find(out, "cudaMalloc") && find(out, "cudaLaunchKernel"));
    }

    void rowsNeverCross()
    {
        auto in = recording();
        // Nodes of a graph are reported on one stream and run beside each other.
        in.activity = {record(Kind::Kernel, "a", 0, 100'000, 1, 7), record(Kind::Kernel, "b", 50'000, 150'000, 1, 7),
                       record(Kind::Kernel, "c", 60'000, 70'000, 1, 7),
                       record(Kind::Kernel, "d", 100'000, 120'000, 1, 7)};
        in.operators = {op("outer", 0, 1'000), op("inner", 100, 900), op("next", 1'000, 2'000),
                        op("other", 500, 1'500, 7)};
        const auto out = built(in);
        const auto row = [&](const char* name) { return find(out, name)->track; };
        QVERIFY(row("a") != row("b") && row("a") != row("c") && row("b") != row("c"));
        QCOMPARE(row("d"), row("a"));
        QCOMPARE(trackOf(out, *find(out, "b")).name, std::string("stream 7 (2)"));
        QCOMPARE(row("outer"), row("inner"));
        QCOMPARE(row("outer"), row("next"));
        QVERIFY(row("other") != row("outer"));
        QCOMPARE(row("outer"), 1); // the thread that runs forward comes first
        std::pair<int, std::int64_t> last{0, 0};
        for (const TimelineEvent& event : out.events) {
            QVERIFY(last <= std::pair(event.track, event.start_ns));
            last = {event.track, event.start_ns};
        }
    }

    void wholeCallsAreKeptWhileThereIsRoom()
    {
        auto in = recording("cpu");
        for (int call = 0; call < 2; ++call)
            for (int i = 0; i < 550; ++i)
                in.operators.push_back(op("aten::add", call * 2 * ms + i * 1'000, call * 2 * ms + i * 1'000 + 500));
        in.operators.push_back(op("late", 4 * ms, 4 * ms + 10, 7));
        in.maxEvents = 560;
        const auto out = built(in);
        QCOMPARE(out.windows.size(), std::size_t(1));
        QCOMPARE(out.events.size(), std::size_t(551));
        QCOMPARE(out.leftOut, std::int64_t(550));
        QVERIFY(find(out, "late") && find(out, "late")->place == Place::Outside);
        QCOMPARE(out.notes.at(0), std::string("550 of 1,101 events are left out: those of the last call."));
    }

    void ofALongCallTheShortestGo()
    {
        auto in = recording("cpu");
        in.operators.push_back(op("late", 4 * ms, 4 * ms + 10, 7));
        in.operators.push_back(op("aten::gru", 0, 900'000));
        for (int i = 0; i < 100; ++i)
            in.operators.push_back(
                op(i % 2 ? "aten::addmm" : "aten::slice", i * 8'000, i * 8'000 + (i % 2 ? 7'000 : 100)));
        in.maxEvents = 52;
        const auto out = built(in);
        QCOMPARE(out.events.size(), std::size_t(52));
        QVERIFY(find(out, "late")); // a flood does not hide it, however short it is
        QVERIFY(find(out, "aten::gru"));
        QVERIFY(!find(out, "aten::slice"));
        QCOMPARE(std::count_if(out.events.begin(), out.events.end(),
                               [](const auto& event) { return event.name == "aten::addmm"; }),
                 std::ptrdiff_t(50));
        QVERIFY(out.notes.at(0).find("the shortest") != std::string::npos);
    }

    void veryLongNamesAreCut()
    {
        auto in = recording();
        in.activity = {record(Kind::Kernel, std::string(5'000, 'x').c_str(), 0, 100, 1, 7)};
        QVERIFY(built(in).events.at(0).name.size() < 600);
    }

    void recordsWithoutTimesAreNotShown()
    {
        auto in = recording();
        in.activity = {record(Kind::Kernel, "k", 10, 20, 1, 7)};
        in.activity[0].start_ns = in.activity[0].end_ns = 0;
        QVERIFY(built(in).events.empty());
    }
};

QTEST_GUILESS_MAIN(TestTimelineBuilder)
#include "tst_timelinebuilder.moc"
