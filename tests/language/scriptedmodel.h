// SPDX-License-Identifier: GPL-3.0-or-later
// A model that answers what a test wrote down, bit by bit, and tells what became of its questions.
#pragma once

#include "core/policy/chatmodel.h"

#include <QTimer>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::tests {

/// What is shared between a model, which a policy owns, and its test.
struct Script {
    using Outcome = base::Result<policy::ChatReply>;
    /// The next reply to `request`; nothing: it never comes.
    std::function<std::optional<Outcome>(const policy::ChatRequest& request, int reply)> answer;
    std::string name = "endpoint: scripted";
    bool atOnce = false; ///< from within ask()
    std::vector<policy::ChatRequest> requests;
    int takenBack = 0; ///< questions that were destroyed with replies still to come
};

inline policy::ChatReply replyOf(const std::string& text, policy::ChatReply::End end = policy::ChatReply::End::Stop)
{
    policy::ChatReply out;
    out.text = text;
    out.end = end;
    out.usage = {100, std::int64_t(text.size()), 0.25, "USD"};
    out.model = "scripted-1";
    return out;
}

/// The three sections around a program that says `mark`.
inline std::string whole(const std::string& mark)
{
    return "## Performance Analysis\nanalysis of " + mark + "\n\n## Algorithm Design\n1. design\n\n" +
           "## Code Implementation\n```python\nclass ModelNew:\n    mark = '" + mark + "'\n```\n";
}

class ScriptedModel : public policy::ChatModel {
public:
    explicit ScriptedModel(std::shared_ptr<Script> script) : m_script(std::move(script)) {}

    std::string name() const override { return m_script->name; }
    std::unique_ptr<policy::Question> ask(const policy::ChatRequest& request, policy::ChatListener listener) override
    {
        auto asked = std::make_unique<Writing>();
        asked->script = m_script;
        asked->listener = std::move(listener);
        asked->left = request.replies - int(request.known.size());
        m_script->requests.push_back(request);
        for (int reply = 0; reply < request.replies; ++reply)
            asked->outcomes.push_back(request.known.contains(reply) ? std::nullopt : m_script->answer(request, reply));
        if (m_script->atOnce) {
            asked->write(true);
            return asked;
        }
        QObject::connect(&asked->timer, &QTimer::timeout, [one = asked.get()] { one->write(false); });
        asked->timer.start(1);
        return asked;
    }

private:
    /// Half of each reply as a part, then the whole, one reply after the other.
    struct Writing : policy::Question {
        std::shared_ptr<Script> script;
        policy::ChatListener listener;
        std::vector<std::optional<Script::Outcome>> outcomes;
        QTimer timer;
        int step = 0, left = 0;
        std::shared_ptr<int> alive = std::make_shared<int>();

        ~Writing() override { script->takenBack += left > 0; }
        void write(bool all)
        {
            do {
                const int at = step / 2;
                if (at >= int(outcomes.size()))
                    return timer.stop();
                const auto& outcome = outcomes[std::size_t(at)];
                const std::weak_ptr<int> here = alive; // what a listener is told may destroy this
                if (outcome && step % 2 == 0 && outcome->ok())
                    listener.partial(at, outcome->value().text.substr(0, outcome->value().text.size() / 2));
                if (here.expired())
                    return;
                if (++step % 2 == 0 && outcome) {
                    --left;
                    listener.replied(at, Script::Outcome(*outcome));
                }
                if (here.expired() || left == 0)
                    return;
            } while (all);
        }
    };

    std::shared_ptr<Script> m_script;
};

} // namespace cudal1::tests
