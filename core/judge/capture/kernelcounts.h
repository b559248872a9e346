// SPDX-License-Identifier: GPL-3.0-or-later
// What the hardware counts in the kernels of a call, by CUPTI's range profiler: one range a kernel. The call is made
// again until all is counted, each time with empty caches, so that kernels find in them what those before have left.
#pragma once

#include "core/judge/module/cacheflush.h"
#include "core/judge/module/pythonhost.h"
#include "core/judge/wire/modulemessages.h"

#include <functional>

namespace cudal1::judge {

/// `prepare` makes the arguments and `forward` does one call, some 12 times in all; what they throw passes through.
/// Where the driver refuses, the answer says why. The process must have called the module before, and no other profiler
/// may be at work in it.
CountKernels::Reply countKernels(const CountKernels& request, const c10::Device& device, CacheFlush& flush,
                                 const std::function<void()>& prepare, const std::function<PyRef()>& forward);

} // namespace cudal1::judge
