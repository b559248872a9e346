// SPDX-License-Identifier: GPL-3.0-or-later
// One question to several policies.
#include "core/language/combinedpolicy.h"

#include <algorithm>
#include <optional>

namespace cudal1::language {

namespace {

bool saysNothing(const policy::Reply& reply)
{
    return reply.proposals.empty() && reply.unusable.empty() && reply.declined.empty() && reply.troubles.empty() &&
           reply.closing.empty();
}

class AskingAll : public policy::Question {
public:
    AskingAll(std::vector<std::string> names, policy::Listener listener)
        : m_names(std::move(names)), m_listener(std::move(listener)), m_replies(m_names.size()), m_left(m_names.size())
    {
    }

    /// The last reply may come from within, and the listener may then destroy this: nothing is touched after it.
    void ask(const std::vector<policy::Policy*>& policies, const policy::Prompt& prompt)
    {
        m_asking = true;
        for (std::size_t at = 0; at < policies.size(); ++at) {
            if (!policies[at]) { // it has no more turns
                m_replies[at] = policy::Reply();
                --m_left;
                continue;
            }
            policy::Listener listener;
            listener.partial = m_listener.partial;
            listener.waiting = m_listener.waiting;
            listener.arrived = m_listener.arrived;
            listener.bench = m_listener.bench;
            listener.replied = [this, at](base::Result<policy::Reply> reply) {
                m_replies[at] = std::move(reply);
                if (--m_left == 0 && !m_asking)
                    finish();
            };
            m_asked.push_back(policies[at]->ask(prompt, std::move(listener)));
        }
        m_asking = false;
        if (m_left == 0)
            finish();
    }

private:
    void finish()
    {
        std::vector<policy::Reply> parts;
        std::optional<base::Error> error;
        policy::Reply out;
        bool any = false;
        for (std::size_t at = 0; at < m_replies.size(); ++at) {
            base::Result<policy::Reply>& reply = *m_replies[at];
            if (!reply) {
                if (!error)
                    error = reply.error();
                out.troubles.push_back(m_names[at] + " has not answered: " + reply.error().text());
                continue;
            }
            any = true;
            std::vector<policy::Reply> further = std::move(reply->further);
            reply->further.clear();
            further.insert(further.begin(), std::move(*reply));
            for (policy::Reply& part : further) {
                if (part.policy.empty())
                    part.policy = m_names[at];
                for (std::string& trouble : part.troubles)
                    out.troubles.push_back(std::move(trouble));
                part.troubles.clear();
                out.declined.insert(out.declined.end(), part.declined.begin(), part.declined.end());
                part.declined.clear();
                if (!saysNothing(part))
                    parts.push_back(std::move(part));
            }
        }
        out.further = std::move(parts);
        const auto replied = std::move(m_listener.replied);
        if (!any)
            replied(std::move(*error));
        else
            replied(std::move(out));
    }

    std::vector<std::string> m_names;
    policy::Listener m_listener;
    std::vector<std::optional<base::Result<policy::Reply>>> m_replies;
    std::vector<std::unique_ptr<policy::Question>> m_asked;
    std::size_t m_left;
    bool m_asking = false;
};

} // namespace

CombinedPolicy::CombinedPolicy(std::vector<std::unique_ptr<policy::Policy>> policies) : m_policies(std::move(policies))
{
}

std::string CombinedPolicy::name() const
{
    std::string out;
    for (const auto& one : m_policies)
        out += (out.empty() ? "" : " + ") + one->name();
    return out;
}

std::unique_ptr<policy::Question> CombinedPolicy::ask(const policy::Prompt& prompt, policy::Listener listener)
{
    std::vector<std::string> names;
    std::vector<policy::Policy*> asked;
    for (const auto& one : m_policies) {
        names.push_back(one->name());
        asked.push_back(prompt.turn <= one->furtherTurns() ? one.get() : nullptr);
    }
    auto asking = std::make_unique<AskingAll>(std::move(names), std::move(listener));
    asking->ask(asked, prompt);
    return asking;
}

int CombinedPolicy::furtherTurns() const
{
    int most = 0;
    for (const auto& one : m_policies)
        most = std::max(most, one->furtherTurns());
    return most;
}

bool CombinedPolicy::readsGraph() const
{
    return std::any_of(m_policies.begin(), m_policies.end(), [](const auto& one) { return one->readsGraph(); });
}

bool CombinedPolicy::readsBackground() const
{
    return std::any_of(m_policies.begin(), m_policies.end(), [](const auto& one) { return one->readsBackground(); });
}

void CombinedPolicy::released()
{
    for (const auto& one : m_policies)
        one->released();
}

void CombinedPolicy::told(const std::string& source, const protocol::Evaluation& evaluation)
{
    for (const auto& one : m_policies)
        one->told(source, evaluation);
}

} // namespace cudal1::language
