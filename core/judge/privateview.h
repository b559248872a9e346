// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a candidate sees: its folder and a /dev/shm of its own can be written, the rest only read.
#pragma once

#include <string>
#include <vector>

namespace cudal1::judge {

/// For the caller's own mount namespace, which must be new. Each step gives false with errno where the kernel refuses;
/// they are meant to be taken in this order.
class PrivateView {
public:
    explicit PrivateView(std::string folder);
    PrivateView(const PrivateView&) = delete;
    PrivateView& operator=(const PrivateView&) = delete;
    ~PrivateView();

    /// Everything but the folder and /proc is read-only; where the folder lies in an evaluator's root, its neighbours are
    /// hidden. /proc can be written since CUDA names its threads there and does not start when it cannot.
    bool protectFiles();
    /// A /proc of the caller's process namespace, in which at most `tasks` can live where the kernel counts by namespace
    /// (6.14). Keeps the view of the driver that a container's runtime has laid over the real one.
    bool mountProc(int tasks);
    bool protectKernelSettings(); ///< /proc/sys and what else of /proc belongs to the machine
    bool mountDevices();          ///< a /dev with the standard devices, the GPUs' and an own /dev/shm; no disks
    bool mountSharedMemory();     ///< the own /dev/shm alone, in the machine's /dev

    /// Paths below /dev that a program needs: the standard devices and those of GPUs.
    static std::vector<std::string> devices();

private:
    std::string m_folder;
    std::vector<int> m_trees;
};

} // namespace cudal1::judge
