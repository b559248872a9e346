// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of recorded facts.
#include "core/tasks/factsfile.h"

#include "core/tasks/publishedjson.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace cudal1::tasks {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr std::uint64_t mostEntries = 1'000'000;
constexpr PythonNumbers asFacts{R"("nan")", R"("inf")", R"("-inf")"}; ///< as core/judge/witness/facts.py writes them

/// Why a line is no row, or empty for a row.
std::string flawOfFacts(const json& row)
{
    if (row.is_discarded())
        return "the line is no JSON";
    if (!row.is_object())
        return "the line is no JSON object";
    for (const char* name : {"level", "id"})
        if (idIn(row, name) == 0)
            return std::string("the row has no ") + name;
    if (textIn(row, "name").empty())
        return "the row has no name";
    return {};
}

/// How often the block of a fold stands there; nothing for any other entry.
std::optional<std::uint64_t> repeatsOf(const json& entry)
{
    if (!entry.is_object() || entry.size() != 2)
        return {};
    const auto repeat = entry.find("repeat"), block = entry.find("block");
    if (repeat == entry.end() || block == entry.end() || !repeat->is_number_unsigned() || !block->is_array())
        return {};
    return repeat->get<std::uint64_t>();
}

} // namespace

base::Result<FactsFile> FactsFile::read(const std::filesystem::path& file)
{
    const auto text = readPublished(file);
    if (!text)
        return text.error();
    FactsFile out;
    int line = 0;
    for (std::size_t begin = 0; begin < text->size();) {
        const std::size_t end = std::min(text->find('\n', begin), text->size());
        const std::string content = text->substr(begin, end - begin);
        begin = end + 1;
        ++line;
        if (content.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        json row = parsePublished(content, asFacts);
        std::string flaw = flawOfFacts(row);
        if (flaw.empty()) {
            const base::TaskId task{std::to_string(idIn(row, "level")) + "/" + std::to_string(idIn(row, "id"))};
            if (out.m_rows.try_emplace(task, std::move(row)).second)
                out.m_tasks.push_back(task);
            else
                flaw = "an earlier line has facts of " + task.value + " already";
        }
        if (!flaw.empty())
            return Error{ErrorCode::Unreadable, "This is no file of facts: " + flaw,
                         file.string() + ":" + std::to_string(line),
                         "Each line is a JSON object with the facts of one task"};
    }
    return out;
}

const json* FactsFile::row(const base::TaskId& task) const
{
    const auto found = m_rows.find(task);
    return found == m_rows.end() ? nullptr : &found->second;
}

std::filesystem::path factsOfSuite(const std::filesystem::path& suite)
{
    return suite / "facts.jsonl";
}

json unfolded(const json& value)
{
    if (value.is_object()) {
        json out = json::object();
        for (const auto& [name, field] : value.items())
            out[name] = unfolded(field);
        return out;
    }
    if (!value.is_array())
        return value;
    json out = json::array();
    for (const json& entry : value) {
        const auto repeats = repeatsOf(entry);
        const json block = repeats ? unfolded(entry["block"]) : json();
        if (!repeats || *repeats > mostEntries || *repeats * block.size() > mostEntries) {
            out.push_back(unfolded(entry));
            continue;
        }
        for (std::uint64_t i = 0; i < *repeats; ++i)
            out.insert(out.end(), block.begin(), block.end());
    }
    return out;
}

} // namespace cudal1::tasks
