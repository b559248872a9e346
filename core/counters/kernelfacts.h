// SPDX-License-Identifier: GPL-3.0-or-later
// What counters, launches and times say of the kernels of a call: how full the GPU is, which part of it is used to
// which share, and what holds a kernel up. Pure; milliseconds.
#pragma once

#include "core/costs/costs.h"
#include "core/counters/occupancy.h"
#include "core/protocol/counters.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::counters {

/// A side's record of a call may have one row more than it has kernels, under this name: all copies and memsets that
/// the device made in the call. Where the row is there, the record knows of them, also where it says that there were
/// none; where it is not, nobody wrote them down.
inline constexpr std::string_view copiesName = "(copies and memsets)";
bool isCopies(const protocol::KernelCounters& row);
const protocol::KernelCounters* copiesOf(const protocol::CounterSide& side); ///< null where they are not known

/// The highest rates of a GPU: by what was counted where that says, else by its data sheet. 0 for what is not known.
struct Roofs {
    double bytesPerSecond = 0; ///< of its memory
    double fp32 = 0;           ///< operations per second
    double tf32 = 0;           ///< of tensor cores
    std::string gpu;           ///< of the data sheet
};
Roofs roofsOf(const std::string& deviceModel);

/// A place in the roofline: operations per byte of memory, and per second.
struct RoofPoint {
    double intensity = 0, rate = 0;
};

/// What a kernel, or a call, is bound by.
enum class Bound {
    Unknown,
    Memory, ///< DRAM
    L2,
    L1, ///< and shared memory
    Tensor,
    Fp32,
    Issue,   ///< instructions of other kinds
    Latency, ///< nothing is used much: warps wait
    Grid,    ///< too few blocks to fill the GPU
    Launch,  ///< of a call: the GPU waits for the CPU
    Copies,  ///< of a call: copies and memsets take longer than kernels
};
std::string_view boundWord(Bound bound); ///< "memory", "latency"

struct KernelFacts {
    protocol::KernelCounters row;
    double share = 0;                                  ///< of the time of all kernels of the call
    std::optional<Occupancy> occupancy;                ///< that it could have at most
    std::optional<double> dram_rate, l2_rate, l1_rate; ///< bytes per second, as counted; `dram_rate` else of tensors
    bool rateIsOfTensors = false; ///< each tensor once, so that memory moves at least that, or a cache does
    std::optional<RoofPoint> roof;
    Bound bound = Bound::Unknown;
    std::string held; ///< what holds it up, as "memory: 78 % of DRAM's bandwidth"; empty where nothing says
};

struct SideFacts {
    double call_ns = 0;
    double kernels_ns = 0; ///< added up, which is more than a call takes where kernels run side by side
    /// What the kernels took together: the sum of their times, but no longer than the call. Rates are over this.
    double together_ns = 0;
    std::optional<double> copies_ns; ///< of copies and memsets, added up; none where they are not known
    double copies = 0;               ///< how many of them a call has
    double busy_ns = 0;              ///< kernels, and copies where they are known, but no longer than the call
    std::vector<KernelFacts> kernels;
    /// Of all its kernels together: as counted, else by the operators of the reference as they are written, and the
    /// bytes that any implementation moves at least.
    std::optional<RoofPoint> roof;
    bool roofIsCounted = false;
    Bound bound = Bound::Unknown;
    std::string bottleneck; ///< one sentence without a full stop: "Memory-bound: …"; empty where the GPU does nothing
    std::vector<std::string> notes; ///< those of the record; and that kernels ran side by side, where they add up to
                                    ///< more than the call
};

/// `costs` are those of the task; null where they are not known.
SideFacts factsOf(const protocol::CounterSide& side, const protocol::DeviceInfo& device, const costs::Costs* costs);

/// "1,710", "17.1", "0.125": three digits of a number that is not negative, and below 10^15 no power of ten.
std::string threeDigitsText(double value);
/// A kernel's name without its arguments and the framework's namespaces, cut in its middle.
std::string shortName(const std::string& name, std::size_t most = 60);
/// "long_scoreboard" as "waiting for memory (long scoreboard)".
std::string stallText(const std::string& reason);
/// The reasons for which warps wait, the most frequent first, without being issued and being ready.
std::vector<std::pair<std::string, double>> waitsOf(const protocol::KernelMetrics& metrics);

} // namespace cudal1::counters
