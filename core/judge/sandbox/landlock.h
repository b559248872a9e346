// SPDX-License-Identifier: GPL-3.0-or-later
// Landlock: by this feature of the kernel a process gives up rights over files and other processes for good. It needs
// no privilege.
#pragma once

#include <string>
#include <vector>

namespace cudal1::judge {

/// The kernel's version of Landlock; 0 where it has none.
int landlockVersion();

struct LandlockPlan {
    /// Writing is allowed below these paths and nowhere else. When empty, files are not restricted at all. Paths that
    /// do not exist are ignored.
    std::vector<std::string> writable;
    /// Reading, listing and starting programs is allowed below these paths and the writable ones, and nowhere else.
    /// When empty, it is allowed everywhere. Whether a path exists, its size and its times can be asked everywhere in
    /// any case.
    std::vector<std::string> readable;
    /// Used with `readable`: below these paths folders may be listed, but files not read.
    std::vector<std::string> listable;
    bool signals = true; ///< refuse signals to processes other than this one and its descendants (version 6 and later)
};

/// Restricts the calling process and its descendants. They can no longer trace processes that are not among them
/// either. Needs no_new_privs. Returns false with errno where the kernel refuses; ENOSYS where it is too old for what
/// the plan asks.
bool landlock(const LandlockPlan& plan);

} // namespace cudal1::judge
