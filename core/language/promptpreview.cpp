// SPDX-License-Identifier: GPL-3.0-or-later
// A part's tokens are those by which the prompt shrinks without it.
#include "core/language/promptpreview.h"

#include "core/language/tokenestimate.h"

namespace cudal1::language {

PromptPreview previewOf(const policy::Prompt& prompt, const AskMethod& method, const Templates& templates,
                        const std::string& who)
{
    PromptPreview out;
    const PromptBuilder builder(method, templates);
    const auto questions = builder.questions(prompt, who);
    if (questions.empty())
        return out;
    const PlannedQuestion& question = questions.front();
    out.messages = question.request.messages;
    out.settings = question.request.settings;
    out.settingsText = builder.settingsText(question.request.settings);
    out.tokens = estimatedTokens(out.messages);
    out.replies = question.request.replies;
    out.shown = question.shown;
    std::set<PromptPart> leftOut = method.leftOut();
    leftOut.insert(method.without.begin(), method.without.end());
    for (const PartInfo& info : parts()) {
        AskMethod less = method;
        less.without.insert(info.part);
        const auto asked = PromptBuilder(less, templates).questions(prompt, who);
        const std::size_t rest = asked.empty() ? out.tokens : estimatedTokens(asked.front().request.messages);
        out.parts[info.part] = leftOut.contains(info.part) || rest > out.tokens ? 0 : out.tokens - rest;
    }
    return out;
}

} // namespace cudal1::language
