// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a prompt, each of which can be left out, so that its worth can be measured.
#pragma once

#include "core/base/result.h"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace cudal1::language {

/// The paper's five (section 2.4.2 and table 3, with the reference apart as in table 3), then what this program knows
/// beyond them.
enum class PromptPart {
    Task,         ///< what is wanted, on which device, with what at hand
    Reference,    ///< the task's source
    Exemplars,    ///< variants with scores
    Protocol,     ///< the three sections of the reply
    Restrictions, ///< what a reply may not do
    Costs,        ///< operations, bytes and floor of the task
    Operators,    ///< the reference's operators with their times
    Timeline,     ///< what ran when in the best variant
    Failures,     ///< what failed, with the judge's reasons
    Effects,      ///< what techniques brought on like tasks
    Toggles,      ///< the request to make each optimisation one that can be switched off
};

struct PartInfo {
    PromptPart part;
    std::string_view id;   ///< "exemplars", which is also the name of its template
    std::string_view what; ///< one line for a list
};
std::span<const PartInfo> parts();
std::string_view idOf(PromptPart part);

/// "costs,operators": InvalidArgument with the list of parts for a name that is none.
base::Result<std::set<PromptPart>> partsFromText(const std::string& text);
/// In the order of parts().
std::string textOf(const std::set<PromptPart>& some);

} // namespace cudal1::language
