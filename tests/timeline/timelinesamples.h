// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline with something in every field, for tests.
#pragma once

#include "core/protocol/timeline.h"

namespace cudal1::timeline::samples {

using protocol::TimelineEvent;
using protocol::TimelineTrack;
using Category = TimelineEvent::Category;
using Place = TimelineEvent::Place;

inline TimelineEvent eventOn(int track, Category category, const char* name, std::int64_t start_ns,
                             std::int64_t duration_ns, std::uint64_t correlation = 0)
{
    TimelineEvent out;
    out.track = track;
    out.category = category;
    out.name = name;
    out.start_ns = start_ns;
    out.duration_ns = duration_ns;
    out.correlation = correlation;
    return out;
}

inline TimelineEvent kernelOn(int track, const char* name, std::int64_t start_ns, std::int64_t duration_ns,
                              std::uint64_t correlation)
{
    TimelineEvent out = eventOn(track, Category::Kernel, name, start_ns, duration_ns, correlation);
    out.device = 0;
    out.stream = 7;
    out.launch = protocol::KernelLaunch{{16, 4, 1}, {128, 1, 1}, 40, 1024, 49152};
    return out;
}

/// Two windows of 100 us. On the device: 30 and 20 us in the first, of which 10 us overlap; 10 us in the second, which
/// end 5 us after the caller's stream; a kernel outside. On the host: linear (60 us) with addmm (40 us) inside.
inline protocol::Timeline gpu()
{
    protocol::Timeline out;
    out.device = "cuda:0";
    out.windows = {{0, 70'000, 90'500, 100'000}, {200'000, 260'000, 265'000, 300'000}};
    out.tracks = {{1, TimelineTrack::Kind::Operators, "thread 9 (python)", 9},
                  {2, TimelineTrack::Kind::Calls, "CUDA calls of thread 9", 9},
                  {3, TimelineTrack::Kind::Waits, "waits", 0},
                  {4, TimelineTrack::Kind::Stream, "stream 7", 0},
                  {5, TimelineTrack::Kind::Stream, "stream 7 (2)", 0},
                  {6, TimelineTrack::Kind::Copies, "copies and memsets", 0}};
    out.events.push_back(eventOn(1, Category::Operator, "aten::linear", 5'000, 60'000));
    out.events.back().detail = "[64, 256]";
    out.events.push_back(eventOn(1, Category::Operator, "aten::addmm", 10'000, 40'000));
    out.events.push_back(eventOn(1, Category::UserScope, "mine \"\\ü\n", 201'000, 1));
    out.events.push_back(eventOn(2, Category::Runtime, "cudaLaunchKernel", 12'000, 4'000, 11));
    out.events.push_back(eventOn(2, Category::Runtime, "cudaGraphLaunch", 20'000, 4'000, 12));
    out.events.push_back(eventOn(2, Category::Driver, "cuLaunchKernelEx", 202'000, 4'000, 13));
    out.events.push_back(eventOn(3, Category::Wait, "wait for the device", 70'000, 30'000));
    out.events.push_back(kernelOn(4, "gemm", 30'000, 30'000, 11));
    out.events.push_back(kernelOn(4, "gemm", 260'000, 10'000, 13));
    out.events.back().place = Place::BeyondStream;
    out.events.push_back(kernelOn(4, "late", 310'000, 5'000, 13));
    out.events.back().place = Place::Outside;
    out.events.back().launch->grid = {1, 1, 1};
    out.events.push_back(kernelOn(5, "relu", 50'000, 20'000, 12));
    out.events.back().graph = 3;
    out.events.back().graphNode = 12884901889;
    out.events.push_back(eventOn(6, Category::Copy, "copy", 80'000, 10'000, 12));
    out.events.back().bytes = 1 << 20;
    out.events.back().detail = "device to device";
    out.events.back().device = 0;
    out.events.back().stream = 7;
    out.events.push_back(eventOn(6, Category::Memset, "memset", -2'500, 1'000, 0));
    out.events.back().bytes = 64;
    out.events.back().place = Place::Outside;
    std::swap(out.events.back(), out.events[out.events.size() - 2]);
    out.threads = {{9, "python", 150'000, 0}, {10, "worker", 0, 7'000}};
    out.notes = {"CUPTI lost 3 records."};
    out.leftOut = 4;
    return out;
}

inline protocol::Timeline cpu()
{
    protocol::Timeline out;
    out.device = "cpu";
    out.windows = {{0, 1'000, -1, 1'000}};
    out.tracks = {{1, TimelineTrack::Kind::Operators, "thread 4", 4}};
    out.events = {eventOn(1, Category::Operator, "aten::relu", 100, 700)};
    return out;
}

inline protocol::TimelineAnswer answer()
{
    protocol::TimelineAnswer out;
    out.task = "3/41";
    out.candidateName = "fast.py";
    out.device.name = "cuda:0";
    out.device.model = "NVIDIA H200";
    out.environment.torch = "2.11.0";
    out.environment.isolationMissing = {"network"};
    out.precision = protocol::Precision::Tf32;
    out.seed = 77;
    out.recorded_ms = 1'700'000'000'123;
    out.reference = gpu();
    out.candidate = cpu();
    out.output = "hello\n";
    return out;
}

} // namespace cudal1::timeline::samples
