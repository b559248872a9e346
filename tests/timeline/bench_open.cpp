// SPDX-License-Identifier: GPL-3.0-or-later
// How long a trace of 500 MB, as torch.profiler writes them, takes to open.
//
//   bench_open [FILE.json]   a file of your own instead of the generated one
#include "core/timeline/traceimport.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

using namespace cudal1::timeline;
namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t wanted_bytes = 500'000'000;

/// Operators with shapes, calls that launch, kernels and copies, in the words of torch.profiler.
bool generate(const fs::path& path)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(path.c_str(), "wb"), &std::fclose);
    if (!out)
        return false;
    std::uintmax_t written = static_cast<std::uintmax_t>(
        std::fprintf(out.get(), "{\"schemaVersion\": 1, \"traceEvents\": [\n"));
    long long ns = 1'700'000'000'000'000'123;
    for (unsigned long i = 0; written < wanted_bytes; ++i) {
        ns += 9'000 + static_cast<long long>(i * 7919 % 5000);
        const auto us = [](long long t) {
            return std::to_string(t / 1000) + "." + std::to_string(1000 + t % 1000).substr(1);
        };
        const int length = std::fprintf(
            out.get(),
            "  {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::addmm\", \"pid\": 4711, \"tid\": 4711, \"ts\": "
            "%s, \"dur\": 8.250,\n"
            "    \"args\": {\"External id\": %lu, \"Record function id\": 0, \"Sequence number\": %lu, \"Fwd thread "
            "id\": 0, \"Input Dims\": [[512], [64, 1024], [1024, 512], [], []]}},\n"
            "  {\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 4711, \"tid\": "
            "4711, \"ts\": %s, \"dur\": 3.125,\n"
            "    \"args\": {\"External id\": %lu, \"cbid\": 211, \"correlation\": %lu}},\n"
            "  {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise_kernel<4, "
            "at::native::Functor_%lu<float>, std::array<char*, 2ul> >(int, float)\", "
            "\"pid\": 0, \"tid\": 7, \"ts\": %s, \"dur\": 5.500,\n"
            "    \"args\": {\"External id\": %lu, \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, "
            "\"correlation\": %lu, \"registers per thread\": 32, "
            "\"shared memory\": 0, \"blocks per SM\": 0.484848, \"warps per SM\": 1.939394, \"grid\": [64, 1, 1], "
            "\"block\": [128, 1, 1], \"est. achieved occupancy %%\": 3}},\n",
            us(ns).c_str(), i, i, us(ns + 2'000).c_str(), i, i + 1, i % 300, us(ns + 6'000).c_str(), i, i + 1);
        written += static_cast<std::uintmax_t>(length);
    }
    std::fprintf(out.get(), "  {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": 7, \"args\": {\"name\": "
                            "\"stream 7\"}}\n]}\n");
    return std::fflush(out.get()) == 0;
}

} // namespace

int main(int argc, char** argv)
{
    const fs::path path = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "cudal1-bench-open.json";
    if (argc == 1 && !generate(path)) {
        std::fprintf(stderr, "%s cannot be written\n", path.c_str());
        return 1;
    }
    const double mib = static_cast<double>(fs::file_size(path)) / 1e6;
    const auto began = std::chrono::steady_clock::now();
    const auto trace = openTrace(path);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (argc == 1)
        fs::remove(path);
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().text().c_str());
        return 1;
    }
    std::size_t events = 0, gaps = 0;
    for (const Side& side : trace->sides) {
        events += side.model->size();
        gaps += side.model->gaps.size();
    }
    std::printf("%.0f MB, %zu events, %zu gaps: %.2f s (%.0f MB/s; the target is under 10 s for 500 MB)\n", mib, events,
                gaps, seconds, mib / seconds);
    return 0;
}
