// SPDX-License-Identifier: GPL-3.0-or-later
// From the table of kinds to modules.
#include "core/selftest/workkinds.h"

#include "core/base/replaceall.h"
#include "core/tasks/sourcefile.h"

#include <nlohmann/json.hpp>

#include <map>

namespace cudal1::selftest {

using base::replaceAll;

namespace {

/// The `number`th size of a shape; negative ones count from the end.
std::string sizeOf(const std::string& shape, int number)
{
    std::vector<std::string> sizes{""};
    for (const char c : shape) {
        if (c == ',')
            sizes.emplace_back();
        else if (c != ' ')
            sizes.back() += c;
    }
    const auto at = number < 0 ? int(sizes.size()) + number : number;
    return at >= 0 && at < int(sizes.size()) ? sizes[std::size_t(at)] : std::string();
}

base::Error unreadable(const std::filesystem::path& file, const std::string& why)
{
    return {base::ErrorCode::Corrupt, "The kinds of work cannot be read: " + why, file.string(),
            "Install the corpus anew"};
}

} // namespace

std::string Kinds::source(const WorkKind& kind, const std::string& name, int extra, bool cuda) const
{
    const std::string& shape = cuda ? kind.cudaShape : kind.cpuShape;
    std::string init = kind.init.empty() ? "pass" : kind.init;
    replaceAll(init, "WIDTH", sizeOf(shape, -1));
    replaceAll(init, "CHANNELS", sizeOf(shape, 1));
    std::string out = pattern;
    const std::map<std::string, std::string> values{{"@NAME@", name},
                                                    {"@INIT@", init},
                                                    {"@EXTRA@", std::to_string(extra)},
                                                    {"@STEPS@", std::to_string(kind.steps)},
                                                    {"@STEP@", kind.step},
                                                    {"@SHAPE@", shape}};
    for (const auto& [mark, value] : values)
        replaceAll(out, mark, value);
    return out;
}

base::Result<Kinds> readKinds(const std::filesystem::path& folder)
{
    Kinds out;
    const auto patternFile = folder / "work.py.in", tableFile = folder / "kinds.json";
    const tasks::SourceFile pattern = tasks::readSource(patternFile), table = tasks::readSource(tableFile);
    if (!pattern.ok())
        return unreadable(patternFile, pattern.flaw.message);
    if (!table.ok())
        return unreadable(tableFile, table.flaw.message);
    out.pattern = pattern.text;
    const auto json = nlohmann::json::parse(table.text, nullptr, false);
    if (!json.is_array() || json.empty())
        return unreadable(tableFile, "it is no list");
    try {
        for (const auto& row : json) {
            WorkKind kind;
            kind.name = row.at("name");
            kind.cudaShape = row.at("cuda");
            kind.cpuShape = row.at("cpu");
            kind.init = row.at("init");
            kind.step = row.at("step");
            kind.steps = row.at("steps");
            out.all.push_back(kind);
        }
    } catch (const nlohmann::json::exception& error) {
        return unreadable(tableFile, error.what());
    }
    return out;
}

} // namespace cudal1::selftest
