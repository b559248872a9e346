// SPDX-License-Identifier: GPL-3.0-or-later
// Nsight Compute's command line: where it is, how it is asked to count, and what it prints.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::kernels {

/// One launch that ncu counted.
struct NcuLaunch {
    std::string kernel;                    ///< readable, as base::demangled() has it
    std::map<std::string, double> metrics; ///< by name: nanoseconds, bytes, percent, counts
};

/// The `ncu` to use: CUDAL1_NCU, that of PATH, of a CUDA Toolkit, of /opt/nvidia. Empty when there is none.
std::filesystem::path findNcu();

/// The options that count these metrics in what lies between cudaProfilerStart() and cudaProfilerStop(), in base units,
/// without holding clocks; the program's own command is to follow. ncu runs each kernel again until all is counted, and
/// empties the caches before each run.
std::vector<std::string> ncuCommand(const std::filesystem::path& ncu, const std::vector<std::string>& metrics);

/// What `ncu --csv --page raw` printed, with the lines of ncu and of the program around it. A metric that is "n/a", or
/// "nan", is left out. ProcessFailed, with what it says instead, where there is no table.
base::Result<std::vector<NcuLaunch>> readNcu(std::string_view printed);

/// "2025.3.1.0" out of what `ncu --version` prints; empty where that has none.
std::string ncuVersion(std::string_view printed);

} // namespace cudal1::kernels
