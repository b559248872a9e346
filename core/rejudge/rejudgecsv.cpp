// SPDX-License-Identifier: GPL-3.0-or-later
// Columns.
#include "core/rejudge/rejudgecsv.h"

#include "core/base/csv.h"

namespace cudal1::rejudge {

using base::csvField;

namespace {

std::string fields(const base::Interval& interval)
{
    return interval.valid() ? csvField(interval.estimate) + "," + csvField(interval.low) + "," + csvField(interval.high)
                            : ",,";
}

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : "; ") + word;
    return out;
}

} // namespace

std::string csvOf(const std::vector<ClaimOutcome>& rows)
{
    std::string out =
        "source,key,task,name,variant,claimed,claimed_correct,event,event_low,event_high,wall,wall_low,wall_high,"
        "verdict,reason,reason_text,labels,irregularities,seconds\r\n";
    for (const ClaimOutcome& row : rows) {
        const RejudgeResult none;
        const RejudgeResult& found = row.found ? *row.found : none;
        const protocol::Reason reason = found.reasons.empty() ? protocol::Reason() : found.reasons.front();
        out += csvField(row.source) + "," + csvField(row.key) + "," + csvField(row.task.value) + "," +
               csvField(row.taskName) + ",";
        out += row.variant ? std::to_string(row.variant.value) : "";
        out += "," + (row.claimed ? csvField(*row.claimed) : "") + ",";
        out += row.claimedCorrect ? (*row.claimedCorrect ? "true" : "false") : "";
        out += "," + fields(found.event) + "," + fields(found.wall) + "," + row.word() + "," + csvField(reason.code) +
               "," + csvField(reason.text) + "," + csvField(joined(found.labels)) + "," +
               csvField(joined(row.irregularities)) + ",";
        out += row.found ? csvField(found.seconds) : "";
        out += "\r\n";
    }
    return out;
}

} // namespace cudal1::rejudge
