// SPDX-License-Identifier: GPL-3.0-or-later
// NVIDIA's tools as programs: finds them, runs them, reads what they print.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cudal1::kernels {

/// The one that the environment's `variable` names, else that of PATH, else the first of `elsewhere` that is there.
/// Empty when there is none.
std::filesystem::path findTool(const char* name, const char* variable,
                               const std::vector<std::filesystem::path>& elsewhere = {});

struct ToolRun {
    std::vector<std::string> command; ///< the program's path first
    std::filesystem::path folder;     ///< for a file of its standard output and one of its errors, which are removed
    std::vector<std::pair<std::string, std::string>> environment = {}; ///< beside that of this process
    double limit_s = 0;                                                ///< 0: none; then it is killed
};

struct ToolAnswer {
    int status = -1; ///< -1 when it could not be started, was ended by a signal or took too long
    bool timedOut = false;
    std::string out, errors; ///< whole lines of the first 64 MiB, or as many as `most` bytes
};

/// Blocks until it has ended. `most`: bytes that are read of each of its outputs.
ToolAnswer runTool(const ToolRun& run, std::size_t most);

} // namespace cudal1::kernels
