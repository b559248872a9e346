// SPDX-License-Identifier: GPL-3.0-or-later
// Times for people, the same in every verb, page and report. Columns of CSV and fields of JSON keep their plain numbers
// instead.
#pragma once

#include <cstdint>
#include <string>

namespace cudal1::base {

/// What was measured or worked out, of nanoseconds: "12.3 µs", with three digits and the unit that fits, "ns" to "s".
/// Below a microsecond whole nanoseconds, "0 ns" for none and "under 1 ns" for less than half of one. "-12.3 µs"; empty
/// for what is no number.
std::string timeText(double ns);
/// A point or span of a timeline, of nanoseconds: "12.345 µs", exact to the nanosecond up to ten milliseconds and with
/// seven digits above.
/// "-250 ns"; "0" for what rounds to it; empty for what is no number.
std::string momentText(double ns);
/// How long work took or will take, of seconds: "310 µs", "8.5 ms", "850 ms", "2.1 s", "12 s", "1 min 10 s", "2 h 05
/// min". The unit is chosen by what the rounded text will be: 59.96 s are "1 min 00 s". "0 s" for less than half a
/// microsecond; empty for a negative number, which stands for "not known", and for what is no number.
std::string durationText(double seconds);
/// How old something is, for a column of ages: "now", "5 min", "3 h" from an hour on, "12 d" from two days on, and
/// after 60 days its date in local time, "2025-07-11". Parts are cut off: 59 s are "now". Both are milliseconds since
/// 1970; empty for a moment that is not known (0 or less), "now" for one to come.
std::string ageText(std::int64_t created_ms, std::int64_t now_ms);
/// The same in a sentence: "just now", "5 min ago", "on 2025-07-11".
std::string agoText(std::int64_t created_ms, std::int64_t now_ms);

} // namespace cudal1::base
