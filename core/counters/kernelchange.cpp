// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of two sides joined by the names of their kernels.
#include "core/counters/kernelchange.h"

#include <algorithm>
#include <cmath>

namespace cudal1::counters {

std::vector<KernelChange> changesOf(const protocol::CounterSide& a, const protocol::CounterSide& b)
{
    std::vector<KernelChange> rows;
    const auto rowOf = [&](const std::string& name) -> KernelChange& {
        const auto found = std::find_if(rows.begin(), rows.end(),
                                        [&](const KernelChange& row) { return row.name == name; });
        if (found != rows.end())
            return *found;
        rows.push_back({});
        rows.back().name = name;
        return rows.back();
    };
    KernelChange rest{"(host and gaps)", 0, 0, a.call_ns, b.call_ns, 0};
    for (const protocol::KernelCounters& kernel : a.kernels) {
        KernelChange& row = rowOf(kernel.name);
        row.a_ns += kernel.time_ns;
        row.aLaunches += kernel.launches;
        rest.a_ns -= kernel.time_ns;
    }
    for (const protocol::KernelCounters& kernel : b.kernels) {
        KernelChange& row = rowOf(kernel.name);
        row.b_ns += kernel.time_ns;
        row.bLaunches += kernel.launches;
        rest.b_ns -= kernel.time_ns;
    }
    std::stable_sort(rows.begin(), rows.end(), [](const KernelChange& one, const KernelChange& other) {
        return std::abs(one.gained_ns()) > std::abs(other.gained_ns());
    });
    rows.push_back(rest);
    const double whole = a.call_ns - b.call_ns;
    for (KernelChange& row : rows)
        row.share = whole != 0 ? row.gained_ns() / whole : 0;
    return rows;
}

} // namespace cudal1::counters
