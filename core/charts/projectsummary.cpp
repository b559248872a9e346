// SPDX-License-Identifier: GPL-3.0-or-later
// The four numbers of a project.
#include "core/charts/projectsummary.h"

#include <algorithm>
#include <utility>

namespace cudal1::charts {

using State = store::TaskRow::State;

bool isTried(const store::TaskRow& row)
{
    // A task that is running for the first time has nothing to show before its first correct variant.
    return row.state == State::Running ? bool(row.bestVariant) : row.state != State::NotTried;
}

protocol::Merit meritOf(const store::TaskRow& row)
{
    const bool counts = protocol::gainRank(row.best, row.marks) > 0 || isSlower(row);
    return counts ? protocol::meritOf(row.best, row.marks) : protocol::Merit::NotFaster;
}

bool isSlower(const store::TaskRow& row)
{
    return row.state == State::NoGain && row.best.valid() && base::compare(row.best) == base::Comparison::Slower;
}

double countedInMeans(const store::TaskRow& row)
{
    return protocol::countedInMeans(row.best, protocol::isQuestioned(row.marks)).estimate;
}

std::string otherGainsText(const ProjectSummary& summary)
{
    std::string out;
    if (summary.ownPrecision > 0)
        out += std::to_string(summary.ownPrecision) + " at another precision";
    if (summary.inQuestion > 0)
        out += (out.empty() ? "" : ", ") + std::to_string(summary.inQuestion) + " questioned";
    return out;
}

ProjectSummary summarise(std::span<const store::TaskRow> rows)
{
    ProjectSummary summary;
    for (const store::TaskRow& row : rows) {
        if (!isTried(row))
            continue;
        ++summary.tried;
        summary.correct += bool(row.bestVariant);
        const protocol::Merit merit = meritOf(row);
        summary.trueGains += merit == protocol::Merit::Gain;
        summary.ownPrecision += merit == protocol::Merit::OtherPrecision;
        summary.inQuestion += merit == protocol::Merit::Questioned;
        summary.all.push_back(countedInMeans(row));
        if (row.best.valid())
            summary.correctOnly.push_back(row.best.estimate);
    }
    std::sort(summary.all.begin(), summary.all.end());
    std::sort(summary.correctOnly.begin(), summary.correctOnly.end());
    summary.geometricMean = base::geometricMean(summary.all);
    summary.median = base::median(summary.all);
    return summary;
}

std::map<std::string, int> resultsByDevice(std::span<const store::TaskRow> rows)
{
    std::map<std::string, int> counts;
    for (const store::TaskRow& row : rows)
        if (row.best.valid())
            ++counts[row.deviceModel];
    return counts;
}

std::string devicesText(std::span<const store::TaskRow> rows)
{
    const std::map<std::string, int> counts = resultsByDevice(rows);
    if (counts.size() < 2)
        return {};
    std::vector<std::pair<std::string, int>> models(counts.begin(), counts.end());
    std::stable_sort(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out = "Best results of " + std::to_string(models.size()) + " device models: ";
    for (const auto& [model, count] : models)
        out += std::to_string(count) + " on " + model + (model == models.back().first ? "." : ", ");
    return out;
}

} // namespace cudal1::charts
