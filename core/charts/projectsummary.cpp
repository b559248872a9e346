// SPDX-License-Identifier: GPL-3.0-or-later
// The four numbers of a project.
#include "core/charts/projectsummary.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cudal1::report {

using State = store::TaskRow::State;

bool isTried(const store::TaskRow& row)
{
    // A task that is running for the first time has nothing to show before its first correct variant.
    return row.state == State::Running ? bool(row.bestVariant) : row.state != State::NotTried;
}

ProjectSummary summarise(std::span<const store::TaskRow> rows)
{
    ProjectSummary summary;
    for (const store::TaskRow& row : rows) {
        if (!isTried(row))
            continue;
        ++summary.tried;
        summary.correct += bool(row.bestVariant);
        summary.improved += row.best.low > store::TaskRow::leastGain;
        summary.ownPrecision += row.best.low > store::TaskRow::leastGain && row.marks.find('*') != std::string::npos;
        summary.inQuestion += row.best.low > store::TaskRow::leastGain && row.marks.find('!') != std::string::npos;
        summary.all.push_back(row.best.valid() ? row.best.estimate : 1.0);
        if (row.best.valid())
            summary.correctOnly.push_back(row.best.estimate);
    }
    std::sort(summary.all.begin(), summary.all.end());
    std::sort(summary.correctOnly.begin(), summary.correctOnly.end());
    summary.geometricMean = base::geometricMean(summary.all);
    summary.median = base::median(summary.all);
    return summary;
}

std::string devicesText(std::span<const store::TaskRow> rows)
{
    std::map<std::string, int> counts;
    for (const store::TaskRow& row : rows)
        if (row.best.valid())
            ++counts[row.deviceModel];
    if (counts.size() < 2)
        return {};
    std::vector<std::pair<std::string, int>> models(counts.begin(), counts.end());
    std::stable_sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out = "Best results of " + std::to_string(models.size()) + " device models: ";
    for (const auto& [model, count] : models)
        out += std::to_string(count) + " on " + model + (model == models.back().first ? "." : ", ");
    return out;
}

} // namespace cudal1::report
