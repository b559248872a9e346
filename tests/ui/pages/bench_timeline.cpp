// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a timeline of 1,000,000 events while it is moved and zoomed, on the offscreen raster.
#include "ui/kit/theme.h"
#include "ui/timeline/timelineview.h"

#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <random>

#include <time.h>

using namespace cudal1;
using namespace cudal1::ui;
using Category = protocol::TimelineEvent::Category;
using Kind = protocol::TimelineTrack::Kind;

namespace {

constexpr int wantedEvents = 1'000'000;

/// Two sides: nested operators, calls, three streams and copies, with bursts and pauses.
timeline::Side side(const char* title, unsigned seed, int events)
{
    timeline::ModelBuilder builder;
    const std::uint32_t operators = builder.addTrack(Kind::Operators, "thread 1"),
                        calls = builder.addTrack(Kind::Calls, "CUDA calls");
    const std::uint32_t streams[] = {builder.addTrack(Kind::Stream, "stream 7"),
                                     builder.addTrack(Kind::Stream, "stream 13"),
                                     builder.addTrack(Kind::Stream, "stream 14")};
    const std::uint32_t copies = builder.addTrack(Kind::Copies, "copies");
    std::vector<std::uint32_t> names;
    for (int i = 0; i < 400; ++i)
        names.push_back(builder.name("void at::native::kernel_" + std::to_string(i) + "<float, 4>(int, float*)"));
    std::mt19937 random(seed);
    std::int64_t at = 0;
    std::uint64_t correlation = 0;
    const auto add = [&](std::uint32_t track, Category category, std::int64_t begin, std::int64_t length) {
        timeline::ModelEvent event;
        event.track = track;
        event.name = names[random() % names.size()];
        event.category = category;
        event.begin_ns = begin;
        event.end_ns = begin + length;
        event.facts.correlation = correlation;
        builder.add(event);
    };
    for (int made = 0; made < events; made += 6) {
        ++correlation;
        const auto length = std::int64_t(2000 + random() % 6000);
        add(operators, Category::Operator, at, length);
        add(operators, Category::Operator, at + 100, length - 300);
        add(operators, Category::Operator, at + 200, length - 600);
        add(calls, Category::Runtime, at + 400, length / 2);
        add(streams[random() % 3], Category::Kernel, at + length, std::int64_t(500 + random() % 3000));
        add(random() % 20 ? streams[random() % 3] : copies, random() % 20 ? Category::Kernel : Category::Copy,
            at + length + 4000, std::int64_t(300 + random() % 1500));
        at += length + std::int64_t(random() % 1000 + (random() % 3000 == 0 ? 5'000'000 : 0));
    }
    timeline::Model frame;
    frame.device = "cuda:0";
    for (int i = 0; i < 10; ++i)
        frame.windows.push_back(
            {at / 10 * i + at / 100, at / 10 * i + at / 30, at / 10 * i + at / 20, at / 10 * i + at / 20});
    return {title, builder.take(std::move(frame))};
}

struct Frames {
    std::vector<double> wall_ms, processor_ms;
};

double processor_ms()
{
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

/// The processor's time tells a busy machine from a slow program.
void report(const char* what, Frames frames)
{
    std::printf("%-34s %5zu frames", what, frames.wall_ms.size());
    for (auto [name, times] : {std::pair("", &frames.wall_ms), std::pair("processor ", &frames.processor_ms)}) {
        std::sort(times->begin(), times->end());
        std::printf(", %smedian %6.2f ms, 95th percentile %6.2f ms", name, (*times)[times->size() / 2],
                    (*times)[times->size() * 95 / 100]);
    }
    std::printf("\n");
}

} // namespace

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    Theme::instance().install(application);
    TimelineView view;
    view.resize(1800, 900);
    view.show();
    application.processEvents();
    view.setSides({side("reference", 1, wantedEvents / 2), side("variant", 2, wantedEvents / 2)});
    std::printf("%zu events, %d × %d pixels, scale %.1f\n",
                view.sides()[0].model->size() + view.sides()[1].model->size(), view.width(), view.height(),
                view.devicePixelRatioF());
    Frames all;
    const auto run = [&](const char* what, int frames, auto&& change) {
        Frames times;
        for (int i = 0; i < frames; ++i) {
            change(i);
            QElapsedTimer timer;
            timer.start();
            const double before_ms = processor_ms();
            view.viewport()->repaint();
            times.processor_ms.push_back(processor_ms() - before_ms);
            times.wall_ms.push_back(double(timer.nsecsElapsed()) / 1e6);
        }
        all.wall_ms.insert(all.wall_ms.end(), times.wall_ms.begin(), times.wall_ms.end());
        all.processor_ms.insert(all.processor_ms.end(), times.processor_ms.begin(), times.processor_ms.end());
        report(what, std::move(times));
    };
    run("zooming in from everything", 200,
        [&](int) { view.setRange(zoomed(view.range(), 0.93, view.limits().length_ns() * 0.37, view.limits())); });
    run("zooming out again", 200,
        [&](int) { view.setRange(zoomed(view.range(), 1 / 0.93, view.limits().length_ns() * 0.37, view.limits())); });
    for (const double part : {1.0, 0.1, 0.01, 0.001, 0.0001}) {
        view.setRange({0, view.limits().length_ns() * part});
        char what[64];
        std::snprintf(what, sizeof what, "moving, %g of everything", part);
        run(what, 100,
            [&](int) { view.setRange(moved(view.range(), view.range().length_ns() * 0.07, view.limits())); });
    }
    report("all", all);
    view.foldHostTracks();
    view.fitAll();
    run("host tracks folded, 1", 100,
        [&](int) { view.setRange(moved(view.range(), view.range().length_ns() * 0.07, view.limits())); });
    std::printf("The target is 16 ms at the 95th percentile.\n");
    return 0;
}
