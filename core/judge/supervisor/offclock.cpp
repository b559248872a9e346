// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a round's times off the clock.
#include "core/judge/supervisor/offclock.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cudal1::judge {

namespace {

/// Of pairs of a call's time and something about the call: that something, for the faster third of the calls. That
/// third represents a round, so what makes calls short must show in it.
std::vector<double> ofFasterThird(std::vector<std::pair<double, double>> calls)
{
    std::sort(calls.begin(), calls.end());
    calls.resize((calls.size() + 2) / 3);
    std::vector<double> out;
    out.reserve(calls.size());
    for (const auto& [wall, about] : calls)
        out.push_back(about);
    return out;
}

} // namespace

void OffClock::add(const RunRound::Reply& reply, bool onCpu, bool crowded)
{
    // A probe takes some 2 ms while another process works on the GPU, and 0.15 ms otherwise.
    constexpr double foreign_ns = 1e6;
    for (const double probe_ns : reply.probe_ns) {
        ++probes;
        foreign += probe_ns > foreign_ns;
    }
    peek_ns.insert(peek_ns.end(), reply.peek_ns.begin(), reply.peek_ns.end());
    if (onCpu)
        around.add(reply, crowded);
    else
        addDevice(reply);
    launch_ns.insert(launch_ns.end(), reply.launch_ns.begin(), reply.launch_ns.end());
}

void OffClock::addDevice(const RunRound::Reply& reply)
{
    const std::size_t count = reply.wall_ns.size();
    tail_ns.push_back(0);
    if (reply.ready_ns.size() != count || reply.tail_ns.size() != count || reply.outside.size() != count)
        return; // a reference that was timed in the witness gets nothing ready
    // A process that empties the caches itself is ready later, and may leave that out. If it prepares something in
    // those calls alone, they are faster than the others, and do not count (Account::holdAgainstOutside).
    std::vector<std::pair<double, double>> ready, ownReady, tails;
    for (std::size_t i = 0; i < count; ++i) {
        (reply.outside[i] ? ready : ownReady).emplace_back(reply.wall_ns[i], reply.ready_ns[i]);
        if (reply.tail_ns[i] > 0)
            tails.emplace_back(reply.wall_ns[i], reply.tail_ns[i]);
    }
    // Medians, since giving memory back takes long in one call.
    if (!ready.empty())
        ready_ns.push_back(base::median(ofFasterThird(std::move(ready))));
    if (!ownReady.empty())
        ownReady_ns.push_back(base::median(ofFasterThird(std::move(ownReady))));
    if (tails.empty())
        return;
    const std::vector<double> faster = ofFasterThird(std::move(tails));
    tail_ns.back() = std::accumulate(faster.begin(), faster.end(), 0.0) / static_cast<double>(faster.size());
}

double OffClock::foreignShare() const
{
    return static_cast<double>(foreign) / std::max(probes, 1);
}

} // namespace cudal1::judge
