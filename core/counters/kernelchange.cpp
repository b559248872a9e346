// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of two sides joined by the names of their kernels.
#include "core/counters/kernelchange.h"

#include "core/counters/kernelfacts.h"

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
    const bool knowsCopies = copiesOf(a) && copiesOf(b);
    const auto isPartOfRest = [&](const protocol::KernelCounters& row) {
        return isCopies(row) && (!knowsCopies || row.time_ns <= 0);
    };
    KernelChange rest;
    rest.name = knowsCopies ? "(host and gaps)" : "(host, copies and gaps)";
    rest.a_ns = a.call_ns;
    rest.b_ns = b.call_ns;
    for (const protocol::KernelCounters& kernel : a.kernels) {
        if (isPartOfRest(kernel))
            continue;
        KernelChange& row = rowOf(kernel.name);
        row.a_ns += kernel.time_ns;
        row.aLaunches += kernel.launches;
        rest.a_ns -= kernel.time_ns;
    }
    for (const protocol::KernelCounters& kernel : b.kernels) {
        if (isPartOfRest(kernel))
            continue;
        KernelChange& row = rowOf(kernel.name);
        row.b_ns += kernel.time_ns;
        row.bLaunches += kernel.launches;
        rest.b_ns -= kernel.time_ns;
    }
    std::stable_sort(rows.begin(), rows.end(), [](const KernelChange& one, const KernelChange& other) {
        return std::abs(one.gained_ns()) > std::abs(other.gained_ns());
    });
    rest.a_ns = std::max(0.0, rest.a_ns);
    rest.b_ns = std::max(0.0, rest.b_ns);
    rows.push_back(rest);
    const double whole = a.call_ns - b.call_ns;
    for (KernelChange& row : rows) {
        row.share = whole != 0 ? row.gained_ns() / whole : 0;
        row.aCall_ns = a.call_ns;
        row.bCall_ns = b.call_ns;
    }
    return rows;
}

} // namespace cudal1::counters
