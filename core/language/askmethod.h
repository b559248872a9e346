// SPDX-License-Identifier: GPL-3.0-or-later
// How a language model is asked: which exemplars it sees, how many replies it gives, and what follows on them.
#pragma once

#include "core/base/result.h"
#include "core/language/part.h"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace cudal1::language {

struct AskMethod {
    enum class Kind {
        Vanilla,     ///< best of n: the task alone, nothing of what was judged
        Evolve,      ///< up to 4 exemplars of one island, nothing learned (the paper's section 3.4)
        Contrastive, ///< 2 exemplars of different buckets (the paper's section 2.4)
        MultiTurn,   ///< a conversation: what the judge says is the next message, up to `turns` replies
    };
    Kind kind = Kind::Vanilla;
    int samples = 4;    ///< replies to a question, from 1; of multi-turn, conversations side by side
    int turns = 3;      ///< replies of a conversation, from 1; of multi-turn alone
    bool repair = true; ///< a rejected reply gets one turn more with the reasons; multi-turn has its own turns for that
    std::string sampler;          ///< of exemplars; empty: the kind's own
    std::set<PromptPart> without; ///< parts that are left out
    /// The first question word for word, as policy::messagesText() has it, in place of what the builder makes: a prompt
    /// that was edited, or that of a sample once more. It is of one task. Empty: as built.
    std::string text;

    int exemplars() const;           ///< at most so many in a prompt
    std::string samplerName() const; ///< "islands" of evolve, "bucket" of contrastive, unless another was named
    /// Left out besides `without`, since it would tell what this kind is not to know.
    std::set<PromptPart> leftOut() const;
    int furtherTurns() const; ///< as Policy has it

    bool operator==(const AskMethod&) const = default;
};

std::string_view wordOf(AskMethod::Kind kind); ///< "multi-turn"
/// All words, in the order of the enumeration.
std::span<const std::string_view> methodWords();
base::Result<AskMethod::Kind> kindFromText(const std::string& word);

/// InvalidArgument for numbers out of range, an unknown sampler, or a sampler for a kind that shows no exemplars.
base::Status check(const AskMethod& method);

/// JSON with every field, the same text for equal methods: what a run remembers.
std::string toJson(const AskMethod& method);
/// Unreadable for what toJson() did not write.
base::Result<AskMethod> methodFromJson(const std::string& text);

} // namespace cudal1::language
