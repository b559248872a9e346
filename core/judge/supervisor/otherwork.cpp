// SPDX-License-Identifier: GPL-3.0-or-later
// Idle time of the cores, against what the judge itself ran.
#include "core/judge/supervisor/otherwork.h"

#include "core/judge/wire/steadyclock.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace cudal1::judge {

double idleOf(std::string_view stat, const std::vector<int>& cores)
{
    std::istringstream lines{std::string(stat)};
    std::size_t found = 0;
    double ticks = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string name;
        double user = 0, nice = 0, system = 0, idle = 0, waiting = 0; // for a disk, which leaves the core idle too
        fields >> name;
        const bool isWanted = std::any_of(cores.begin(), cores.end(),
                                          [&](int core) { return name == "cpu" + std::to_string(core); });
        if (!isWanted || !(fields >> user >> nice >> system >> idle >> waiting))
            continue;
        ++found;
        ticks += idle + waiting;
    }
    return found == cores.size() && found > 0 ? ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) : -1;
}

OtherWork::OtherWork()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(static_cast<std::size_t>(core), &allowed))
            m_cores.push_back(core);
}

OtherWork::Reading OtherWork::read(double own_s) const
{
    std::ifstream file("/proc/stat");
    std::ostringstream text;
    text << file.rdbuf();
    return {secondsNow() * static_cast<double>(m_cores.size()), idleOf(text.str(), m_cores), own_s};
}

void OtherWork::add(const Reading& before, const Reading& after)
{
    if (before.idle < 0 || after.idle < 0)
        return;
    const double all = after.all - before.all;
    m_all_s += all;
    m_others_s += all - (after.idle - before.idle) - (after.own - before.own);
}

double OtherWork::share() const
{
    return m_all_s > 0 ? std::clamp(m_others_s / m_all_s, 0.0, 1.0) : 0;
}

} // namespace cudal1::judge
