// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a timeline; expected ones follow from the times in timelinesamples.h by hand.
#include "core/timeline/timelinesummary.h"
#include "tests/timeline/timelinesamples.h"

#include <QTest>

#include <algorithm>

using namespace cudal1;
using timeline::samples::eventOn;
using timeline::samples::kernelOn;

namespace {

const timeline::EventTotal* rowOf(const std::vector<timeline::EventTotal>& rows, const std::string& name)
{
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
    return it == rows.end() ? nullptr : &*it;
}

} // namespace

class TestSummary : public QObject {
    Q_OBJECT
private slots:
    void anotherRatioThanTheJudgesIsExplained()
    {
        timeline::TimelineSummary reference, candidate;
        reference.calls = candidate.calls = 3;
        reference.call_ns = 100'000;
        candidate.call_ns = 120'000; // 0.83 times as fast
        const std::string text = timeline::besideJudgeText(reference, candidate, {1.45, 1.40, 1.50});
        QVERIFY2(text.find("give 0.83×, the judge 1.45× (1.40–1.50)") != std::string::npos &&
                     text.find("3 calls of each side") != std::string::npos &&
                     text.find("on a CPU") != std::string::npos,
                 text.c_str());
        QVERIFY(timeline::besideJudgeText(reference, candidate, {0.85, 0.80, 0.90}).empty()); // the interval holds it
        QVERIFY(timeline::besideJudgeText(reference, candidate, {}).empty());
        reference.device = candidate.device = true;
        QVERIFY(timeline::besideJudgeText(reference, candidate, {1.45, 1.40, 1.50}).find("CPU") == std::string::npos);
    }

    void aGpu()
    {
        const timeline::TimelineSummary summary = timeline::summarise(timeline::samples::gpu());
        QVERIFY(summary.device);
        QCOMPARE(summary.calls, std::size_t(2));
        QCOMPARE(summary.call_ns, 100'000.0);
        // First window: 30..60 and 50..70 and 80..90 cover 50 us, second: 10 us.
        QCOMPARE(summary.busy_ns, 30'000.0);
        // Idle: 0..30 us of the first, 200..260 of the second.
        QCOMPARE(summary.longestGap_ns, 45'000.0);
        // Only in the second window, from 265 to 270 us.
        QCOMPARE(summary.unseen_ns, 2'500.0);
        QCOMPARE(summary.beyondStream.count, std::int64_t(1));
        QCOMPARE(summary.beyondStream.first, std::string("gemm"));
        QCOMPARE(summary.outside.count, std::int64_t(2));
        QCOMPARE(summary.outside.total_ns, std::int64_t(6'000));
        QCOMPARE(summary.outside.first, std::string("memset"));
    }

    void deviceRows()
    {
        const timeline::TimelineSummary summary = timeline::summarise(timeline::samples::gpu());
        QCOMPARE(summary.deviceRows.size(), std::size_t(3)); // what ran outside is not part of a call
        const timeline::EventTotal& gemm = summary.deviceRows[0];
        QCOMPARE(gemm.name, std::string("gemm"));
        QCOMPARE(gemm.count, std::int64_t(2));
        QCOMPARE(gemm.total_ns, std::int64_t(40'000));
        QCOMPARE(gemm.share, 0.2);
        QVERIFY(gemm.oneLaunch && gemm.launch && gemm.launch->registers == 40 && gemm.launch->grid[1] == 4);
        const timeline::EventTotal* copy = rowOf(summary.deviceRows, "copy");
        QVERIFY(copy);
        QCOMPARE(copy->detail, std::string("device to device"));
        QCOMPARE(copy->moved.bytesPerSecond(), 1048576.0 / 10e-6);
    }

    void aKernelThatIsLaunchedInTwoWays()
    {
        protocol::Timeline one = timeline::samples::cpu();
        one.device = "cuda:0";
        one.windows = {{0, 10, 20, 100'000}};
        one.events = {kernelOn(1, "k", 100, 10, 1), kernelOn(1, "k", 200, 30, 2), kernelOn(1, "k", 300, 20, 3)};
        one.events[1].launch->grid = {9, 1, 1};
        const timeline::TimelineSummary summary = timeline::summarise(one);
        QVERIFY(!summary.deviceRows.at(0).oneLaunch);
        QCOMPARE(summary.deviceRows[0].launch->grid[0], 9); // of the longest
    }

    void operatorsCountWithoutWhatTheyCall()
    {
        const timeline::TimelineSummary summary = timeline::summarise(timeline::samples::gpu());
        const timeline::EventTotal* linear = rowOf(summary.operatorRows, "aten::linear");
        const timeline::EventTotal* addmm = rowOf(summary.operatorRows, "aten::addmm");
        QVERIFY(linear && addmm);
        QCOMPARE(linear->total_ns, std::int64_t(20'000));
        QCOMPARE(addmm->total_ns, std::int64_t(40'000));
        QCOMPARE(summary.operatorRows[0].name, std::string("aten::addmm"));
    }

    void siblingsAndGrandchildren()
    {
        using Category = protocol::TimelineEvent::Category;
        protocol::Timeline one = timeline::samples::cpu();
        // a holds b and d; b holds c; e follows a. On another thread f at the same time, not inside a.
        one.tracks.push_back({2, protocol::TimelineTrack::Kind::Operators, "thread 5", 5});
        one.events = {eventOn(1, Category::Operator, "a", 0, 100),  eventOn(1, Category::Operator, "b", 10, 40),
                      eventOn(1, Category::Operator, "c", 20, 10),  eventOn(1, Category::Operator, "d", 60, 20),
                      eventOn(1, Category::Operator, "e", 100, 50), eventOn(2, Category::Operator, "f", 20, 900)};
        const timeline::TimelineSummary summary = timeline::summarise(one);
        const std::pair<const char*, std::int64_t> expected[] = {{"a", 40}, {"b", 30}, {"c", 10},
                                                                 {"d", 20}, {"e", 50}, {"f", 900}};
        for (const auto& [name, own] : expected)
            QCOMPARE(rowOf(summary.operatorRows, name)->total_ns, own);
        QCOMPARE(summary.busy_ns, 920.0); // 0..150 and 20..920
        QCOMPARE(summary.longestGap_ns, 80.0);
    }

    void workAfterTheWindowIsNotBusyTime()
    {
        protocol::Timeline one = timeline::samples::cpu();
        one.events.push_back(eventOn(1, protocol::TimelineEvent::Category::Operator, "late", 5'000, 700));
        one.events.back().place = protocol::TimelineEvent::Place::Outside;
        const timeline::TimelineSummary summary = timeline::summarise(one);
        QCOMPARE(summary.busy_ns, 700.0);
        QCOMPARE(summary.longestGap_ns, 200.0);
        QVERIFY(!rowOf(summary.operatorRows, "late"));
        QCOMPARE(summary.outside.first, std::string("late"));
    }

    void nothingAtAll()
    {
        protocol::Timeline one = timeline::samples::cpu();
        one.events.clear();
        const timeline::TimelineSummary summary = timeline::summarise(one);
        QCOMPARE(summary.busy_ns, 0.0);
        QCOMPARE(summary.longestGap_ns, 1'000.0);
        QVERIFY(summary.operatorRows.empty() && summary.deviceRows.empty());
    }
};

QTEST_GUILESS_MAIN(TestSummary)
#include "tst_numbers.moc"
