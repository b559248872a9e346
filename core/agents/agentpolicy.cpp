// SPDX-License-Identifier: GPL-3.0-or-later
// Questions to an agent, turn by turn.
#include "core/agents/agentpolicy.h"

#include "core/agents/agentsession.h"

#include <nlohmann/json.hpp>

#include <QString>

#include <algorithm>
#include <utility>

namespace cudal1::agents {

using models::Secret;

namespace {

/// Of a variable of the environment, by how such are called. The value of another one is a URL or a word, perhaps, that
/// a transcript is not readable without.
bool namesSecret(const std::string& variable)
{
    const QString name = QString::fromStdString(variable).toUpper();
    for (const char* word : {"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"})
        if (name.contains(QLatin1String(word)))
            return true;
    return false;
}

} // namespace

class AgentPolicy::Asked : public policy::Question {
public:
    explicit Asked(AgentPolicy& policy) : m_policy(&policy) {}
    /// Takes the question back: the agent is ended, with all that it has started.
    ~Asked() override
    {
        if (m_policy && m_policy->m_asked == this) {
            m_policy->m_asked = nullptr;
            m_policy->released();
        }
    }
    void over() { m_policy = nullptr; }

private:
    AgentPolicy* m_policy;
};

AgentPolicy::AgentPolicy(models::AgentSettings settings, std::vector<std::string> secretVariables)
    : m_settings(std::move(settings)), m_secretVariables(std::move(secretVariables))
{
}

AgentPolicy::~AgentPolicy()
{
    if (m_asked)
        m_asked->over();
}

std::string AgentPolicy::name() const
{
    return "agent: " + m_settings.name;
}

int AgentPolicy::evaluationsLeft(const policy::Prompt& prompt) const
{
    const auto used = std::count_if(prompt.answers.begin(), prompt.answers.end(),
                                    [&](const auto& one) { return one.policy == name() && one.unusable.empty(); });
    return m_settings.evaluations - int(used);
}

std::unique_ptr<policy::Question> AgentPolicy::ask(const policy::Prompt& prompt, policy::Listener listener)
{
    m_prompt = prompt;
    if (prompt.turn == 0)
        m_roundOver = -1;
    if (m_session && (prompt.turn == 0 || m_session->round() != prompt.round))
        endSession();
    if (m_session) {
        m_session->setPrompt(prompt);
    } else {
        if (m_roundOver == prompt.round || evaluationsLeft(prompt) < 1) {
            listener.replied(policy::Reply());
            return nullptr;
        }
        if (const auto made = makeSession(prompt, listener.bench); !made) {
            listener.replied(made.error());
            return nullptr;
        }
    }
    auto asked = std::make_unique<Asked>(*this);
    m_asked = asked.get();
    m_listener = std::move(listener);
    if (!m_unsaid.empty())
        say(std::exchange(m_unsaid, {}));
    look();
    return asked;
}

base::Status AgentPolicy::makeSession(const policy::Prompt& prompt, policy::Bench* bench)
{
    std::vector<Secret> secrets;
    for (const std::string& variable : m_secretVariables)
        if (const QByteArray value = qgetenv(variable.c_str()); value.size() >= 8) // shorter ones are words, perhaps
            secrets.emplace_back(value.toStdString());
    auto made = AgentSession::begin(m_settings, std::move(secrets), prompt, evaluationsLeft(prompt), bench);
    if (!made)
        return made.error();
    m_session = std::move(*made);
    QObject::connect(m_session.get(), &AgentSession::said, &m_context,
                     [this](const QString& text) { say(text.toStdString()); });
    QObject::connect(m_session.get(), &AgentSession::submitted, &m_context, [this] { look(); });
    QObject::connect(
        m_session.get(), &AgentSession::ended, &m_context, [this] { look(); }, Qt::QueuedConnection);
    return {};
}

void AgentPolicy::say(const std::string& text)
{
    constexpr std::size_t mostUnsaid = 64 << 10;
    if (m_asked && m_listener.partial)
        m_listener.partial(text);
    else if (m_unsaid.size() < mostUnsaid)
        m_unsaid += text;
}

/// Answers the question on its way where there is something to answer.
void AgentPolicy::look()
{
    if (!m_asked || !m_session || (!m_session->hasSubmissions() && !m_session->end()))
        return;
    policy::Reply out;
    if (m_session->hasSubmissions()) {
        out = reply(m_session->take());
    } else {
        out = closing();
        m_roundOver = m_prompt.round;
        endSession();
    }
    m_asked->over();
    m_asked = nullptr;
    const auto replied = std::move(m_listener.replied);
    m_listener = {};
    replied(std::move(out));
}

policy::Reply AgentPolicy::reply(std::vector<policy::Proposal> proposals) const
{
    policy::Reply out;
    out.proposals = std::move(proposals);
    out.prompt = m_session->taskText();
    out.version = m_session->client();
    out.settings = models::toJson(m_settings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.method = "agent";
    out.shown = m_session->shown();
    const auto last = std::find_if(m_prompt.answers.rbegin(), m_prompt.answers.rend(),
                                   [&](const policy::PastAnswer& one) { return one.policy == name(); });
    if (last != m_prompt.answers.rend())
        out.parent = last->sample;
    return out;
}

policy::Reply AgentPolicy::closing()
{
    policy::Reply out = reply({});
    const AgentSession::End end = *m_session->end();
    const std::string text = m_session->takeTranscript();
    const bool answered = std::any_of(m_prompt.answers.begin(), m_prompt.answers.end(),
                                      [&](const auto& one) { return one.policy == name(); });
    if (answered)
        out.closing = text;
    else
        out.unusable.push_back({text, "The agent has had nothing judged. " + end.why + ".", {}});
    const std::string count = std::to_string(m_session->judged());
    out.troubles.push_back(name() + ": " + end.why + ", after " + count +
                           (count == "1" ? " evaluation" : " evaluations"));
    return out;
}

void AgentPolicy::endSession()
{
    if (!m_session)
        return;
    m_session->disconnect(&m_context);
    m_session.reset();
    m_unsaid.clear();
}

void AgentPolicy::released()
{
    endSession();
    m_roundOver = -1;
}

base::Result<std::unique_ptr<policy::Policy>> makeAgentPolicy(const std::string& name,
                                                              const models::ModelSources& sources)
{
    auto settings = sources.registry.agent(name);
    if (!settings)
        return settings.error();
    std::vector<std::string> secrets;
    for (const std::string& variable : settings->variables)
        if (namesSecret(variable))
            secrets.push_back(variable);
    if (const auto endpoints = sources.registry.models())
        for (const models::EndpointSettings& one : *endpoints)
            if (!one.keyVariable.empty())
                secrets.push_back(one.keyVariable);
    return std::unique_ptr<policy::Policy>(std::make_unique<AgentPolicy>(std::move(*settings), std::move(secrets)));
}

} // namespace cudal1::agents
