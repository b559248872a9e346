// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds of a clock that only goes forward.
#pragma once

#include <chrono>

namespace cudal1::judge {

inline double secondsNow()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace cudal1::judge
