// SPDX-License-Identifier: GPL-3.0-or-later
// How many of a few sessions may miss before it is no chance any more.
#pragma once

namespace cudal1::selftest {

/// A section of sessions that are as they should be fails this rarely, once in two hundred self-tests.
inline constexpr double chanceOfFalseAlarm = 0.005;

/// The smallest k such that of `sessions` independent ones, each of which misses with probability `rate`, more than k
/// miss with a probability of at most chanceOfFalseAlarm.
int allowedMisses(int sessions, double rate);

} // namespace cudal1::selftest
