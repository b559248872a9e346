// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a candidate sees: it can write to its folder and to a /dev/shm of its own, it can read what it needs,
// and nothing else is there.
#pragma once

#include "core/judge/sandbox/readablepaths.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// Works on the caller's mount namespace, which must be new and its own. Call the steps in the order in which they
/// stand here. Each returns false with errno where the kernel refuses.
class PrivateView {
public:
    PrivateView(std::string folder, const ReadablePaths& readable);
    PrivateView(const PrivateView&) = delete;
    PrivateView& operator=(const PrivateView&) = delete;
    ~PrivateView();

    /// Makes a new root with the folder, the readable paths, and the machine's /proc, /sys and /dev, and enters the
    /// folder in it. Everything but the folder and /proc is read-only. /proc stays writable, since CUDA names its
    /// threads there and does not start when it cannot. Where the kernel refuses, the caller keeps the root that it
    /// had.
    bool enterRoot();
    /// Mounts a /proc of the caller's process namespace. At most `tasks` threads can live there, where the kernel
    /// counts them by namespace (6.14). Keeps the view of the GPU's driver that a container's runtime has laid over the
    /// real one.
    bool mountProc(int tasks);
    bool protectKernelSettings(); ///< makes /proc/sys, and what else in /proc belongs to the machine, read-only
    /// Mounts a /dev with the standard devices, those of GPUs and a /dev/shm of its own; no disks.
    bool mountDevices();
    bool mountSharedMemory(); ///< mounts only a /dev/shm of its own, in the machine's /dev

    /// Paths below /dev that a program needs: the standard devices and those of GPUs.
    static std::vector<std::string> devices();

private:
    bool furnish(int own);

    std::string m_folder;
    const ReadablePaths& m_readable;
    std::vector<int> m_trees;
};

} // namespace cudal1::judge
