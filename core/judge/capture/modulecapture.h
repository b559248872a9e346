// SPDX-License-Identifier: GPL-3.0-or-later
// The device code that this process loads, from CUPTI's callbacks: cubins as the driver has them, PTX as it was handed
// over. What NVRTC compiled to machine code leaves its PTX in the candidate's folder (nvrtctexts.py), as Triton does.
//
// One capture a process, which begins before the module's code runs and ends with the process. CUPTI leaves its hooks:
// such a process is never timed.
#pragma once

#include "core/judge/wire/modulemessages.h"

namespace cudal1::judge {

/// Throws std::runtime_error when CUPTI refuses (another profiler holds it).
void startModuleCapture();

/// The modules that hold a kernel of the names that are asked for.
TakeModules::Reply capturedModules(const TakeModules& request);

} // namespace cudal1::judge
