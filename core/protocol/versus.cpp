// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one variant is faster than another.
#include "core/protocol/versus.h"

#include "core/base/timetext.h"
#include "core/protocol/hostspeed.h"

#include <cmath>

namespace cudal1::protocol {

namespace {

base::Interval ratio(const Speedup& first, const Speedup& second, ClockSpeedup Speedup::*clock)
{
    return ratioAtOneSpeed(first.*clock, followsHost(first.wall, first.gpuBusy), second.*clock,
                           followsHost(second.wall, second.gpuBusy));
}

bool isFromHost(const Speedup& first, const Speedup& second, const base::Interval& wall)
{
    constexpr double worthSaying = 0.01;
    return std::abs(std::log(wall.estimate * second.wall.speedup.estimate / first.wall.speedup.estimate)) >=
           worthSaying;
}

} // namespace

base::Result<Versus> versus(const Evaluation& first, const Evaluation& second)
{
    const auto refuse = [](const std::string& why, const std::string& hint) {
        return base::Error{base::ErrorCode::InvalidArgument, why, {}, hint};
    };
    if (first.task != second.task)
        return refuse("They are variants of two tasks, " + first.task + " and " + second.task,
                      "Compare variants of one task");
    for (const Evaluation* one : {&first, &second})
        if (one->verdict != Verdict::Correct || !one->speedup.wall.speedup.valid())
            return refuse("One of them is not correct, or was not timed",
                          "Only what does the same work has a speed to compare");
    if (first.device.model != second.device.model)
        return refuse("They were measured on " + first.device.model + " and on " + second.device.model,
                      "Judge both on one device");
    if (first.precision.mode != second.precision.mode)
        return refuse("They were measured at the precisions " + std::string(toString(first.precision.mode)) + " and " +
                          std::string(toString(second.precision.mode)),
                      "Judge both at one precision");
    const base::Interval wall = ratio(first.speedup, second.speedup, &Speedup::wall);
    return Versus{wall, ratio(first.speedup, second.speedup, &Speedup::event), first.speedup.wall.reference_ns,
                  second.speedup.wall.reference_ns, isFromHost(first.speedup, second.speedup, wall)};
}

std::string hostText(const Versus& versus, const std::string& first, const std::string& second)
{
    if (!versus.hostChanged)
        return {};
    return "The reference took " + base::timeText(versus.firstReference_ns) + " a call beside " + first + " and " +
           base::timeText(versus.secondReference_ns) + " beside " + second +
           ": the computer around the GPU was slower in one of the two measurements. The ratio corrects for that, as "
           "far as calls wait for it.";
}

} // namespace cudal1::protocol
