// SPDX-License-Identifier: GPL-3.0-or-later
// What a speed-up owes to the host's speed.
#include "core/protocol/hostspeed.h"

#include <algorithm>
#include <cmath>

namespace cudal1::protocol {

double followsHost(const ClockSpeedup& wall, const ClockSpeedup& gpuBusy)
{
    constexpr double leastWait = 0.05; // of a reference's call: less tells nothing of the host
    if (!gpuBusy.valid() || !wall.valid())
        return 0;
    const auto waits = [](double busy_ns, double call_ns) { return 1 - std::min(busy_ns / call_ns, 1.0); };
    const double reference = waits(gpuBusy.reference_ns, wall.reference_ns),
                 candidate = waits(gpuBusy.candidate_ns, wall.candidate_ns);
    return reference < leastWait ? 0 : std::clamp((reference - candidate) / reference, -1.0, 1.0);
}

base::Interval whileReferenceTakes(double reference_ns, const ClockSpeedup& measured, double follows)
{
    if (follows == 0 || reference_ns <= 0 || measured.reference_ns <= 0)
        return measured.speedup;
    const double factor = std::pow(reference_ns / measured.reference_ns, follows);
    return {measured.speedup.estimate * factor, measured.speedup.low * factor, measured.speedup.high * factor};
}

base::Interval ratioAtOneSpeed(const ClockSpeedup& first, double firstFollows, const ClockSpeedup& second,
                               double secondFollows)
{
    const double reference_ns = std::sqrt(first.reference_ns * second.reference_ns);
    return base::ratioOf(whileReferenceTakes(reference_ns, first, firstFollows),
                         whileReferenceTakes(reference_ns, second, secondFollows));
}

} // namespace cudal1::protocol
