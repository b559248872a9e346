// SPDX-License-Identifier: GPL-3.0-or-later
// Several policies as one.
#pragma once

#include "core/policy/policy.h"

#include <memory>
#include <vector>

namespace cudal1::language {

/// Asks all of them the same and waits for all. The reply has what each has answered as a part of its own, with its
/// name (Reply::further), so that every sample and variant is kept as that policy's. One that fails is a trouble of the
/// reply; when all fail, so does the question, with the first one's error.
class CombinedPolicy : public policy::Policy {
public:
    explicit CombinedPolicy(std::vector<std::unique_ptr<policy::Policy>> policies); ///< at least one

    std::string name() const override; ///< "technique library + endpoint: qwen3"
    std::unique_ptr<policy::Question> ask(const policy::Prompt& prompt, policy::Listener listener) override;
    int furtherTurns() const override; ///< the most that one of them wants
    bool readsBackground() const override;
    bool readsGraph() const override;
    void released() override;
    void told(const std::string& source, const protocol::Evaluation& evaluation) override;

private:
    std::vector<std::unique_ptr<policy::Policy>> m_policies;
};

} // namespace cudal1::language
