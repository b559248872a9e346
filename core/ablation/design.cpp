// SPDX-License-Identifier: GPL-3.0-or-later
// Enumeration of designs and reading of lists.
#include "core/ablation/design.h"

#include "core/policy/toggles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace cudal1::ablation {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::array<std::pair<Design, std::string_view>, 4> designWords{{
    {Design::Full, "full"},
    {Design::One, "one"},
    {Design::LeaveOneOut, "leave-one-out"},
    {Design::List, "list"},
}};

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> out;
    while (true) {
        const std::size_t end = std::min(text.find(separator), text.size());
        std::string_view part = text.substr(0, end);
        while (!part.empty() && part.front() == ' ')
            part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ')
            part.remove_suffix(1);
        out.emplace_back(part);
        if (end == text.size())
            return out;
        text.remove_prefix(end + 1);
    }
}

base::Result<std::uint32_t> combinationOf(const std::string& text, const std::vector<std::string>& toggles)
{
    if (text == "none")
        return 0U;
    if (text == "all")
        return allOn(toggles.size());
    std::uint32_t out = 0;
    for (const std::string& name : split(text, '+')) {
        const auto found = std::find_if(toggles.begin(), toggles.end(), [&](const std::string& one) {
            return one == name || policy::techniqueOf(one) == policy::techniqueOf(name);
        });
        if (found == toggles.end()) {
            std::string has;
            for (const std::string& one : toggles)
                has += (has.empty() ? "" : ", ") + one;
            return Error{ErrorCode::InvalidArgument, "\"" + name + "\" is no toggle of this ablation", "it has " + has,
                         "A combination is none, all, or names joined with +, such as cuda_graph+tf32"};
        }
        out |= 1U << (found - toggles.begin());
    }
    return out;
}

} // namespace

std::string_view toString(Design design)
{
    for (const auto& [value, word] : designWords)
        if (value == design)
            return word;
    return {};
}

bool fromString(std::string_view text, Design& out)
{
    for (const auto& [value, word] : designWords)
        if (text == word) {
            out = value;
            return true;
        }
    return false;
}

std::uint32_t allOn(std::size_t toggles)
{
    return toggles >= 32 ? ~0U : (1U << toggles) - 1;
}

base::Result<std::vector<std::uint32_t>> combinations(Design design, const std::vector<std::string>& toggles,
                                                      const std::string& list)
{
    const std::size_t count = toggles.size();
    if (count == 0)
        return Error{
            ErrorCode::InvalidArgument,
            "There is no toggle to switch",
            {},
            "Write USE_NAME = True at the left edge of the source for each optimisation, and use it as its condition"};
    if (count > mostToggles)
        return Error{ErrorCode::InvalidArgument,
                     std::to_string(count) + " toggles are too many",
                     {},
                     "Name at most 32 with --toggles"};
    if (design == Design::Full && count > mostFull)
        return Error{ErrorCode::InvalidArgument,
                     "All combinations of " + std::to_string(count) + " toggles are too many",
                     {},
                     "Name at most 10 of them, or choose another design: one, leave-one-out or list"};
    std::vector<std::uint32_t> out;
    switch (design) {
    case Design::Full:
        for (std::uint32_t on = 0; on <= allOn(count); ++on)
            out.push_back(on);
        std::stable_sort(out.begin(), out.end(),
                         [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); });
        break;
    case Design::One:
        out.push_back(0);
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(1U << i);
        break;
    case Design::LeaveOneOut:
        out.push_back(allOn(count));
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(allOn(count) & ~(1U << i));
        break;
    case Design::List:
        for (const std::string& part : split(list, ',')) {
            if (part.empty())
                continue;
            const auto one = combinationOf(part, toggles);
            if (!one)
                return one.error();
            if (std::find(out.begin(), out.end(), *one) == out.end())
                out.push_back(*one);
        }
        if (out.empty())
            return Error{ErrorCode::InvalidArgument,
                         "The list of combinations is empty",
                         {},
                         "For example none, cuda_graph, cuda_graph+tf32, all"};
        break;
    }
    return out;
}

} // namespace cudal1::ablation
