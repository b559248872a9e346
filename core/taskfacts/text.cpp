// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and sentences of a task's facts.
#include "core/taskfacts/taskfacts.h"

#include "core/base/bytestext.h"

#include <array>
#include <cstdio>

namespace cudal1::taskfacts {

namespace {

/// Three figures and a prefix: 1.23 k, 12.3 M.
std::string scaled(double value, const char* unit)
{
    constexpr std::array prefixes{"k", "M", "G", "T", "P"};
    double step = 1;
    const char* prefix = "";
    for (std::size_t i = 0; i < prefixes.size() && value >= 999.5 * step; ++i) {
        step *= 1000;
        prefix = prefixes[i];
    }
    const double shown = value / step;
    char text[48];
    const int decimals = (step == 1 && shown == static_cast<double>(static_cast<long long>(shown))) || shown >= 99.95
                           ? 0
                       : shown >= 9.995 ? 1
                                        : 2;
    std::snprintf(text, sizeof text, "%.*f %s%s", decimals, shown, prefix, unit);
    return text;
}

bool doesFit(const TaskFacts& facts)
{
    return !facts.memory || !facts.device ||
           costs::fits(*facts.memory, static_cast<double>(facts.device->memory_bytes));
}

} // namespace

std::string flopsText(double flops)
{
    return scaled(flops, "FLOP");
}

std::string memoryWarning(const TaskFacts& facts)
{
    if (doesFit(facts))
        return {};
    return "Judging this task needs about " + base::bytesText(facts.memory->total_bytes()) +
           (facts.onGpu() ? " of GPU memory" : " of memory") + " by forecast, and " + facts.device->model + " has " +
           base::bytesText(static_cast<double>(facts.device->memory_bytes)) + ": it will probably run out of memory";
}

std::string shortMemoryWarning(const TaskFacts& facts)
{
    if (doesFit(facts))
        return {};
    return "Probably does not fit: needs about " + base::bytesText(facts.memory->total_bytes()) + ", " +
           facts.device->model + " has " + base::bytesText(static_cast<double>(facts.device->memory_bytes));
}

} // namespace cudal1::taskfacts
