// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a candidate sees: its folder and a /dev/shm of its own can be written, what it needs can be read, nothing else is there.
#pragma once

#include "core/judge/sandbox/readablepaths.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// For the caller's own mount namespace, which must be new. Each step gives false with errno where the kernel refuses;
/// they are meant to be taken in this order.
class PrivateView {
public:
    PrivateView(std::string folder, const ReadablePaths& readable);
    PrivateView(const PrivateView&) = delete;
    PrivateView& operator=(const PrivateView&) = delete;
    ~PrivateView();

    /// A root of its own with the folder, what is readable, and the machine's /proc, /sys and /dev; the caller is in the
    /// folder then. Everything but the folder and /proc is read-only. /proc can be written since CUDA names its threads
    /// there and does not start when it cannot. Where the kernel refuses that, the caller keeps the root that it had.
    bool enterRoot();
    /// A /proc of the caller's process namespace, in which at most `tasks` can live where the kernel counts by namespace
    /// (6.14). Keeps the view of the driver that a container's runtime has laid over the real one.
    bool mountProc(int tasks);
    bool protectKernelSettings(); ///< /proc/sys and what else of /proc belongs to the machine
    bool mountDevices();          ///< a /dev with the standard devices, the GPUs' and an own /dev/shm; no disks
    bool mountSharedMemory();     ///< the own /dev/shm alone, in the machine's /dev

    /// Paths below /dev that a program needs: the standard devices and those of GPUs.
    static std::vector<std::string> devices();

private:
    bool furnish(int own);

    std::string m_folder;
    const ReadablePaths& m_readable;
    std::vector<int> m_trees;
};

} // namespace cudal1::judge
