// SPDX-License-Identifier: GPL-3.0-or-later
// Questions to a model, and its replies as proposals.
#include "core/language/languagepolicy.h"

#include "core/language/arrivedreply.h"
#include "core/language/replyparser.h"
#include "core/policy/chattext.h"
#include "core/policy/namedtechniques.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace cudal1::language {

using policy::ChatReply;

namespace {

void addReply(policy::Reply& out, const ChatReply& reply)
{
    if (out.version.empty())
        out.version = reply.model;
    if (reply.end == ChatReply::End::Refused) {
        out.unusable.push_back({reply.text, "The model's server has refused to answer.", reply.usage});
        return;
    }
    ParsedReply parsed = parseReply(reply.text, reply.end == ChatReply::End::Length);
    if (!parsed.usable()) {
        out.unusable.push_back({reply.text, std::move(parsed.why), reply.usage});
        return;
    }
    policy::Proposal proposal;
    proposal.techniques = policy::techniquesIn(parsed.source);
    proposal.source = std::move(parsed.source);
    proposal.performanceAnalysis = std::move(parsed.performanceAnalysis);
    proposal.algorithmDesign = std::move(parsed.algorithmDesign);
    proposal.codeImplementation = std::move(parsed.codeImplementation);
    proposal.reply = reply.text;
    proposal.usage = reply.usage;
    out.proposals.push_back(std::move(proposal));
}

/// All questions of one turn on their way.
class Asking : public policy::Question {
public:
    Asking(std::vector<PlannedQuestion> questions, policy::Listener listener, const PromptBuilder& builder,
           std::string policy, const std::vector<std::string>& arrived)
        : m_policy(std::move(policy)), m_listener(std::move(listener))
    {
        for (PlannedQuestion& question : questions) {
            OnePrompt part;
            takeUp(question, part.results, arrived);
            part.reply.prompt = policy::messagesText(question.request.messages);
            part.reply.settings = builder.settingsText(question.request.settings);
            part.reply.method = wordOf(builder.method().kind);
            part.reply.parent = question.parent;
            part.reply.repair = question.repair;
            part.reply.shown = std::move(question.shown);
            m_left += question.request.replies - int(question.request.known.size());
            m_parts.push_back(std::move(part));
            m_requests.push_back(std::move(question.request));
        }
    }

    /// The last reply may come from within, and the listener may then destroy this: nothing is touched after it.
    void ask(policy::ChatModel& model)
    {
        m_asking = true;
        bool isFirst = true;
        for (std::size_t part = 0; part < m_requests.size(); ++part) {
            if (int(m_requests[part].known.size()) == m_requests[part].replies)
                continue;
            policy::ChatListener listener;
            listener.partial = [this, part](int reply, const std::string& text) { add({part, reply}, text); };
            listener.replied = [this, part](int reply, base::Result<ChatReply> result) {
                take({part, reply}, std::move(result));
            };
            if (std::exchange(isFirst, false)) // all of them wait for the same
                listener.waiting = m_listener.waiting;
            m_asked.push_back(model.ask(m_requests[part], std::move(listener)));
        }
        m_asking = false;
        if (m_left == 0)
            finish();
    }

private:
    using Results = std::vector<std::optional<base::Result<ChatReply>>>;
    struct OnePrompt {
        policy::Reply reply;
        Results results;
    };
    struct Place {
        std::size_t part = 0;
        int reply = 0;

        auto operator<=>(const Place&) const = default;
    };

    /// A question that was asked before is asked with the text that it had, whatever was judged since then, and only
    /// for what has not come.
    void takeUp(PlannedQuestion& question, Results& results, const std::vector<std::string>& arrived)
    {
        policy::ChatRequest& request = question.request;
        results.resize(std::size_t(request.replies));
        for (const std::string& text : arrived) {
            auto one = arrivedFromJson(text);
            if (!one || one->policy != m_policy || one->parent != question.parent ||
                one->seed != request.settings.seed || one->place < 0 || one->place >= request.replies)
                continue;
            auto messages = policy::messagesOf(one->prompt);
            if (!messages)
                continue;
            request.messages = std::move(*messages);
            question.shown = std::move(one->shown);
            request.known.insert(one->place);
            results[std::size_t(one->place)] = std::move(one->reply);
        }
    }

    void tellArrived(Place place, const ChatReply& reply)
    {
        if (!m_listener.arrived)
            return;
        const OnePrompt& part = m_parts[place.part];
        m_listener.arrived(toJson({m_policy, part.reply.parent, m_requests[place.part].settings.seed.value_or(0),
                                   place.reply, part.reply.prompt, part.reply.shown, reply}));
    }

    void say(const std::string& text)
    {
        if (m_listener.partial && !text.empty())
            m_listener.partial(text);
    }

    void add(Place place, const std::string& text)
    {
        if (!m_shown)
            m_shown = place;
        if (*m_shown == place)
            say(text);
        else
            m_unseen[place] += text;
    }

    /// The next one that has written something, from its beginning.
    void showNext()
    {
        m_shown.reset();
        if (m_unseen.empty())
            return;
        const auto next = m_unseen.extract(m_unseen.begin());
        m_shown = next.key();
        say("\n\n--- another reply ---\n\n" + next.mapped());
    }

    void take(Place place, base::Result<ChatReply> result)
    {
        auto& slot = m_parts[place.part].results.at(std::size_t(place.reply));
        if (slot)
            return; // a model that answers twice
        if (result)
            tellArrived(place, *result);
        slot = std::move(result);
        m_unseen.erase(place);
        if (m_shown == place)
            showNext();
        if (--m_left == 0 && !m_asking)
            finish();
    }

    void finish()
    {
        std::optional<base::Error> error;
        bool any = false;
        policy::Reply out;
        for (std::size_t at = 0; at < m_parts.size(); ++at) {
            policy::Reply& reply = m_parts[at].reply;
            for (const auto& result : m_parts[at].results) {
                if (*result) {
                    any = true;
                    addReply(reply, **result);
                    continue;
                }
                if (!error)
                    error = result->error();
                reply.troubles.push_back("A reply did not come: " + result->error().text());
            }
            if (at == 0)
                out = std::move(reply);
            else
                out.further.push_back(std::move(reply));
        }
        const auto replied = std::move(m_listener.replied);
        if (!any && error)
            replied(std::move(*error));
        else
            replied(std::move(out));
    }

    const std::string m_policy;
    policy::Listener m_listener;
    std::vector<OnePrompt> m_parts;
    std::vector<policy::ChatRequest> m_requests;
    std::vector<std::unique_ptr<policy::Question>> m_asked;
    int m_left = 0;
    bool m_asking = false;
    std::optional<Place> m_shown;
    std::map<Place, std::string> m_unseen;
};

} // namespace

LanguagePolicy::LanguagePolicy(std::unique_ptr<policy::ChatModel> model, PromptBuilder builder)
    : m_model(std::move(model)), m_builder(std::move(builder))
{
}

std::unique_ptr<policy::Question> LanguagePolicy::ask(const policy::Prompt& prompt, policy::Listener listener)
{
    std::vector<PlannedQuestion> questions = m_builder.questions(prompt, name());
    if (questions.empty()) {
        listener.replied(policy::Reply());
        return nullptr;
    }
    auto asking = std::make_unique<Asking>(std::move(questions), std::move(listener), m_builder, name(),
                                           prompt.arrived);
    asking->ask(*m_model);
    return asking;
}

} // namespace cudal1::language
