// SPDX-License-Identifier: GPL-3.0-or-later
// How long a thread ran, and had no core.
#pragma once

#include <filesystem>
#include <optional>

namespace cudal1::judge {

/// What the kernel's scheduler has counted for a thread since it was started.
struct ThreadSchedule {
    double ran_ns = 0;
    double waited_ns = 0; ///< it was ready to run and had no core
};

/// From a file `schedstat`; empty where the kernel does not tell, or the thread has ended.
std::optional<ThreadSchedule> scheduleIn(const std::filesystem::path& file);
/// Of the calling thread; zeros where the kernel does not tell.
ThreadSchedule ownSchedule();

} // namespace cudal1::judge
