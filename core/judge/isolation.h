// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate's process is denied, as far as this kernel and user allow it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

struct IsolationReport {
    std::vector<std::string> applied; ///< "no network", ...
    std::vector<std::string> missing; ///< "no network: Operation not permitted"
};

/// For the calling, single-threaded process, from now on: a session of its own, no core files, bounded files and
/// descriptors, first to go when memory is short, no network, and nothing writable but `folder` and a private /dev/shm.
/// `memoryLimit` bytes of address space beyond what is mapped now; 0 for none (CUDA reserves far more than it uses).
/// What the machine does not allow is reported and left out.
IsolationReport isolate(const std::string& folder, std::uint64_t memoryLimit);

} // namespace cudal1::judge
