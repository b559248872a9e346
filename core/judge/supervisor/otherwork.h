// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the machine's cores is taken by work that is not the judge's.
#pragma once

#include <string_view>
#include <vector>

namespace cudal1::judge {

/// Seconds in which the cores that this process may use were idle, by the text of /proc/stat and the cores' numbers; -1
/// where one of them is not in it.
double idleOf(std::string_view stat, const std::vector<int>& cores);

/// Sums up, over the rounds of the reference, what ran beside it. The candidate's processes are stopped in these
/// rounds, so this is the machine's other work and nothing that a candidate does. The kernel counts idle time in
/// hundredths of a second, so a single round says little.
class OtherWork {
public:
    OtherWork(); ///< asks which cores this process may use

    /// What the cores have done since they were started, in seconds of all cores together.
    struct Reading {
        double all = 0, idle = -1, own = 0;
    };
    /// `own_s`: CPU time of the judge's processes that take part.
    Reading read(double own_s) const;
    void add(const Reading& before, const Reading& after);
    /// Of the cores' time in these rounds; 0 where the kernel does not tell.
    double share() const;
    /// Other work took more than a tenth of the cores' time.
    bool isCrowd() const { return share() > 0.1; }

private:
    std::vector<int> m_cores;
    double m_all_s = 0, m_others_s = 0;
};

} // namespace cudal1::judge
