// SPDX-License-Identifier: GPL-3.0-or-later
// A model as a policy, and several policies as one, without a run around them.
#include "core/language/combinedpolicy.h"
#include "core/language/languagepolicy.h"
#include "core/policy/chattext.h"
#include "tests/language/scriptedmodel.h"

#include <QTest>

using namespace cudal1;
using namespace cudal1::language;
using policy::ChatReply;
using tests::replyOf;
using tests::Script;
using tests::whole;

namespace {

constexpr int deadline_ms = 20'000;

struct Heard {
    std::string partial;
    std::vector<base::Result<policy::Reply>> replies;

    policy::Listener listener()
    {
        return {[this](const std::string& text) { partial += text; },
                [this](base::Result<policy::Reply> reply) { replies.push_back(std::move(reply)); }};
    }
};

class FixedPolicy : public policy::InstantPolicy {
public:
    explicit FixedPolicy(std::string source) : m_source(std::move(source)) {}
    std::string name() const override { return "fixed"; }
    policy::Reply propose(const policy::Prompt&) override
    {
        ++asked;
        policy::Reply reply;
        reply.proposals.push_back({m_source, {}, {}, {}, {}, {}, {}});
        reply.declined = {{"magic", "There is none"}};
        reply.version = "1";
        return reply;
    }
    void told(const std::string& source, const protocol::Evaluation&) override { heard.push_back(source); }

    int asked = 0;
    std::vector<std::string> heard;

private:
    std::string m_source;
};

} // namespace

class TestLanguagePolicy : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<LanguagePolicy> policyOf(AskMethod method = {})
    {
        auto templates = Templates::load(std::filesystem::path(CUDAL1_SOURCE_DIR) / "resources/prompts");
        policy::SamplingSettings settings;
        settings.temperature = 0.5;
        return std::make_unique<LanguagePolicy>(std::make_unique<tests::ScriptedModel>(m_script),
                                                PromptBuilder(method, std::move(*templates), settings));
    }

    std::shared_ptr<Script> m_script;
    policy::Prompt m_prompt;

private slots:
    void init()
    {
        m_script = std::make_shared<Script>();
        m_script->answer = [](const policy::ChatRequest&, int reply) { return replyOf(whole(std::to_string(reply))); };
        m_prompt = {};
        m_prompt.task = {"1/12", "class Model: pass"};
        m_prompt.seed = 9;
    }

    void repliesBecomeProposals()
    {
        m_script->answer = [](const policy::ChatRequest&, int reply) -> std::optional<Script::Outcome> {
            switch (reply) {
            case 0: return replyOf("<think>so</think>" + whole("a"));
            case 1: return replyOf("I am sorry.");
            case 2: return replyOf("## Performance Analysis\nthe", ChatReply::End::Length);
            default: return replyOf("", ChatReply::End::Refused);
            }
        };
        const auto policy = policyOf();
        QCOMPARE(policy->name(), std::string("endpoint: scripted"));
        Heard heard;
        const auto question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        const policy::Reply& reply = *heard.replies[0];
        QCOMPARE(reply.proposals.size(), std::size_t(1));
        QCOMPARE(reply.proposals[0].source, std::string("class ModelNew:\n    mark = 'a'\n"));
        QCOMPARE(reply.proposals[0].performanceAnalysis, std::string("analysis of a"));
        QVERIFY(reply.proposals[0].reply.starts_with("<think>so</think>## "));
        QVERIFY(reply.proposals[0].usage.promptTokens == 100 && reply.proposals[0].usage.cost == 0.25);
        QCOMPARE(reply.unusable.size(), std::size_t(3));
        QVERIFY(reply.unusable[0].why.starts_with("It has no block of code"));
        QVERIFY(reply.unusable[1].why.starts_with("It was cut off"));
        QVERIFY(reply.unusable[2].why.find("refused") != std::string::npos);
        QCOMPARE(reply.version, std::string("scripted-1"));
        QCOMPARE(reply.method, std::string("vanilla"));
        QVERIFY(reply.troubles.empty() && reply.further.empty());
        const auto settings = nlohmann::json::parse(reply.settings);
        QVERIFY(settings["temperature"] == 0.5 && settings["samples"] == 4);
        // Exactly what was sent, with the seed of this run and round.
        QCOMPARE(m_script->requests.size(), std::size_t(1));
        QCOMPARE(reply.prompt, policy::messagesText(m_script->requests[0].messages));
        QVERIFY(settings["seed"] == *m_script->requests[0].settings.seed);
        QCOMPARE(*m_script->requests[0].settings.seed, seedOf(m_prompt, policy->name(), 0));
        QCOMPARE(m_script->requests[0].replies, 4);
    }

    void togglesAndUsesAreTechniques()
    {
        m_script->answer = [](const policy::ChatRequest&, int) {
            return replyOf(
                "```python\nUSE_FUSED = True\nUSE_OLD = False\nclass ModelNew:\n"
                "    f = torch.compile(g)\n    def forward(self, x):\n        return f(x) if USE_FUSED else x\n```");
        };
        Heard heard;
        const auto policy = policyOf();
        const auto question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        QVERIFY((heard.replies[0]->proposals[0].techniques == std::vector<std::string>{"fused", "compiled_graph"}));
    }

    void modelsMayAnswerAtOnce()
    {
        m_script->atOnce = true;
        Heard heard;
        const auto policy = policyOf();
        {
            const auto question = policy->ask(m_prompt, heard.listener());
            QCOMPARE(heard.replies.size(), std::size_t(1));
            QCOMPARE(heard.replies[0]->proposals.size(), std::size_t(4));
        }
        QCOMPARE(m_script->takenBack, 0);
    }

    void oneReplyIsShownAtATime()
    {
        Heard heard;
        const auto policy = policyOf();
        const auto question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        const std::string half = whole("0").substr(0, whole("0").size() / 2);
        QVERIFY(heard.partial.starts_with(half));
        // Of each reply its half; never two mixed.
        std::size_t count = 0;
        for (std::size_t at = 0; (at = heard.partial.find("## Performance", at)) != std::string::npos; ++at)
            ++count;
        QCOMPARE(count, std::size_t(4));
    }

    void destroyingTakesItBack()
    {
        m_script->answer = [](const policy::ChatRequest&, int reply) -> std::optional<Script::Outcome> {
            return reply == 0 ? std::optional<Script::Outcome>(replyOf(whole("a"))) : std::nullopt;
        };
        Heard heard;
        const auto policy = policyOf();
        auto question = policy->ask(m_prompt, heard.listener());
        QTRY_VERIFY_WITH_TIMEOUT(!heard.partial.empty(), deadline_ms);
        question.reset();
        QCOMPARE(m_script->takenBack, 1);
        QVERIFY(heard.replies.empty());
    }

    void someFailuresAreTroublesAndAllAreAnError()
    {
        const base::Error busy{base::ErrorCode::Unavailable, "The server is busy", "503", {}};
        int good = 3;
        m_script->answer = [&](const policy::ChatRequest&, int reply) -> std::optional<Script::Outcome> {
            return reply < good ? Script::Outcome(replyOf(whole(std::to_string(reply)))) : Script::Outcome(busy);
        };
        const auto policy = policyOf();
        Heard heard;
        auto question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        QCOMPARE(heard.replies[0]->proposals.size(), std::size_t(3));
        QVERIFY(heard.replies[0]->unusable.empty());
        QCOMPARE(heard.replies[0]->troubles.size(), std::size_t(1));
        good = 0;
        question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(2), deadline_ms);
        QVERIFY(!heard.replies[1].ok() && heard.replies[1].error().message == busy.message);
    }

    void eachFurtherTurnIsAPartOfItsOwn()
    {
        m_prompt.turn = 1;
        for (std::int64_t sample = 1; sample <= 2; ++sample) {
            policy::PastAnswer answer;
            answer.sample = {sample};
            answer.policy = m_script->name;
            answer.prompt = policy::messagesText({{"user", "q"}});
            answer.reply = "r" + std::to_string(sample);
            answer.unusable = "It is empty.";
            m_prompt.answers.push_back(answer);
        }
        Heard heard;
        const auto policy = policyOf();
        QCOMPARE(policy->furtherTurns(), 1);
        const auto question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        const policy::Reply& first = *heard.replies[0];
        QCOMPARE(first.further.size(), std::size_t(1));
        QVERIFY(first.repair && first.parent == base::SampleId{1} && first.proposals.size() == 1);
        QVERIFY(first.further[0].repair && first.further[0].parent == base::SampleId{2});
        QVERIFY(first.prompt != first.further[0].prompt);
        // Nothing to mend is an empty reply, at once.
        m_prompt.answers.clear();
        QVERIFY(!policy->ask(m_prompt, heard.listener()));
        QVERIFY(heard.replies[1]->proposals.empty() && heard.replies[1]->unusable.empty());
    }

    /// Two of four replies came before a kill. Whatever was judged since then, the question keeps its text, and the
    /// model is asked for the two others alone.
    void whatHasArrivedIsNotAskedForAgain()
    {
        m_script->answer = [](const policy::ChatRequest&, int reply) -> std::optional<Script::Outcome> {
            return reply % 2 ? std::optional<Script::Outcome>(replyOf(whole("first" + std::to_string(reply))))
                             : std::nullopt;
        };
        std::vector<std::string> arrived;
        Heard heard;
        policy::Listener listener = heard.listener();
        listener.arrived = [&](const std::string& text) { arrived.push_back(text); };
        AskMethod method;
        method.samples = 4;
        const auto policy = policyOf(method);
        auto question = policy->ask(m_prompt, std::move(listener));
        QTRY_COMPARE_WITH_TIMEOUT(arrived.size(), std::size_t(2), deadline_ms);
        question.reset();
        QVERIFY(heard.replies.empty());

        m_script->answer = [](const policy::ChatRequest&, int reply) { return replyOf(whole(std::to_string(reply))); };
        m_prompt.arrived = arrived;
        m_prompt.arrived.push_back("{\"no\": \"reply\"}");
        m_prompt.task.source += "  # was edited";
        question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        const policy::ChatRequest &first = m_script->requests.at(0), &second = m_script->requests.at(1);
        QVERIFY(second.known == (std::set<int>{1, 3}) && second.replies == 4 && first.known.empty());
        QVERIFY(second.settings.seed == first.settings.seed);
        QCOMPARE(policy::messagesText(second.messages), policy::messagesText(first.messages));
        const policy::Reply& reply = *heard.replies[0];
        QCOMPARE(reply.prompt, policy::messagesText(first.messages));
        QCOMPARE(reply.proposals.size(), std::size_t(4));
        const std::string marks[] = {"0", "first1", "2", "first3"};
        for (std::size_t at = 0; at < 4; ++at)
            QVERIFY(reply.proposals[at].source.find("'" + marks[at] + "'") != std::string::npos);
        QVERIFY(reply.proposals[1].usage.promptTokens == 100 && reply.proposals[1].usage.cost == 0.25 &&
                reply.proposals[1].usage.costUnit == "USD");

        // Of another question they are no answer; and if all are there, nobody is asked.
        m_prompt.round = 1;
        question = policy->ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(2), deadline_ms);
        QVERIFY(m_script->requests.at(2).known.empty());
        m_prompt.arrived.clear();
        policy::Listener again = heard.listener();
        again.arrived = [&](const std::string& text) { m_prompt.arrived.push_back(text); };
        question = policy->ask(m_prompt, std::move(again));
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(3), deadline_ms);
        question = policy->ask(m_prompt, heard.listener());
        QCOMPARE(heard.replies.size(), std::size_t(4));
        QVERIFY(heard.replies[3]->proposals.size() == 4 && m_script->requests.size() == 4);
    }

    void severalPoliciesAnswerApart()
    {
        std::vector<std::unique_ptr<policy::Policy>> all;
        auto fixed = std::make_unique<FixedPolicy>("fixed source");
        FixedPolicy* const library = fixed.get();
        all.push_back(std::move(fixed));
        all.push_back(policyOf());
        CombinedPolicy both(std::move(all));
        QCOMPARE(both.name(), std::string("fixed + endpoint: scripted"));
        QVERIFY(both.furtherTurns() == 1 && both.readsBackground());
        Heard heard;
        auto question = both.ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        const policy::Reply& reply = *heard.replies[0];
        QVERIFY(reply.proposals.empty() && reply.declined.size() == 1);
        QCOMPARE(reply.further.size(), std::size_t(2));
        QVERIFY(reply.further[0].policy == "fixed" && reply.further[0].version == "1" &&
                reply.further[0].proposals.size() == 1);
        QVERIFY(reply.further[1].policy == "endpoint: scripted" && reply.further[1].proposals.size() == 4);
        // Who has no more turns is not asked for them.
        m_prompt.turn = 1;
        question = both.ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(2), deadline_ms);
        QCOMPARE(library->asked, 1);
        QVERIFY(heard.replies[1]->further.empty());
        both.told("x", {});
        QCOMPARE(library->heard.size(), std::size_t(1));
    }

    void onePolicyMayFail()
    {
        m_script->answer = [](const policy::ChatRequest&, int) -> std::optional<Script::Outcome> {
            return base::Error{base::ErrorCode::LimitReached, "No money is left", {}, {}};
        };
        std::vector<std::unique_ptr<policy::Policy>> all;
        all.push_back(std::make_unique<FixedPolicy>("fixed source"));
        all.push_back(policyOf());
        CombinedPolicy both(std::move(all));
        Heard heard;
        auto question = both.ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(1), deadline_ms);
        QCOMPARE(heard.replies[0]->further.size(), std::size_t(1));
        QVERIFY(heard.replies[0]->troubles.at(0).find("endpoint: scripted has not answered: No money is left") == 0);
        std::vector<std::unique_ptr<policy::Policy>> alone;
        alone.push_back(policyOf());
        CombinedPolicy one(std::move(alone));
        question = one.ask(m_prompt, heard.listener());
        QTRY_COMPARE_WITH_TIMEOUT(heard.replies.size(), std::size_t(2), deadline_ms);
        QCOMPARE(heard.replies[1].error().code, base::ErrorCode::LimitReached);
    }
};

QTEST_GUILESS_MAIN(TestLanguagePolicy)
#include "tst_languagepolicy.moc"
