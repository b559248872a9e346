// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that events moved, and at which rate.
#pragma once

#include <cstdint>

namespace cudal1::timeline {

/// Of events whose bytes are known, and their time: others of the same name neither count nor lower the rate.
struct Moved {
    std::int64_t bytes = 0;
    std::int64_t time_ns = 0;

    /// An event that moved `event_bytes` (0: not known) in `whole_ns`, of which `part_ns` are asked for.
    void add(std::int64_t event_bytes, std::int64_t whole_ns, std::int64_t part_ns)
    {
        if (event_bytes <= 0 || whole_ns <= 0)
            return;
        bytes += part_ns == whole_ns
                   ? event_bytes
                   : static_cast<std::int64_t>(static_cast<double>(event_bytes) * static_cast<double>(part_ns) /
                                               static_cast<double>(whole_ns));
        time_ns += part_ns;
    }
    /// 0 where nothing is known.
    double bytesPerSecond() const
    {
        return time_ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(time_ns) : 0;
    }
};

} // namespace cudal1::timeline
