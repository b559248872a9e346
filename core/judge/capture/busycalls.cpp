// SPDX-License-Identifier: GPL-3.0-or-later
// Calls under CUPTI's eyes.
#include "core/judge/capture/busycalls.h"

#include "core/judge/capture/activity.h"
#include "core/judge/module/torchsupport.h"

namespace cudal1::judge {

ObserveBusy::Reply observeBusy(const ObserveBusy& request, const c10::Device& device, CacheFlush& flush,
                               const std::function<void()>& prepare, const std::function<PyRef()>& forward)
{
    ActivityCollection activity;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> windows;
    activity.start();
    for (int i = 0; i < request.calls; ++i) {
        prepare();
        at::manual_seed(request.seed + static_cast<std::uint64_t>(i));
        flush();
        synchronise(device);
        const std::uint64_t from = activity.now_ns();
        const PyRef result = forward();
        synchronise(device);
        windows.emplace_back(from, activity.now_ns());
    }
    const std::vector<ActivityRecord> records = activity.stop();
    ObserveBusy::Reply out;
    for (const auto& [from, to] : windows)
        out.busy_ns.push_back(static_cast<double>(busyTime(records, from, to)));
    for (const ActivityRecord& record : records)
        if (!windows.empty() && record.kind == ActivityRecord::Kind::Kernel &&
            record.start_ns >= windows.back().first && record.start_ns <= windows.back().second)
            ++out.kernels[record.name];
    return out;
}

} // namespace cudal1::judge
