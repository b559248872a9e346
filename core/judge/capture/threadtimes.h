// SPDX-License-Identifier: GPL-3.0-or-later
// Processor time of each thread of this process, from the system's accounting: also of threads that run no operators.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace cudal1::judge {

struct ThreadTime {
    std::string name;
    std::int64_t run_ns = 0;
};

/// By the system's thread id. Empty where the system does not tell.
std::map<std::int64_t, ThreadTime> threadTimes();

} // namespace cudal1::judge
