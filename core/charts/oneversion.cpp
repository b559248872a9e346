// SPDX-License-Identifier: GPL-3.0-or-later
// Choice of a version and what it leaves out.
#include "core/charts/oneversion.h"

#include "core/charts/projectsummary.h"

#include <algorithm>

namespace cudal1::charts {

namespace {

std::string countedText(int number, const char* one, const char* many)
{
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

} // namespace

OneVersion oneVersion(std::span<const store::TaskRow> rows, const std::function<bool(const store::TaskRow&)>& preferred)
{
    OneVersion out;
    const auto isPreferred = [&](const store::TaskRow& row) { return row.level > 0 && preferred && preferred(row); };
    std::map<std::string, int> tried;
    bool found = false;
    for (const store::TaskRow& row : rows) {
        if (row.level == 0 || !isTried(row))
            continue;
        ++tried[row.suite];
        if (!found && isPreferred(row)) {
            found = true;
            out.suite = row.suite;
        }
    }
    if (!found && !tried.empty())
        out.suite = std::max_element(tried.begin(), tried.end(), [](const auto& a, const auto& b) {
                        return a.second < b.second;
                    })->first;
    for (const store::TaskRow& row : rows) {
        const bool counts = row.level == 0 || tried.empty() || (found ? isPreferred(row) : row.suite == out.suite);
        out.counts.push_back(counts);
        if (counts)
            out.otherTexts += row.otherTexts;
        else if (isTried(row))
            ++out.leftOut[row.suite];
    }
    return out;
}

std::string OneVersion::sentence() const
{
    int tasks = 0;
    std::string of;
    for (const auto& [name, number] : leftOut) {
        tasks += number;
        of += (of.empty() ? "" : ", ") + std::to_string(number) + " of " + (name.empty() ? "no known version" : name);
    }
    std::string out;
    if (tasks > 0)
        out = "Only tasks of " + suite + " count here. " +
              countedText(tasks, "task of another version is", "tasks of other versions are") + " left out: " + of +
              ".";
    if (otherTexts > 0)
        out += (out.empty() ? "" : " ") + countedText(otherTexts, "result", "results") +
               " for another text of these tasks " + (otherTexts == 1 ? "is" : "are") + " left out.";
    return out;
}

} // namespace cudal1::charts
