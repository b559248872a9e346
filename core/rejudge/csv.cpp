// SPDX-License-Identifier: GPL-3.0-or-later
// Quoting and columns.
#include "core/rejudge/csv.h"

#include <charconv>

namespace cudal1::rejudge {

namespace {

std::string field(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

/// The shortest text that reads back as the same number, in every locale.
std::string field(double value)
{
    char out[32];
    return {out, std::to_chars(out, out + sizeof out, value).ptr};
}

std::string fields(const base::Interval& interval)
{
    return interval.valid() ? field(interval.estimate) + "," + field(interval.low) + "," + field(interval.high) : ",,";
}

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : "; ") + word;
    return out;
}

} // namespace

std::string csvOf(const std::vector<Outcome>& rows)
{
    std::string out = "source,key,task,name,variant,claimed,claimed_correct,event,event_low,event_high,wall,wall_low,wall_high,"
                      "verdict,reason,reason_text,labels,irregularities,seconds\r\n";
    for (const Outcome& row : rows) {
        const Found none;
        const Found& found = row.found ? *row.found : none;
        const protocol::Reason reason = found.reasons.empty() ? protocol::Reason() : found.reasons.front();
        out += field(row.source) + "," + field(row.key) + "," + field(row.task.value) + "," + field(row.taskName) + ",";
        out += row.variant ? std::to_string(row.variant.value) : "";
        out += "," + (row.claimed ? field(*row.claimed) : "") + ",";
        out += row.claimedCorrect ? (*row.claimedCorrect ? "true" : "false") : "";
        out += "," + fields(found.event) + "," + fields(found.wall) + "," + row.word() + "," + field(reason.code) + ","
            + field(reason.text) + "," + field(joined(found.labels)) + "," + field(joined(row.irregularities)) + ",";
        out += row.found ? field(found.seconds) : "";
        out += "\r\n";
    }
    return out;
}

} // namespace cudal1::rejudge
