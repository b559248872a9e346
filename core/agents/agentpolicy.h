// SPDX-License-Identifier: GPL-3.0-or-later
// A coding agent as a policy.
#pragma once

#include "core/models/makechatmodel.h"
#include "core/policy/policy.h"

#include <QObject>

#include <memory>
#include <string>
#include <vector>

namespace cudal1::agents {

class AgentSession;

/// A round of the search is one session of the agent. The session lives from turn to turn: each turn's reply is what
/// the agent has submitted to its tool `evaluate`, and the next question, which brings what the judge said, is what the
/// tool answers. So every program that an agent has judged is stored before it is judged, as a variant and as a sample
/// with the transcript up to it, and a search that was killed goes on with the next turn, by a new session that has the
/// evaluations that are left.
///
/// A program of the agent that is not there, and a folder that cannot be made, are errors of the question. Any other
/// end without a program is a reply that cannot be used. Nothing that the agent says of a program is used, but as text.
class AgentPolicy : public policy::Policy {
public:
    AgentPolicy(models::AgentSettings settings, std::vector<std::string> secretVariables);
    ~AgentPolicy() override;

    std::string name() const override; ///< "agent: NAME"
    std::unique_ptr<policy::Question> ask(const policy::Prompt& prompt, policy::Listener listener) override;
    int furtherTurns() const override { return m_settings.evaluations; }
    bool readsBackground() const override { return true; }
    void released() override;

private:
    class Asked;

    base::Status makeSession(const policy::Prompt& prompt, policy::Bench* bench);
    int evaluationsLeft(const policy::Prompt& prompt) const;
    void look();
    policy::Reply reply(std::vector<policy::Proposal> proposals) const;
    policy::Reply closing();
    void say(const std::string& text);
    void endSession();

    const models::AgentSettings m_settings;
    const std::vector<std::string> m_secretVariables;
    std::unique_ptr<AgentSession> m_session;
    policy::Prompt m_prompt; ///< of the question on its way, or of the last one
    policy::Listener m_listener;
    Asked* m_asked = nullptr; ///< the question on its way
    std::string m_unsaid;     ///< written while nobody asked
    int m_roundOver = -1;     ///< the round whose session has ended
    QObject m_context;        ///< of connections
};

/// "agent:NAME" of the registry. NotFound as its agent(); what keys of models the environment has is taken out of
/// transcripts.
base::Result<std::unique_ptr<policy::Policy>> makeAgentPolicy(const std::string& name,
                                                              const models::ModelSources& sources);

} // namespace cudal1::agents
