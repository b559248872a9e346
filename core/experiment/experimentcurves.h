// SPDX-License-Identifier: GPL-3.0-or-later
// How the best speed-up of an experiment's runs grew with what it took: a line for each policy and method.
#pragma once

#include "core/charts/chart.h"
#include "core/experiment/experimentplan.h"
#include "core/experiment/experimentrows.h"

namespace cudal1::experiment {

/// What is laid along the axis; of one run, since the runs of an arm are put together.
enum class Along { Samples, Tokens, Cost };

/// How the line of an arm looks, the same in every chart of its experiment.
struct LineLook {
    charts::Ink ink = charts::Ink::Variant;
    int dash = 0; ///< charts::Series::pattern
};
LineLook lineOf(std::size_t arm);

/// Units in which any run has cost something.
std::vector<std::string> costUnits(const std::vector<CellResult>& results);

/// A line is the geometric mean, over the runs of an arm that were begun, of countedScore() of the best reward so far,
/// and a run that is over keeps what it came to: where all are over, a line ends at the geometric mean of
/// Counting::AtLeastOne. Runs that have replies, but no known cost or tokens, are left out along these. Lines that
/// coincide differ by their dashes, and the note names them. The band reaches from the seed that stands lowest to the
/// one that stands highest, each with the geometric mean of its own runs. `unit` is that of Along::Cost; arms that cost
/// nothing in it have no line there.
charts::Chart curvesOf(const std::vector<Arm>& arms, const std::vector<CellResult>& results, Along along,
                       const std::string& unit = {});

} // namespace cudal1::experiment
