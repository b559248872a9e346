// SPDX-License-Identifier: GPL-3.0-or-later
// The four numbers of a project and its percentiles, from the rows of its tasks.
#pragma once

#include "core/protocol/marks.h"
#include "core/store/project.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace cudal1::charts {

/// A task counts as tried when a variant of it was judged. In the means it is what countedInMeans() says.
struct ProjectSummary {
    int tried = 0;
    int correct = 0; ///< tasks with a correct variant
    // Tasks whose whole interval lies above TaskRow::leastGain, each counted once:
    int trueGains = 0;    ///< at the reference's precision, and nothing puts them in question
    int ownPrecision = 0; ///< nothing puts them in question, but they come at a precision of their own
    int inQuestion = 0;   ///< a label puts them in question
    double geometricMean = 0, median = 0;
    std::vector<double> all;         ///< a speed-up for every tried task, ascending
    std::vector<double> correctOnly; ///< those of correct and timed variants as they were measured, ascending
};

/// How the best variant of a task is classed, where a gain counts as one if protocol::gainRank() counts it.
protocol::Merit meritOf(const store::TaskRow& row);
/// Whether its best variant is slower than the reference by its whole interval: more than no gain.
bool isSlower(const store::TaskRow& row);
/// protocol::countedInMeans() of its best variant.
double countedInMeans(const store::TaskRow& row);
/// "8 at another precision, 3 questioned": the gains that are not true ones. Empty where there are none.
std::string otherGainsText(const ProjectSummary& summary);

bool isTried(const store::TaskRow& row);
ProjectSummary summarise(std::span<const store::TaskRow> rows);
/// How many of the best results are of each device model.
std::map<std::string, int> resultsByDevice(std::span<const store::TaskRow> rows);
/// "Best results of 2 device models: 40 on NVIDIA H200, 12 on NVIDIA A100." Empty where all are of one.
std::string devicesText(std::span<const store::TaskRow> rows);

} // namespace cudal1::charts
