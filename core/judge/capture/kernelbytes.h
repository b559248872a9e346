// SPDX-License-Identifier: GPL-3.0-or-later
// How many bytes a kernel moves, where the operator that launched it tells.
#pragma once

#include "core/judge/capture/activity.h"
#include "core/judge/capture/operatorobserver.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace cudal1::judge {

/// Bytes by correlation, for kernels that read each tensor of their operator once and write its result once: the
/// framework's elementwise kernels and reductions, each alone in its operator and those that it calls. Of the others
/// nothing is known, nor of those that a graph launches. `hostTime_ns` brings CUPTI's clock to that of the operators.
std::map<std::uint32_t, std::int64_t>
kernelBytes(const std::vector<OperatorRecord>& operators, const std::vector<ActivityRecord>& activity,
            const std::function<std::int64_t(std::uint64_t activity_ns)>& hostTime_ns);

} // namespace cudal1::judge
