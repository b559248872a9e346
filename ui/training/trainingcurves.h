// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of a training as charts. Pure; any thread.
#pragma once

#include "core/charts/chart.h"
#include "core/learning/steplog.h"

#include <vector>

namespace cudal1::ui {

/// Loss, reward, success, share above 1.01, exploits, KL, entropy, length, clip share, zero-variance share, tokens a
/// second, and the time of a step by phase: a chart for each that the steps have numbers for. Of several updates of a
/// batch the last one counts. Long trainings are put together in at most 200 places, each with its mean, and with a
/// band from its least to its greatest value. `planned`: steps in all, where the axis ends.
std::vector<charts::Chart> curvesOf(const learning::LoggedSteps& log, int planned);

} // namespace cudal1::ui
