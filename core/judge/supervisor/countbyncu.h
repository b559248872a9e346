// SPDX-License-Identifier: GPL-3.0-or-later
// Counters by Nsight Compute, which runs a program of its own: outside of the judge's isolation, as the user who asked.
#pragma once

#include "core/judge/supervisor/countermetrics.h"

#include <string>
#include <vector>

namespace cudal1::judge {

struct NcuCounts {
    std::vector<CountedLaunch> launches;
    std::string tool;    ///< "ncu 2025.3.1.0"
    std::string problem; ///< why nothing was counted, for a person; empty when it was
};

/// Runs the module of `source` once under ncu: the task's Model where `source` is empty, else ModelNew. `uuid` names
/// the GPU.
NcuCounts countByNcu(const std::string& task, const std::string& source, const std::string& precision,
                     std::uint64_t seed, const std::string& uuid, double limit_s);

} // namespace cudal1::judge
