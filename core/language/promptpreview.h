// SPDX-License-Identifier: GPL-3.0-or-later
// What a model would be sent, with about how much each part of it takes.
#pragma once

#include "core/language/promptbuilder.h"

#include <map>
#include <string>
#include <vector>

namespace cudal1::language {

struct PromptPreview {
    std::vector<policy::ChatMessage> messages;
    policy::SamplingSettings settings; ///< that go along with them
    std::string settingsText;          ///< JSON of these and of the method, as samples keep it
    std::size_t tokens = 0;            ///< about so many, as estimatedTokens() counts
    std::map<PromptPart, std::size_t>
        parts;                          ///< how many of them go with a part; 0: it is left out or has nothing to say
    int replies = 0;                    ///< asked for
    std::vector<base::VariantId> shown; ///< exemplars
};

/// The first question of a round. `prompt` has what is for readers of background where PromptBuilder::readsBackground()
/// says so. `who`: as storedName() has it. Any thread.
PromptPreview previewOf(const policy::Prompt& prompt, const AskMethod& method, const Templates& templates,
                        const std::string& who);

} // namespace cudal1::language
