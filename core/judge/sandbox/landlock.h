// SPDX-License-Identifier: GPL-3.0-or-later
// Landlock: a process gives up rights over files and other processes for good, with no privilege needed.
#pragma once

#include <string>
#include <vector>

namespace cudal1::judge {

/// The kernel's version of Landlock, 0 where there is none.
int landlockVersion();

struct LandlockPlan {
    /// Below these, writing is allowed; nowhere else. Empty: files are left alone. Those that do not exist are passed over.
    std::vector<std::string> writable;
    /// Below these and what is writable, reading, listing and starting programs is allowed; nowhere else. Empty: everywhere.
    /// Whether a path exists, and its size and times, can be asked everywhere all the same.
    std::vector<std::string> readable;
    std::vector<std::string> listable; ///< with `readable`: below these, folders may be listed as well, but not read
    bool signals = true; ///< none to processes that are not this one or its descendants (version 6 and later)
};

/// For the calling process and its descendants, who can also no longer trace processes that are not among them. Needs
/// no_new_privs. False with errno where the kernel refuses; ENOSYS where it is too old for what is asked.
bool landlock(const LandlockPlan& plan);

} // namespace cudal1::judge
