// SPDX-License-Identifier: GPL-3.0-or-later
// The four numbers of a project.
#include "core/report/summary.h"

#include <algorithm>

namespace cudal1::report {

using State = store::TaskRow::State;

bool isTried(const store::TaskRow& row)
{
    // A task that is running for the first time has nothing to show before its first correct variant.
    return row.state == State::Running ? bool(row.bestVariant) : row.state != State::NotTried;
}

Summary summarise(std::span<const store::TaskRow> rows)
{
    Summary summary;
    for (const store::TaskRow& row : rows) {
        if (!isTried(row))
            continue;
        ++summary.tried;
        summary.correct += bool(row.bestVariant);
        summary.improved += row.best.low > store::TaskRow::leastGain;
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

} // namespace cudal1::report
