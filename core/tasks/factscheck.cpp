// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of derived and recorded facts.
#include "core/tasks/factscheck.h"

#include "core/tasks/factsfile.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cudal1::tasks {

using nlohmann::json;

namespace {

constexpr std::array<const char*, 11> fields{
    "input_generators", "inputs",  "init_inputs", "init_parameters", "forward_parameters", "initialisation",
    "parameters",       "buffers", "modules",     "outputs",         "operators"};
constexpr std::array<const char*, 3> labels{"level", "id", "name"}; ///< of the row, not of the module
constexpr std::size_t longest = 300;

/// As text, so that 1, 1.0 and true are three things.
std::string textOf(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string shortened(std::string text)
{
    if (text.size() <= longest)
        return text;
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end; // within a character
    return text.substr(0, end) + "…";
}

/// Of a list with a difference at `at`.
std::string entryText(const json& list, std::size_t at)
{
    return std::to_string(list.size()) + " entries, at " + std::to_string(at) + ": " +
           (at < list.size() ? textOf(list[at]) : "none");
}

/// Empty when they are equal.
std::string difference(const char* field, const json& have, const json& want)
{
    if (textOf(have) == textOf(want))
        return {};
    std::string haveText = textOf(have), wantText = textOf(want);
    if (have.is_array() && want.is_array()) {
        std::size_t at = 0;
        while (at < have.size() && at < want.size() && textOf(have[at]) == textOf(want[at]))
            ++at;
        haveText = entryText(have, at);
        wantText = entryText(want, at);
    }
    return std::string(field) + " has " + shortened(haveText) + "; the facts say " + shortened(wantText);
}

} // namespace

std::vector<std::string> differences(const json& derived, const json& row)
{
    std::vector<std::string> found;
    for (const char* field : fields) {
        const auto have = derived.find(field), want = row.find(field);
        if (have == derived.end() || want == row.end()) {
            found.push_back(std::string(field) + (want == row.end() ? " is not among the facts" : " was not derived"));
            continue;
        }
        if (std::string sentence = difference(field, unfolded(*have), unfolded(*want)); !sentence.empty())
            found.push_back(std::move(sentence));
    }
    for (const auto& [name, value] : row.items()) {
        const auto is = [&name = name](const char* known) { return name == known; };
        if (std::none_of(fields.begin(), fields.end(), is) && std::none_of(labels.begin(), labels.end(), is))
            found.push_back("the fact " + name + " is one that nothing checks");
    }
    return found;
}

} // namespace cudal1::tasks
