// SPDX-License-Identifier: GPL-3.0-or-later
// How long an ablation will take, from earlier evaluations.
#pragma once

#include "core/ablation/ablation.h"

namespace cudal1::ablation {

struct Forecast {
    int waiting = 0;     ///< combinations to judge
    double each_s = 0;   ///< of one
    int from = 0;        ///< evaluations that `each_s` is the median of; 0: it is what is usual
    bool ofTask = false; ///< they are of this task; else of the same device and preset at least

    double seconds() const { return waiting * each_s; }
    /// "16 to judge, about 4 min (median of 3 evaluations of this task)"
    std::string text() const;
};

/// From what the ablation itself has found, else the task's evaluations with the same settings, else those of the
/// project; the newest few of them. Reads samples: not for a window's thread.
base::Result<Forecast> forecast(const store::Project& project, const AblationPlan& plan,
                                const AblationSettings& settings, const std::vector<CombinationRow>& rows,
                                bool again = false);

} // namespace cudal1::ablation
