// SPDX-License-Identifier: GPL-3.0-or-later
// The processor core on which calls to a GPU are timed. Each evaluator of a machine has its own, and background work
// stays off all of them.
#pragma once

#include "core/judge/sandbox/devicelease.h"

#include <memory>
#include <vector>

namespace cudal1::judge {

/// The numbers of a core's hardware threads, ascending; never empty.
using Core = std::vector<int>;

/// The cores of which this process may use a thread, sorted by the last thread of each. Empty where the system does not
/// tell. A virtual machine of eight threads or more may show each thread as a core; then two threads in a row are taken
/// for one core. CUDAL1_THREADS_PER_CORE sets another number of threads; 0 stands for what the system says.
std::vector<Core> usableCores();

/// The cores that are reserved for timing: the last ones, one for each GPU (an evaluator works on one GPU), at least
/// one but no more than half of all. The last core comes first.
std::vector<Core> timingCores(const std::vector<Core>& usable, int gpus);
/// Those of this machine, worked out at the first call from the cores that this process might use then.
const std::vector<Core>& timingCores();

/// A timing core that this process holds: from the first timed call of a request until the request is answered.
class TimingCore {
public:
    /// Takes the first of `cores` that no other evaluator holds. When all are held it shares the first.
    explicit TimingCore(const std::vector<Core>& cores);

    /// The hardware thread that both sides are pinned to; -1 when there are no cores.
    int thread() const { return m_thread; }
    bool shared() const { return !m_lease; } ///< another evaluator may be timing on this core

private:
    int m_thread = -1;
    std::unique_ptr<DeviceLease> m_lease;
};

} // namespace cudal1::judge
