// SPDX-License-Identifier: GPL-3.0-or-later
// The table of parts.
#include "core/language/part.h"

#include <algorithm>
#include <array>

namespace cudal1::language {

namespace {

constexpr std::array<PartInfo, 11> partTable{{
    {PromptPart::Task, "task", "what is wanted, on which device, and what can be used for it"},
    {PromptPart::Reference, "reference", "the source of the task"},
    {PromptPart::Costs, "costs", "operations, bytes and the time that no correct call can beat"},
    {PromptPart::Operators, "operators", "the operators of the reference with their times"},
    {PromptPart::Timeline, "timeline", "what took the time in a recorded call of the best variant, and its gaps"},
    {PromptPart::Exemplars, "exemplars", "variants that were judged, with their scores"},
    {PromptPart::Failures, "failures", "variants that failed, with the judge's reasons"},
    {PromptPart::Effects, "effects", "what techniques have brought on like tasks"},
    {PromptPart::Protocol, "protocol", "the three sections of a reply"},
    {PromptPart::Toggles, "toggles", "the request for a switch for each optimisation"},
    {PromptPart::Restrictions, "restrictions", "what a reply may not do"},
}};

} // namespace

std::span<const PartInfo> parts()
{
    return partTable;
}

std::string_view idOf(PromptPart part)
{
    return std::find_if(partTable.begin(), partTable.end(), [part](const PartInfo& one) { return one.part == part; })
        ->id;
}

base::Result<std::set<PromptPart>> partsFromText(const std::string& text)
{
    std::set<PromptPart> out;
    for (std::size_t at = 0; at <= text.size() && !text.empty();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string_view word = std::string_view(text).substr(at, end - at);
        const auto found = std::find_if(partTable.begin(), partTable.end(),
                                        [&](const PartInfo& one) { return one.id == word; });
        if (found == partTable.end()) {
            std::string all;
            for (const PartInfo& one : partTable)
                all += (all.empty() ? "" : ", ") + std::string(one.id);
            return base::Error{base::ErrorCode::InvalidArgument,
                               "A prompt has no part \"" + std::string(word) + "\"",
                               {},
                               "The parts are " + all};
        }
        out.insert(found->part);
        at = end + 1;
    }
    return out;
}

std::string textOf(const std::set<PromptPart>& some)
{
    std::string out;
    for (const PartInfo& one : partTable)
        if (some.contains(one.part))
            out += (out.empty() ? "" : ",") + std::string(one.id);
    return out;
}

} // namespace cudal1::language
