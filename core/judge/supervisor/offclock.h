// SPDX-License-Identifier: GPL-3.0-or-later
// What a side did while the clock did not run.
#pragma once

#include "core/judge/supervisor/aroundcalls.h"

#include <vector>

namespace cudal1::judge {

/// Notes of all rounds of one side that count.
struct OffClock {
    /// Of each round on a GPU, the mean over the faster third of the calls with a probe; 0 where no call had one.
    std::vector<double> tail_ns;
    /// Of each round on a GPU, the median over the faster third of its calls, of those alone before which the witness
    /// emptied the caches.
    std::vector<double> ready_ns;
    std::vector<double> ownReady_ns; ///< the same of those calls before which the process itself empties them
    std::vector<double> launch_ns;   ///< of each call of the reference that only launched a kernel
    AroundCalls around;              ///< on a CPU
    std::vector<double> peek_ns;     ///< of each peek
    int probes = 0;                  ///< how often the device was probed …
    int foreign = 0;                 ///< … and how many probes found work on it

    /// Adds a round. Its times are those that count, without what handing over takes. `crowded`: see crowding.h.
    void add(const RunRound::Reply& reply, bool onCpu, bool crowded);
    double foreignShare() const; ///< of the probes; 0 without any

private:
    void addDevice(const RunRound::Reply& reply);
};

} // namespace cudal1::judge
