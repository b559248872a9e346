// SPDX-License-Identifier: GPL-3.0-or-later
// The judge's processes, added up (docs/measuring.md describes them).
#include "core/costs/memoryforecast.h"

#include "core/costs/units.h"

#include <algorithm>

namespace cudal1::costs {

namespace {

constexpr double context_bytes = 512 * MiB; // CUDA, the framework's kernels, handles of libraries
constexpr int contexts = 4;                 // reference, timed reference, candidate, and the next one starting
constexpr double process_bytes = 256 * MiB; // on the CPU, beyond what a fork shares
constexpr double comparing_bytes =
    1024 * MiB; // results in double precision piece by piece; the bandwidth is measured in as much
constexpr double held_bytes = 1024 * MiB; // results of several calls are held up to this much, and ten calls
constexpr double heldCalls = 10;

} // namespace

MemoryForecast forecast(const Costs& costs, bool gpu)
{
    const double weights = costs.parameter_bytes + costs.buffer_bytes;
    const double held = std::max(costs.written_bytes, std::min(heldCalls * costs.written_bytes, held_bytes));
    MemoryForecast out;
    out.arena_bytes = 2 * costs.input_bytes + weights + costs.written_bytes;
    out.reference_bytes = weights + 2 * costs.input_bytes + costs.written_bytes + costs.intermediates_bytes +
                          comparing_bytes;
    out.timed_bytes = weights + costs.intermediates_bytes;
    out.candidate_bytes = weights + costs.intermediates_bytes + held;
    out.contexts_bytes = contexts * (gpu ? context_bytes : process_bytes);
    out.lowerBound = !costs.complete;
    return out;
}

bool fits(const MemoryForecast& forecast, double memory_bytes)
{
    return memory_bytes <= 0 || forecast.total_bytes() <= memory_bytes;
}

} // namespace cudal1::costs
