// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of CUDA-L1's released result files.
#include "core/tasks/cudal1results.h"

#include "core/tasks/publishedjson.h"

#include <algorithm>

namespace cudal1::tasks {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

/// What a line without the fields of a row is, or empty for a row.
std::string flawOfResult(const json& row)
{
    if (row.is_discarded())
        return "the line is no JSON";
    if (!row.is_object())
        return "the line is no JSON object";
    for (const char* name : {"level_id", "task_id"})
        if (idIn(row, name) == 0)
            return std::string("the row has no ") + name;
    return {};
}

PublishedItem itemOf(const json& row, int line)
{
    PublishedItem item;
    item.line = line;
    item.level = idIn(row, "level_id");
    item.number = idIn(row, "task_id");
    item.key = std::to_string(item.level) + "/" + std::to_string(item.number);
    item.reference = textIn(row, "ref_code");
    takeCandidate(item, textIn(row, "custom_code"));
    json details = json::object();
    for (const auto& [name, value] : row.items())
        if (!value.is_string() || name.starts_with("score") ||
            std::find(deviceFields.begin(), deviceFields.end(), name) != deviceFields.end())
            details[name] = value;
    item.details = details.dump(-1, ' ', false, json::error_handler_t::replace);
    // Ratios of times are positive; what is not says that nothing was measured.
    if (const auto score = numberIn(row, "score_default"); score && *score > 0) {
        item.claimedSpeedup = score;
        item.claimedCorrect = true;
        if (item.candidate.empty())
            item.irregularities.push_back(
                {"claim_without_code", "a speed-up is claimed, and there is no code to judge"});
    } else if (!item.candidate.empty()) {
        item.irregularities.push_back({"no_result", "the row has code and no score_default"});
    }
    return item;
}

} // namespace

base::Result<Publication> readCudaL1Results(const std::filesystem::path& file)
{
    const auto text = readPublished(file);
    if (!text)
        return text.error();
    Publication out;
    out.source = "cuda-l1: " + file.filename().string();
    const auto take = [&](const json& row, const std::string& where, int line) {
        if (std::string flaw = flawOfResult(row); !flaw.empty())
            out.problems.push_back({where, std::move(flaw)});
        else
            out.items.push_back(itemOf(row, line));
    };
    const std::size_t first = text->find_first_not_of(" \t\r\n");
    if (first != std::string::npos && (*text)[first] == '[') {
        const json rows = parsePublished(*text);
        if (!rows.is_array())
            return Error{ErrorCode::Unreadable, "The file begins as a JSON array and is none", file.string(),
                         "Download it again: it may have been cut"};
        for (std::size_t at = 0; at < rows.size(); ++at)
            take(rows[at], "row " + std::to_string(at + 1), int(at + 1));
    } else {
        int line = 0;
        for (std::size_t at = 0; at < text->size();) {
            const std::size_t end = std::min(text->find('\n', at), text->size());
            const std::string row = text->substr(at, end - at);
            ++line;
            at = end + 1;
            if (row.find_first_not_of(" \t\r") != std::string::npos)
                take(parsePublished(row), "line " + std::to_string(line), line);
        }
    }
    if (out.items.empty())
        return Error{ErrorCode::Unreadable, "The file holds no row of CUDA-L1's results", file.string(),
                     out.problems.empty()
                         ? "It is empty"
                         : "Its first line: " + out.problems.front().message +
                               "; a row is a JSON object with level_id, task_id, ref_code and custom_code"};
    markRepeats(out);
    return out;
}

} // namespace cudal1::tasks
