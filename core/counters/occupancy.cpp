// SPDX-License-Identifier: GPL-3.0-or-later
// The occupancy of a launch, as NVIDIA's calculator has it.
#include "core/counters/occupancy.h"

#include "core/base/bytestext.h"

#include <algorithm>
#include <array>

namespace cudal1::counters {

namespace {

constexpr int warpThreads = 32;
constexpr std::int64_t KiB = 1024;

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
struct Architecture {
    std::string_view capability;
    int warps, blocks;           ///< of a multiprocessor
    std::int64_t shared_bytes;   ///< of a multiprocessor
    std::int64_t reserved_bytes; ///< of it for each block, by the system
};
constexpr int registers = 64 * 1024, registersAtOnce = 256; ///< of a multiprocessor; a warp gets multiples of 256
constexpr int warpsAtOnce = 4;                              ///< registers are shared out among four schedulers
constexpr std::int64_t sharedAtOnce_bytes = 128;

constexpr auto architectures = std::to_array<Architecture>({
    {"7.0", 64, 32, 96 * KiB, 0},
    {"7.5", 32, 16, 64 * KiB, 0},
    {"8.0", 64, 32, 164 * KiB, KiB},
    {"8.6", 48, 16, 100 * KiB, KiB},
    {"8.7", 48, 16, 164 * KiB, KiB},
    {"8.9", 48, 24, 100 * KiB, KiB},
    {"9.0", 64, 32, 228 * KiB, KiB},
    {"10.0", 64, 32, 228 * KiB, KiB},
    {"10.3", 64, 32, 228 * KiB, KiB},
    {"12.0", 48, 24, 100 * KiB, KiB},
});

std::int64_t roundedUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

} // namespace

std::int64_t blocksOf(const protocol::KernelLaunch& launch)
{
    return std::int64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
}

std::int64_t threadsOf(const protocol::KernelLaunch& launch)
{
    return std::int64_t(launch.block[0]) * launch.block[1] * launch.block[2];
}

std::optional<Occupancy> occupancyOf(const protocol::KernelLaunch& launch, std::string_view capability, int processors)
{
    const auto found = std::find_if(architectures.begin(), architectures.end(),
                                    [&](const Architecture& one) { return one.capability == capability; });
    const std::int64_t threads = threadsOf(launch);
    if (found == architectures.end() || threads <= 0 || blocksOf(launch) <= 0)
        return {};
    const std::int64_t warps = roundedUp(threads, warpThreads) / warpThreads; // of a block
    const std::int64_t byWarps = found->warps / warps;
    const std::int64_t ofAWarp = roundedUp(std::int64_t(launch.registers) * warpThreads, registersAtOnce);
    const std::int64_t byRegisters = ofAWarp > 0 ? registers / ofAWarp / warpsAtOnce * warpsAtOnce / warps : byWarps;
    const std::int64_t shared = launch.staticShared_bytes + launch.dynamicShared_bytes;
    const std::int64_t taken = roundedUp(shared + found->reserved_bytes, sharedAtOnce_bytes);
    const std::int64_t byShared = shared > 0 ? found->shared_bytes / taken : byWarps;

    Occupancy out;
    const std::int64_t blocks = std::min({byWarps, byRegisters, byShared, std::int64_t(found->blocks)});
    if (blocks <= 0)
        return {};
    out.blocks = int(blocks);
    out.warps = int(blocks * warps);
    out.share = double(out.warps) / found->warps;
    // Of two that are equal, what the code can change comes first.
    if (out.warps == found->warps)
        out.limiter = Limiter::Warps;
    else if (byRegisters == blocks && byRegisters < byWarps)
        out.limiter = Limiter::Registers;
    else if (byShared == blocks && byShared < byWarps)
        out.limiter = Limiter::SharedMemory;
    else if (byWarps == blocks)
        out.limiter = Limiter::BlockSize;
    else
        out.limiter = Limiter::Blocks;
    if (processors > 0)
        out.waves = double(blocksOf(launch)) / double(blocks * processors);
    return out;
}

std::string limiterText(const Occupancy& occupancy, const protocol::KernelLaunch& launch)
{
    switch (occupancy.limiter) {
    case Limiter::Warps: return "nothing";
    case Limiter::Registers: return "registers, " + std::to_string(launch.registers) + " a thread";
    case Limiter::SharedMemory:
        return "shared memory, " + base::bytesText(double(launch.staticShared_bytes + launch.dynamicShared_bytes)) +
               " a block";
    case Limiter::Blocks: return "small blocks, of " + std::to_string(threadsOf(launch)) + " threads";
    case Limiter::BlockSize: return "large blocks, of " + std::to_string(threadsOf(launch)) + " threads";
    }
    return {};
}

std::string_view limiterWord(Limiter limiter)
{
    switch (limiter) {
    case Limiter::Warps: return "none";
    case Limiter::Registers: return "registers";
    case Limiter::SharedMemory: return "shared_memory";
    case Limiter::Blocks: return "blocks";
    case Limiter::BlockSize: return "block_size";
    }
    return {};
}

} // namespace cudal1::counters
