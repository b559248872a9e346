// SPDX-License-Identifier: GPL-3.0-or-later
// The device code that this process loads, from CUPTI's callbacks: cubins as the driver has them, PTX as it was handed over.
// What NVRTC compiled to machine code leaves its PTX in the candidate's folder (python/nvrtctexts.py), as Triton does.
//
// One capture a process, which begins before the module's code runs and ends with the process. CUPTI leaves its hooks: such a
// process is never timed.
#pragma once

#include <nlohmann/json.hpp>

namespace cudal1::judge {

/// Throws std::runtime_error when CUPTI refuses (another profiler holds it).
void startModuleCapture();

/// Answers {"command": "modules", "kernels": [NAME]} with {"modules": [protocol::KernelModule], "ptx": [TEXT], "left_out"}: the
/// modules that hold a kernel of those (readable) names, and every text that the driver was given to compile.
nlohmann::json capturedModules(const nlohmann::json& request);

} // namespace cudal1::judge
