// SPDX-License-Identifier: GPL-3.0-or-later
// What a model is sent: the questions that a policy's prompt comes to under a method.
#pragma once

#include "core/language/askmethod.h"
#include "core/language/templates.h"
#include "core/policy/chatmodel.h"

#include <string>
#include <vector>

namespace cudal1::language {

/// One request with what its replies are stored with.
struct PlannedQuestion {
    policy::ChatRequest request;
    base::SampleId parent;              ///< the answer that it follows; none for a first question
    bool repair = false;                ///< it asks to mend that answer
    std::vector<base::VariantId> shown; ///< exemplars in it, in their order
};

/// Pure: the same arguments give the same questions, so that a run which was cut off asks what it would have asked.
class PromptBuilder {
public:
    PromptBuilder(AskMethod method, Templates templates, policy::SamplingSettings settings = {});

    const AskMethod& method() const { return m_method; }

    /// Turn 0: one question with `samples` replies, less those that `answers` has already. Later turns: one question
    /// for each answer of `who` in the turn before that is not followed yet; of a method that is no conversation, only
    /// for those that were rejected, and of equal programs for the first one alone. None where there is nothing to ask.
    std::vector<PlannedQuestion> questions(const policy::Prompt& prompt, const std::string& who) const;
    /// Places in `prompt.exemplars` of those that turn 0 shows, by ascending score.
    std::vector<std::size_t> chosen(const policy::Prompt& prompt, const std::string& who) const;
    /// JSON of settings and method, as samples keep it.
    std::string settingsText(const policy::SamplingSettings& settings) const;
    /// Whether a prompt has parts that need Prompt::least, timeline or effects.
    bool readsBackground() const;
    bool readsGraph() const; ///< as above

private:
    std::vector<policy::ChatMessage> first(const policy::Prompt& prompt, const std::vector<std::size_t>& shown) const;
    std::string exemplarList(const policy::Prompt& prompt, const std::vector<std::size_t>& shown) const;
    std::string nextMessage(const policy::PastAnswer& answer) const;
    PlannedQuestion following(const policy::PastAnswer& answer, std::vector<policy::ChatMessage> messages) const;

    AskMethod m_method;
    Templates m_templates;
    policy::SamplingSettings m_settings;
};

/// What is drawn with this is drawn again in the same turn of the same run, in whichever project it is made, and
/// differs in every other; below 2^31, which every server takes for a seed. `place`: among the answers of the round.
std::uint64_t seedOf(const policy::Prompt& prompt, const std::string& who, std::int64_t place);

} // namespace cudal1::language
