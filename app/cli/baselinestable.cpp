// SPDX-License-Identifier: GPL-3.0-or-later
// Tables and JSON of baselines.
#include "app/cli/baselinestable.h"

#include "app/cli/rows.h"
#include "app/cli/texttable.h"
#include "core/base/ratiotext.h"
#include "core/base/timetext.h"
#include "core/optimize/outcometext.h"
#include "core/protocol/marks.h"

namespace cudal1::cli {

using base::ratioText;
using nlohmann::json;

std::string summaryText(const std::vector<baselines::BaselineSummary>& lines)
{
    TextTable table({{"level"},
                     {"baseline"},
                     {"measured", TextTable::Align::Right},
                     {"correct", TextTable::Align::Right},
                     {"mean", TextTable::Align::Right},
                     {"geometric", TextTable::Align::Right},
                     {"25 %", TextTable::Align::Right},
                     {"median", TextTable::Align::Right},
                     {"75 %", TextTable::Align::Right},
                     {"maximum", TextTable::Align::Right}});
    for (const baselines::BaselineSummary& line : lines) {
        const bool all = line.level == baselines::BaselineSummary::allLevels;
        std::vector<std::string> cells{levelText(all ? std::nullopt : std::optional(line.level)),
                                       std::string(line.kind->name), std::to_string(line.measured),
                                       std::to_string(line.correct)};
        for (const double value :
             {line.mean, line.geometricMean, line.lowerQuartile, line.median, line.upperQuartile, line.maximum})
            cells.push_back(line.timed > 0 ? ratioText(value) : "");
        table.add(std::move(cells));
    }
    return table.text() +
           "\nSpeed-ups over eager by wall; what is not correct is counted and in no mean, quartile or maximum.";
}

std::string baselinesTable(const Terminal& terminal, const std::vector<baselines::BaselineRow>& rows)
{
    TextTable table({{"task"},
                     {"baseline"},
                     {"variant", TextTable::Align::Right},
                     {"eager beside it", TextTable::Align::Right},
                     {"time", TextTable::Align::Right},
                     TextTable::whole("speed-up (wall)"),
                     {"by events", TextTable::Align::Right},
                     TextTable::whole("verdict"),
                     {"reason"},
                     {"device"}});
    std::string marks;
    std::set<std::string> codes;
    for (const baselines::BaselineRow& row : rows) {
        if (!row.found)
            continue;
        const baselines::BaselineResult& found = *row.found;
        const bool timed = found.wall.valid();
        table.add({row.task.value, std::string(row.kind->name), row.variant ? std::to_string(row.variant.value) : "",
                   timed ? base::timeText(found.wall.reference_ns) : "",
                   timed ? base::timeText(found.wall.candidate_ns) : "",
                   timed ? optimize::speedupText(found.wall.speedup, found.marks) : "",
                   found.event.valid() ? base::estimateText(found.event.speedup) : "",
                   tonedVerdict(terminal, found.verdict), found.reason.code, found.deviceModel});
        marks += found.marks;
        codes.insert(found.reason.code);
    }
    return table.text() + (marks.empty() ? "" : "\n\n" + protocol::marksText(marks)) + codesLegend(terminal, codes);
}

json toJson(const baselines::BaselineSummary& line)
{
    return {{"level", line.level == baselines::BaselineSummary::allLevels ? json("all") : json(line.level)},
            {"baseline", line.kind->id},
            {"measured", line.measured},
            {"correct", line.correct},
            {"timed", line.timed},
            {"mean", line.mean},
            {"geometric_mean", line.geometricMean},
            {"lower_quartile", line.lowerQuartile},
            {"median", line.median},
            {"upper_quartile", line.upperQuartile},
            {"maximum", line.maximum}};
}

} // namespace cudal1::cli
