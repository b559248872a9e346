// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of times.
#include "core/base/timetext.h"

#include "core/base/withunit.h"

#include <cmath>
#include <ctime>
#include <iterator>

namespace cudal1::base {

namespace {

constexpr Unit units[]{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};

std::string formatted(const char* format, double value)
{
    char out[64];
    std::snprintf(out, sizeof out, format, value);
    return out;
}

/// Of a whole number of the lower unit, of which `each` are one of the higher.
std::string twoUnits(double low, double each, const char* highUnit, const char* lowUnit)
{
    char out[400]; // the largest double has 309 digits
    std::snprintf(out, sizeof out, "%.0f %s %02.0f %s", std::floor(low / each), highUnit, std::fmod(low, each),
                  lowUnit);
    return out;
}

std::string dateText(std::int64_t ms)
{
    const std::time_t seconds = ms / 1000;
    std::tm parts{};
    char out[32] = "";
    if (::localtime_r(&seconds, &parts))
        std::strftime(out, sizeof out, "%Y-%m-%d", &parts);
    return out;
}

constexpr std::int64_t minute_ms = 60'000, hour_ms = 60 * minute_ms, day_ms = 24 * hour_ms;

bool showsDate(std::int64_t age_ms)
{
    return age_ms >= 60 * day_ms;
}

} // namespace

std::string timeText(double ns)
{
    return ns != 0 && std::abs(ns) < 0.5 ? "under 1 ns" : withUnit(ns, units);
}

std::string momentText(double ns)
{
    const double size = std::abs(ns);
    if (!std::isfinite(ns))
        return {};
    if (size < 0.5)
        return "0";
    const Unit* unit = units;
    while (unit + 1 != std::end(units) && size >= unit[1].size)
        ++unit;
    return formatted("%.7g ", ns / unit->size) + unit->name;
}

std::string durationText(double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
        return {};
    if (seconds < 0.5e-6)
        return "0 s";
    if (seconds < 0.9995e-3)
        return formatted("%.0f µs", seconds * 1e6);
    if (seconds < 0.9995)
        return formatted(seconds < 9.95e-3 ? "%.1f ms" : "%.0f ms", seconds * 1e3);
    if (seconds < 9.95)
        return formatted("%.1f s", seconds);
    const double whole = std::round(seconds);
    if (whole < 60)
        return formatted("%.0f s", whole);
    return whole < 3600 ? twoUnits(whole, 60, "min", "s") : twoUnits(std::round(seconds / 60), 60, "h", "min");
}

std::string ageText(std::int64_t created_ms, std::int64_t now_ms)
{
    if (created_ms <= 0)
        return {};
    const std::int64_t age_ms = now_ms - created_ms;
    if (age_ms < minute_ms)
        return "now";
    if (age_ms < hour_ms)
        return std::to_string(age_ms / minute_ms) + " min";
    if (age_ms < 2 * day_ms)
        return std::to_string(age_ms / hour_ms) + " h";
    return showsDate(age_ms) ? dateText(created_ms) : std::to_string(age_ms / day_ms) + " d";
}

std::string agoText(std::int64_t created_ms, std::int64_t now_ms)
{
    const std::string age = ageText(created_ms, now_ms);
    if (age.empty() || age == "now")
        return age.empty() ? age : "just now";
    return showsDate(now_ms - created_ms) ? "on " + age : age + " ago";
}

} // namespace cudal1::base
