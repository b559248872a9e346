// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of the machine that this runs on.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace cudal1::base {

/// All of it, whoever uses it.
inline std::int64_t physicalMemory_bytes()
{
    return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
}

} // namespace cudal1::base
