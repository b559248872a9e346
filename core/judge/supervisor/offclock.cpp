// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a round's times off the clock.
#include "core/judge/supervisor/offclock.h"

#include "core/base/statistics.h"

#include <algorithm>

namespace cudal1::judge {

void OffClock::add(const RunRound::Reply& reply, bool onCpu, bool crowded)
{
    // A probe takes some 2 ms while another process works on the GPU, and 0.15 ms otherwise.
    constexpr double foreign_ns = 1e6;
    for (const double probe_ns : reply.probe_ns) {
        ++probes;
        foreign += probe_ns > foreign_ns;
    }
    peek_ns.insert(peek_ns.end(), reply.peek_ns.begin(), reply.peek_ns.end());
    if (!onCpu && reply.ready_ns.size() == reply.wall_ns.size() && !reply.ready_ns.empty())
        ready_ns.push_back(base::median(reply.ready_ns)); // giving memory back takes long in one call of a round
    if (onCpu)
        around.add(reply, crowded);
    if (onCpu || reply.tail_ns.size() != reply.wall_ns.size() || reply.tail_ns.empty())
        return;
    // Only the faster third of the calls, since that represents the round: a call that is answered too early would be
    // among them.
    std::vector<std::pair<double, double>> calls;
    for (std::size_t i = 0; i < reply.wall_ns.size(); ++i)
        calls.emplace_back(reply.wall_ns[i], reply.tail_ns[i]);
    std::sort(calls.begin(), calls.end());
    calls.resize((calls.size() + 2) / 3);
    double sum = 0;
    for (const auto& [wall, tail] : calls)
        sum += tail;
    tail_ns.push_back(sum / static_cast<double>(calls.size()));
}

double OffClock::foreignShare() const
{
    return static_cast<double>(foreign) / std::max(probes, 1);
}

} // namespace cudal1::judge
