// SPDX-License-Identifier: GPL-3.0-or-later
// Times of a call in which the device had nothing to do (without a GPU: in which no operator ran), and why.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::timeline {

struct Model;

struct Gap {
    /// What the host did for most of the gap; it had not launched the next work yet, except for Queued and Ending.
    enum class Cause {
        Launching,       ///< it was in calls that launch work
        Synchronisation, ///< it waited for the device
        Copy,            ///< it was in a call that copies or sets memory
        Allocation,      ///< it was in a call that allocates or frees memory
        OtherCall,       ///< it was in another CUDA call
        Operator,        ///< it was in operators of the framework, outside any CUDA call
        Idle,            ///< neither: Python, or nothing at all
        Queued, ///< the next work had been launched before the gap: latency of the device, or what it waits for
        Ending, ///< no work followed: the host noticed the end and returned
    };
    std::int64_t begin_ns = 0, end_ns = 0;
    Cause cause = Cause::Idle;
    double share = 1;         ///< of the gap that the cause was seen in
    std::uint32_t during = 0; ///< name of the call or operator that took most of it, in Model::names; 0 for none
    std::uint32_t next = ~std::uint32_t(0); ///< the event that ends it; ~0 for none

    std::int64_t duration_ns() const { return end_ns - begin_ns; }
};

/// In the timed windows; of a trace without any, between its first and its last work on a device. By begin.
std::vector<Gap> gapsOf(const Model& model);

struct GapTotal {
    Gap::Cause cause = Gap::Cause::Idle;
    std::int64_t count = 0, total_ns = 0;
    double share = 0; ///< of what gaps are looked for in: the timed windows, or first to last work
};
/// Most time first; causes that no gap has are left out.
std::vector<GapTotal> gapTotals(const Model& model);
/// "78 % of the timed windows are gaps: launching 61 % (1234 gaps), outside operators 17 % (56)", without causes of
/// hardly any; empty without gaps.
std::string gapTotalsText(const Model& model);

/// "synchronisation"
std::string_view word(Gap::Cause cause);
/// "The host waited for the device in cudaStreamSynchronize (83 % of the gap), before it launched gemm."
std::string sentence(const Model& model, const Gap& gap);

} // namespace cudal1::timeline
