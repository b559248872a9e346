// SPDX-License-Identifier: GPL-3.0-or-later
// A language model as a policy.
#pragma once

#include "core/language/promptbuilder.h"
#include "core/policy/policy.h"

#include <memory>

namespace cudal1::language {

/// Asks a model as its method says and takes programs out of the replies. It remembers nothing: what it asks follows
/// from the prompt alone, also after a kill.
///
/// Replies that come are kept, whatever becomes of others: a reply that fails is a trouble of the Reply and no sample.
/// When all of them fail, so does the question, with the first one's error. Prompt::limit is not read: the user says
/// how many samples there are.
///
/// The replies of one question come side by side; what is written is told of one reply at a time, so that a person can
/// read it.
class LanguagePolicy : public policy::Policy {
public:
    LanguagePolicy(std::unique_ptr<policy::ChatModel> model, PromptBuilder builder);

    std::string name() const override { return m_model->name(); }
    std::unique_ptr<policy::Question> ask(const policy::Prompt& prompt, policy::Listener listener) override;
    int furtherTurns() const override { return m_builder.method().furtherTurns(); }
    bool readsBackground() const override { return m_builder.readsBackground(); }
    bool readsGraph() const override { return m_builder.readsGraph(); }

private:
    std::unique_ptr<policy::ChatModel> m_model;
    PromptBuilder m_builder;
};

} // namespace cudal1::language
