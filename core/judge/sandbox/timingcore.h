// SPDX-License-Identifier: GPL-3.0-or-later
// The processor core on which calls to a GPU are timed: each evaluator of a machine has its own, and background work keeps off.
#pragma once

#include "core/judge/sandbox/devicelease.h"

#include <memory>
#include <vector>

namespace cudal1::judge {

/// The hardware threads of one core, in the order of their numbers; never empty.
using Core = std::vector<int>;

/// The cores of which this process may use a thread, in the order of their last one. Empty where the system does not tell.
/// Virtual machines of eight threads and more that show each as a core are taken to have two threads in a row for a core;
/// CUDAL1_THREADS_PER_CORE says how many there are, or with 0 that the system's own word is to be taken.
std::vector<Core> usableCores();

/// Those set aside for timing: the last, one for each GPU (an evaluator works on one), but no more than half of all and at
/// least one. The last comes first.
std::vector<Core> timingCores(const std::vector<Core>& usable, int gpus);
const std::vector<Core>& timingCores(); ///< of this machine and what this process might use of it when it first asked

/// Held for one request, from the moment its first call is timed.
class TimingCore {
public:
    /// Takes the first of `cores` that no other evaluator holds, or shares the first when all are held.
    explicit TimingCore(const std::vector<Core>& cores);

    int thread() const { return m_thread; } ///< the one that both sides are pinned to; -1 when there are no cores
    bool shared() const { return !m_lease; }

private:
    int m_thread = -1;
    std::unique_ptr<DeviceLease> m_lease;
};

} // namespace cudal1::judge
