// SPDX-License-Identifier: GPL-3.0-or-later
// The binomial tail.
#include "core/selftest/bounds.h"

#include <cmath>

namespace cudal1::selftest {

int allowedMisses(int sessions, double rate)
{
    double below = 0; // P(misses <= k)
    for (int k = 0; k < sessions; ++k) {
        const double logChoose = std::lgamma(sessions + 1.0) - std::lgamma(k + 1.0) - std::lgamma(sessions - k + 1.0);
        below += std::exp(logChoose + k * std::log(rate) + (sessions - k) * std::log1p(-rate));
        if (1 - below <= chanceOfFalseAlarm)
            return k;
    }
    return sessions;
}

} // namespace cudal1::selftest
