// SPDX-License-Identifier: GPL-3.0-or-later
// Records a few calls of the module in this process: operators, threads, and on a GPU what CUPTI tells.
#pragma once

#include "core/judge/module/cacheflush.h"
#include "core/judge/module/pythonhost.h"
#include "core/judge/wire/modulemessages.h"

#include <functional>

namespace cudal1::judge {

/// `prepare` makes the arguments and `forward` does one call; what they throw passes through. Where CUPTI refuses, the
/// timeline has the host's side alone and a note that says why.
RecordTimeline::Reply recordTimeline(const RecordTimeline& request, const c10::Device& device, CacheFlush& flush,
                                     const std::function<void()>& prepare, const std::function<PyRef()>& forward);

} // namespace cudal1::judge
