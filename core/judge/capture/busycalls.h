// SPDX-License-Identifier: GPL-3.0-or-later
// What ran on the GPU in some calls, by CUPTI.
#pragma once

#include "core/judge/module/cacheflush.h"
#include "core/judge/module/pythonhost.h"
#include "core/judge/wire/modulemessages.h"

#include <functional>

namespace cudal1::judge {

/// `prepare` makes the arguments and `forward` does one call. Launches of this process are slower ever after, so
/// nothing is timed in it later. Throws std::runtime_error without CUPTI, and what the calls throw.
ObserveBusy::Reply observeBusy(const ObserveBusy& request, const c10::Device& device, CacheFlush& flush,
                               const std::function<void()>& prepare, const std::function<PyRef()>& forward);

} // namespace cudal1::judge
