// SPDX-License-Identifier: GPL-3.0-or-later
// Columns, rows, what is seen at a zoom, tables, search and gaps with their causes.
#include "core/timeline/blocks.h"
#include "core/timeline/eventtables.h"
#include "tests/timeline/timelinesamples.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace cudal1;
using namespace cudal1::timeline;
using samples::eventOn;
using samples::kernelOn;
using Cause = Gap::Cause;
using protocol::Timeline;
using protocol::TimelineTrack;
using samples::Category;
using samples::Place;

namespace {

/// A side with one window, operators, calls and a stream.
Timeline side(std::int64_t window_ns, std::vector<protocol::TimelineEvent> events)
{
    Timeline out;
    out.device = "cuda:0";
    out.windows = {{0, window_ns, window_ns, window_ns}};
    out.tracks = {{1, TimelineTrack::Kind::Operators, "host", 9},
                  {2, TimelineTrack::Kind::Calls, "calls", 9},
                  {3, TimelineTrack::Kind::Stream, "stream 7", 0}};
    out.events = std::move(events);
    return out;
}

Gap onlyGap(const Timeline& timeline, std::size_t which = 0)
{
    const auto model = modelOf(timeline);
    return which < model->gaps.size() ? model->gaps[which] : Gap();
}

const TableRow* rowNamed(const Model& model, const std::vector<TableRow>& rows, const char* name)
{
    const auto it = std::find_if(rows.begin(), rows.end(),
                                 [&](const TableRow& r) { return model.names[r.name] == name; });
    return it == rows.end() ? nullptr : &*it;
}

} // namespace

class TestModel : public QObject {
    Q_OBJECT
private slots:
    void columnsHoldEveryEvent();
    void crossingEventsGetRowsOfTheirOwn();
    void blocksAreTheEventsAtAnyZoom();
    void tableCountsAndShares();
    void ratesAreOfWhatIsKnown();
    void tableOfASpan();
    void eventsByName();
    void nearestOfARow();
    void gapsByCause();
    void gapsWithoutWindows();
    void gapsOfACpu();
};

void TestModel::columnsHoldEveryEvent()
{
    const Timeline timeline = samples::gpu();
    const auto model = modelOf(timeline);
    QCOMPARE(model->size(), timeline.events.size());
    QCOMPARE(model->before_ns.size(), timeline.events.size() + 1);
    std::int64_t total_ns = 0;
    for (const auto& event : timeline.events)
        total_ns += event.duration_ns;
    QCOMPARE(model->before_ns.back(), total_ns);
    QCOMPARE(model->misplacedBefore.back(), 3u);
    QCOMPARE(model->tracks.size(), std::size_t(6));
    // linear holds addmm: two rows.
    const Model::Track& operators = model->tracks[0];
    QCOMPARE(operators.lastRow - operators.firstRow, 2u);
    const EventIndex inner = model->rows[operators.firstRow + 1].first;
    QCOMPARE(model->nameOf(inner), std::string("aten::addmm"));
    QCOMPARE(model->first_ns, -2'500);
    QCOMPARE(model->last_ns, 315'000);
    QCOMPARE(model->notes, timeline.notes);
    for (EventIndex i = 0; i < model->size(); ++i)
        if (model->nameOf(i) == "late") {
            QCOMPARE(model->launchOf(i)->grid[0], 1);
            QCOMPARE(model->facts[i].stream, 7);
        }
}

void TestModel::crossingEventsGetRowsOfTheirOwn()
{
    ModelBuilder builder;
    const auto track = builder.addTrack(TimelineTrack::Kind::Operators, "t");
    const auto add = [&](std::int64_t begin, std::int64_t end) {
        ModelEvent event;
        event.track = track;
        event.begin_ns = begin;
        event.end_ns = end;
        builder.add(event);
    };
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
        const auto begin = std::int64_t(random() % 100'000);
        add(begin, begin + std::int64_t(random() % 200));
    }
    const auto model = builder.take({});
    QCOMPARE(model->size(), std::size_t(2000));
    QVERIFY(model->rows.size() > 2);
    for (const Model::Row& row : model->rows)
        for (EventIndex i = row.first + 1; i < row.last; ++i)
            QVERIFY(model->begin_ns[i] >= model->end_ns[i - 1]);
}

void TestModel::blocksAreTheEventsAtAnyZoom()
{
    ModelBuilder builder;
    const auto track = builder.addTrack(TimelineTrack::Kind::Stream, "s");
    std::mt19937 random(11);
    std::int64_t at = 0;
    for (int i = 0; i < 20'000; ++i) {
        at += std::int64_t(random() % 50);
        ModelEvent event;
        event.track = track;
        event.begin_ns = at;
        at = event.end_ns = at + std::int64_t(random() % (i % 500 == 0 ? 5000 : 40));
        event.place = i == 9999 ? Place::Outside : Place::Inside;
        builder.add(event);
    }
    const auto model = builder.take({});
    for (const double perPixel : {0.5, 3.0, 40.0, 900.0, 40'000.0}) {
        const Scale scale{perPixel < 100 ? 300'000.0 : 0.0, perPixel, 700};
        std::vector<EventBlock> blocks;
        blocksOf(*model, model->rows[0], scale, blocks);
        QVERIFY(!blocks.empty() && blocks.size() <= 700);
        int free = 0;
        bool misplacedSeen = false;
        std::vector<double> drawn(700);
        for (const EventBlock& block : blocks) {
            QVERIFY(block.left >= free && block.right > block.left && block.right <= 700);
            free = block.right;
            misplacedSeen = misplacedSeen || block.misplaced;
            for (int x = block.left; x < block.right; ++x)
                drawn[std::size_t(x)] += double(block.filled);
        }
        // Pixel by pixel against every event: what is drawn is never more than a pixel away from what is there.
        std::vector<double> real(702);
        bool misplacedThere = false;
        for (EventIndex i = 0; i < model->size(); ++i) {
            const double x0 = scale.x(double(model->begin_ns[i])), x1 = scale.x(double(model->end_ns[i]));
            if (x1 <= 0 || x0 >= 700)
                continue;
            misplacedThere = misplacedThere || model->place[i] == Place::Outside;
            for (int x = std::max(0, int(x0)); x < std::min(700.0, x1); ++x)
                real[std::size_t(x)] += std::min(x1, x + 1.0) - std::max(x0, double(x));
        }
        QCOMPARE(misplacedSeen, misplacedThere);
        double drawnSum = 0, realSum = 0;
        for (int x = 0; x < 700; ++x) {
            drawnSum += drawn[std::size_t(x)];
            realSum += real[std::size_t(x)];
            // Where nothing is drawn there is nothing but the ends of neighbours; where something is, something is
            // near.
            if (drawn[std::size_t(x)] == 0)
                QVERIFY2(real[std::size_t(x)] < 1.0, qPrintable(QString::number(x)));
            else
                QVERIFY(real[std::size_t(x)] + real[std::size_t(x + 1)] + (x ? real[std::size_t(x - 1)] : 0) > 0 ||
                        perPixel < 50); // events without duration are drawn too
        }
        QVERIFY2(std::abs(drawnSum - realSum) < 0.12 * 700,
                 qPrintable(QStringLiteral("%1: %2 %3").arg(perPixel).arg(drawnSum).arg(realSum)));
    }
}

void TestModel::tableCountsAndShares()
{
    const auto model = modelOf(samples::gpu());
    const auto rows = tableOf(*model);
    QCOMPARE(wholeOf(*model), 200'000);
    const TableRow* gemm = rowNamed(*model, rows, "gemm");
    QVERIFY(gemm);
    QCOMPARE(gemm->count, 2);
    QCOMPARE(gemm->total_ns, 40'000);
    QCOMPARE(gemm->share, 0.2);
    QVERIFY(gemm->oneLaunch && gemm->launch);
    QCOMPARE(model->launches[gemm->launch - 1].registers, 40);
    QVERIFY(!rowNamed(*model, rows, "late")); // outside the windows
    const TableRow* linear = rowNamed(*model, rows, "aten::linear");
    QCOMPARE(linear->total_ns, 20'000); // 60 us, of which 40 are addmm's
    QCOMPARE(rowNamed(*model, rows, "aten::addmm")->total_ns, 40'000);
    const TableRow* copy = rowNamed(*model, rows, "copy");
    QCOMPARE(model->names[copy->detail], std::string("device to device"));
    QCOMPARE(copy->moved.bytesPerSecond(), double(1 << 20) * 1e9 / 10'000);
    QVERIFY(std::is_sorted(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.total_ns > b.total_ns; }));
}

void TestModel::ratesAreOfWhatIsKnown()
{
    protocol::Timeline recorded = samples::gpu();
    recorded.events.clear();
    recorded.events.push_back(samples::kernelOn(4, "add", 20'000, 10'000, 11)); // from a graph: its bytes are not known
    for (const std::int64_t start : {40'000, 60'000}) {
        recorded.events.push_back(samples::kernelOn(4, "add", start, 10'000, 11));
        recorded.events.back().bytes = 1'000'000;
    }
    const auto model = modelOf(recorded);
    const auto all = tableOf(*model), half = tableOf(*model, Span{45'000, 55'000});
    const TableRow* add = rowNamed(*model, all, "add");
    QCOMPARE(add->count, 3);
    QCOMPARE(add->moved.bytes, 2'000'000);
    QCOMPARE(add->moved.bytesPerSecond(), 1e11);
    QCOMPARE(rowNamed(*model, half, "add")->moved.bytes, 500'000);
    QCOMPARE(rowNamed(*model, half, "add")->moved.bytesPerSecond(), 1e11);
}

void TestModel::tableOfASpan()
{
    const auto model = modelOf(samples::gpu());
    const auto rows = tableOf(*model, Span{40'000, 60'000});
    QCOMPARE(rowNamed(*model, rows, "gemm")->total_ns, 20'000);
    QCOMPARE(rowNamed(*model, rows, "gemm")->count, 1);
    QCOMPARE(rowNamed(*model, rows, "gemm")->share, 1.0);
    QCOMPARE(rowNamed(*model, rows, "relu")->total_ns, 10'000);
    QVERIFY(!rowNamed(*model, rows, "copy"));
    // Outside the windows a span counts what is there: that is what it was drawn for.
    QCOMPARE(rowNamed(*model, tableOf(*model, Span{305'000, 320'000}), "late")->total_ns, 5'000);
}

void TestModel::eventsByName()
{
    const auto model = modelOf(samples::gpu());
    int asked = 0;
    const auto found = eventsNamed(*model, [&](const std::string& name) {
        ++asked;
        return name == "gemm";
    });
    QCOMPARE(found.size(), std::size_t(2));
    QVERIFY(model->begin_ns[found[0]] < model->begin_ns[found[1]]);
    QCOMPARE(std::size_t(asked), model->names.size() - 1);
}

void TestModel::nearestOfARow()
{
    const auto model = modelOf(samples::gpu());
    const std::uint32_t stream = model->tracks[3].firstRow;
    QCOMPARE(model->begin_ns[model->nearest(stream, 40'000)], 30'000);
    QCOMPARE(model->begin_ns[model->nearest(stream, -5)], 30'000);
    QCOMPARE(model->begin_ns[model->nearest(stream, 250'000)], 260'000);
    QCOMPARE(model->begin_ns[model->nearest(stream, 100'000)], 30'000);
    QCOMPARE(model->begin_ns[model->nearest(stream, 999'000)], 310'000);
}

void TestModel::gapsByCause()
{
    // Nothing before the kernel at 50 us but a call that launches it, from 10 to 45 us.
    Gap gap = onlyGap(side(100'000, {eventOn(2, Category::Runtime, "cudaLaunchKernel", 10'000, 41'000, 5),
                                     kernelOn(3, "k", 50'000, 50'000, 5)}));
    QCOMPARE(int(gap.cause), int(Cause::Launching));
    QCOMPARE(gap.begin_ns, 0);
    QCOMPARE(gap.end_ns, 50'000);
    QCOMPARE(gap.share, 0.8);

    gap = onlyGap(side(100'000, {eventOn(2, Category::Runtime, "cudaStreamSynchronize", 0, 30'000, 4),
                                 eventOn(2, Category::Runtime, "cudaLaunchKernel", 45'000, 5'000, 5),
                                 kernelOn(3, "k", 50'000, 50'000, 5)}));
    QCOMPARE(int(gap.cause), int(Cause::Synchronisation));
    QCOMPARE(gap.share, 0.6);

    gap = onlyGap(side(100'000, {eventOn(2, Category::Runtime, "cudaMemcpyAsync", 0, 30'000, 4),
                                 eventOn(2, Category::Runtime, "cudaLaunchKernel", 45'000, 6'000, 5),
                                 kernelOn(3, "k", 50'000, 50'000, 5)}));
    QCOMPARE(int(gap.cause), int(Cause::Copy));
    gap = onlyGap(side(
        100'000, {eventOn(2, Category::Runtime, "cudaMalloc", 0, 30'000, 4), kernelOn(3, "k", 50'000, 50'000, 5)}));
    QCOMPARE(int(gap.cause), int(Cause::Allocation));

    // The operator's time outside its calls counts, once.
    gap = onlyGap(side(100'000, {eventOn(1, Category::Operator, "aten::add", 0, 48'000),
                                 eventOn(1, Category::Operator, "inner", 1'000, 40'000),
                                 eventOn(2, Category::Runtime, "cudaLaunchKernel", 40'000, 11'000, 5),
                                 kernelOn(3, "k", 50'000, 50'000, 5)}));
    QCOMPARE(int(gap.cause), int(Cause::Operator));
    QVERIFY(gap.share > 0.79 && gap.share < 0.81);
    gap = onlyGap(side(100'000, {kernelOn(3, "k", 50'000, 50'000, 5)}));
    QCOMPARE(int(gap.cause), int(Cause::Idle));
    QCOMPARE(gap.share, 1.0);

    // Launched before the gap began: the host is not to blame, whatever it did meanwhile.
    const Timeline queued = side(100'000,
                                 {eventOn(2, Category::Runtime, "cudaLaunchKernel", 0, 10'000, 5),
                                  eventOn(2, Category::Runtime, "cudaMalloc", 20'000, 30'000, 6),
                                  kernelOn(3, "first", 0, 20'000, 1), kernelOn(3, "second", 50'000, 40'000, 5)});
    gap = onlyGap(queued);
    QCOMPARE(int(gap.cause), int(Cause::Queued));
    QCOMPARE(gap.begin_ns, 20'000);
    gap = onlyGap(queued, 1);
    QCOMPARE(int(gap.cause), int(Cause::Ending));
    QCOMPARE(gap.begin_ns, 90'000);
    QCOMPARE(gap.end_ns, 100'000);

    const auto whole = modelOf(queued);
    const std::vector<GapTotal> totals = gapTotals(*whole);
    QCOMPARE(totals.size(), std::size_t(2));
    QCOMPARE(int(totals[0].cause), int(Cause::Queued));
    QCOMPARE(totals[0].total_ns, 30'000);
    QCOMPARE(totals[1].share, 0.1);
    QCOMPARE(gapTotalsText(*whole),
             std::string("40 % of the timed windows are gaps: device latency 30 % (1 gap), end of the call 10 % (1)"));
    Timeline bare = queued; // of another program: from the first kernel's begin at 0 to the last one's end at 90 us
    bare.windows.clear();
    QCOMPARE(gapTotalsText(*modelOf(bare)),
             std::string("33 % of the time from first to last work are gaps: device latency 33 % (1 gap)"));
    QVERIFY(sentence(*whole, whole->gaps[0]).find("before second") != std::string::npos);

    // Work beside other work is no gap, and windows are looked at one by one.
    const auto sample = modelOf(samples::gpu());
    QCOMPARE(sample->gaps.size(), std::size_t(5));
    QCOMPARE(sample->gaps[0].end_ns, 30'000);
    QCOMPARE(sample->gaps[1].begin_ns, 70'000);
    QCOMPARE(sample->gaps[2].begin_ns, 90'000);
    QCOMPARE(sample->gaps[3].begin_ns, 200'000);
    QCOMPARE(sample->gaps[4].begin_ns, 270'000);
}

void TestModel::gapsWithoutWindows()
{
    Timeline timeline = side(1, {kernelOn(3, "a", 10'000, 10'000, 1), kernelOn(3, "b", 30'000, 10'000, 2)});
    timeline.windows.clear();
    const auto model = modelOf(timeline);
    QCOMPARE(model->gaps.size(), std::size_t(1));
    QCOMPARE(model->gaps[0].begin_ns, 20'000);
    QCOMPARE(model->gaps[0].duration_ns(), 10'000);
}

void TestModel::gapsOfACpu()
{
    const auto model = modelOf(samples::cpu());
    QCOMPARE(model->gaps.size(), std::size_t(2));
    QCOMPARE(int(model->gaps[0].cause), int(Cause::Idle));
    QCOMPARE(model->gaps[0].duration_ns(), 100);
    QCOMPARE(int(model->gaps[1].cause), int(Cause::Ending));
    QCOMPARE(model->gaps[1].duration_ns(), 200);
}

QTEST_GUILESS_MAIN(TestModel)
#include "tst_model.moc"
