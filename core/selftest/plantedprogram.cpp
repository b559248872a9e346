// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of the heads of planted programs.
#include "core/selftest/plantedprogram.h"

#include "core/base/cuttext.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>

namespace cudal1::selftest {

namespace {

constexpr std::array<std::string_view, 9> fieldNames{"class", "device", "task",  "expect", "honest",
                                                     "ends",  "labels", "needs", "threads"};
constexpr std::array<std::string_view, 4> knownNeeds{"compiler", "nvcc", "ninja", "x86_64"};

std::vector<std::string> words(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string word; in >> word;)
        out.push_back(word);
    return out;
}

template<class Range> bool contains(const Range& range, std::string_view word)
{
    return std::find(range.begin(), range.end(), word) != range.end();
}

bool isExpectation(const PlantedProgram& program)
{
    if (program.kind.empty())
        return contains(std::array<std::string_view, 4>{"", "incorrect", "slower", "faster"}, program.expect);
    constexpr std::string_view label = "label:";
    return program.expect == "reject" || program.expect == "no_gain" ||
           (program.expect.starts_with(label) && program.expect.size() > label.size());
}

} // namespace

base::Result<PlantedProgram> parseProgram(const std::filesystem::path& path, const std::string& source)
{
    const auto bad = [&](const std::string& message) {
        return base::Error{base::ErrorCode::Corrupt, "A planted program is not as it must be: " + message,
                           path.string(), "Install the corpus anew"};
    };
    std::istringstream in(source);
    std::string line;
    if (!std::getline(in, line) || !line.starts_with("# SPDX-License-Identifier: "))
        return bad("its first line is not the licence's");
    std::map<std::string, std::string, std::less<>> fields;
    PlantedProgram out;
    while (std::getline(in, line) && line.starts_with('#')) {
        const auto colon = line.find(": ");
        const std::string name = colon == std::string::npos || colon < 2 ? "" : line.substr(2, colon - 2);
        if (out.about.empty() && contains(fieldNames, name))
            fields[name] = base::trimmed(std::string_view(line).substr(colon + 2));
        else if (const std::string text(base::trimmed(std::string_view(line).substr(1))); !text.empty())
            out.about += (out.about.empty() ? "" : " ") + text;
    }
    for (const char* needed : {"device", "task"})
        if (!fields.contains(needed))
            return bad(std::string("its head has no \"# ") + needed + ":\"");
    if (out.about.empty())
        return bad("its head does not say how it works");
    out.path = path;
    out.source = source;
    out.device = fields["device"];
    out.task = fields["task"];
    out.kind = fields["class"];
    out.expect = fields["expect"];
    if (fields.contains("honest"))
        out.honest = fields["honest"];
    if (fields.contains("threads"))
        out.threads = fields["threads"];
    out.ends = words(fields["ends"]);
    out.labels = words(fields["labels"]);
    out.needs = words(fields["needs"]);
    if (!contains(std::array<std::string_view, 3>{"cpu", "cuda", "any"}, out.device))
        return bad("its device is " + out.device);
    if (!isExpectation(out))
        return bad("what it expects is \"" + out.expect + "\"");
    for (const std::string& need : out.needs)
        if (!contains(knownNeeds, need))
            return bad("it needs " + need + ", which is unknown");
    return out;
}

} // namespace cudal1::selftest
