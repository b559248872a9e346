// SPDX-License-Identifier: GPL-3.0-or-later
// The optimise loop with a language model for its policy, against a recorded evaluator: repair, turns, exemplars,
// several policies, cancel in mid-reply, resume, limits, rewards.
#include "core/base/statistics.h"
#include "core/language/combinedpolicy.h"
#include "core/language/languagepolicy.h"
#include "core/optimize/options.h"
#include "core/optimize/search.h"
#include "core/policy/chattext.h"
#include "tests/language/scriptedmodel.h"
#include "tests/optimize/projectfixture.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace cudal1;
using namespace cudal1::language;
using optimize::Search;
using store::RunState;
using tests::replyOf;
using tests::Script;
using tests::whole;

namespace {

constexpr int deadline_ms = 30'000;

QByteArray judged(const char* mark, const QByteArray& reply)
{
    return QByteArray("{\"on\":\"evaluate\",\"candidate_contains\":\"mark = '") + mark + "'\",\"reply\":" + reply +
           "}\n";
}
QByteArray correct(const char* mark, double estimate)
{
    const auto number = [](double value) { return QByteArray::number(value); };
    return judged(mark, "{\"verdict\":\"correct\",\"speedup\":{\"wall\":{\"estimate\":" + number(estimate) +
                            ",\"low\":" + number(estimate * 0.99) + ",\"high\":" + number(estimate * 1.01) + "}}}");
}
QByteArray wrong(const char* mark)
{
    return judged(
        mark,
        R"({"verdict":"incorrect","reasons":[{"code":"wrong_values","text":"Off by 3.5","evidence":"at [0, 1]"}]})");
}

class FixedPolicy : public policy::InstantPolicy {
public:
    std::string name() const override { return "fixed"; }
    policy::Reply propose(const policy::Prompt& prompt) override
    {
        policy::Reply reply;
        if (prompt.round == 0)
            reply.proposals.push_back({"mark = 'F'", "a", "d", "c", {"t_f"}, {}, {}});
        return reply;
    }
};

} // namespace

class TestLanguageSearch : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private:
    int evaluations() const
    {
        QFile file(m_folder->filePath("log.jsonl"));
        return file.open(QIODevice::ReadOnly) ? int(file.readAll().count("\"type\":\"evaluate\"")) : 0;
    }

    std::unique_ptr<policy::Policy> model(const std::shared_ptr<Script>& script) const
    {
        auto templates = Templates::load(std::filesystem::path(CUDAL1_SOURCE_DIR) / "resources/prompts");
        return std::make_unique<LanguagePolicy>(std::make_unique<tests::ScriptedModel>(script),
                                                PromptBuilder(m_method, std::move(*templates)));
    }

    struct Ended {
        RunState state = RunState::Failed;
        base::RunId run;
        base::Error error;
        QStringList log;
    };
    /// Runs or resumes to the end. `busy` is told of the search before.
    Ended search(policy::Policy& policy, const QByteArray& lines, base::RunId resumed = {},
                 const std::function<void(Search&)>& busy = {})
    {
        farm::Launcher evaluator(command(lines));
        crew::Crew crew;
        crew.add(evaluator);
        Search one(*m_project, crew, policy);
        QSignalSpy finished(&one, &Search::finished);
        Ended out;
        connect(&one, &Search::log, this, [&](const QString& line) { out.log << line; });
        if (busy)
            busy(one);
        m_options.method = toJson(m_method);
        resumed ? one.resume(resumed) : one.start(m_options);
        if (finished.isEmpty() && !finished.wait(deadline_ms))
            qFatal("the search did not end");
        out.state = finished.takeFirst().at(0).value<RunState>();
        out.run = one.run();
        out.error = one.error();
        return out;
    }

    std::vector<store::SampleRecord> samplesOf(base::RunId run) const { return *m_project->samples(run); }
    std::string markOf(const store::SampleRecord& sample) const
    {
        if (!sample.variant)
            return "-";
        const std::string source = m_project->variant(sample.variant)->source;
        return source.substr(source.find('\'') + 1, 1);
    }
    std::string marksOf(base::RunId run) const
    {
        std::string out;
        for (const auto& sample : samplesOf(run))
            out += markOf(sample);
        return out;
    }

    AskMethod m_method;
    std::shared_ptr<Script> m_script;
    /// Replies in the order in which they are asked for.
    void answer(std::vector<std::string> replies)
    {
        m_script->answer = [left = std::make_shared<std::deque<std::string>>(replies.begin(), replies.end())](
                               const policy::ChatRequest&, int) -> std::optional<Script::Outcome> {
            if (left->empty())
                return base::Error{base::ErrorCode::Internal, "The script is at its end", {}, {}};
            const std::string next = left->front();
            left->pop_front();
            if (next == "never")
                return {};
            if (next == "limit")
                return base::Error{base::ErrorCode::LimitReached, "The limit of 5 USD is reached", {}, {}};
            return replyOf(next.size() == 1 ? whole(next) : next);
        };
    }

private slots:
    void init()
    {
        renew();
        m_options.rounds = 1;
        m_options.seed = 11;
        m_method = {};
        m_script = std::make_shared<Script>();
    }

    void wrongRepliesAreMended()
    {
        answer({"A", "B", "Sorry, no.", "A", "C", "D"});
        const auto policy = model(m_script);
        const Ended ended = search(*policy, correct("A", 1.5) + wrong("B") + correct("C", 2.119) + wrong("D"));
        QVERIFY2(ended.state == RunState::Finished, ended.error.text().c_str());
        QCOMPARE(marksOf(ended.run), std::string("ABA-CD")); // those without a program come last
        QCOMPARE(evaluations(), 5);                          // A once, B, C, D, and C once more as the best
        const auto samples = samplesOf(ended.run);
        for (std::size_t at = 0; at < 6; ++at) {
            const store::SampleRecord& one = samples[at];
            QCOMPARE(one.policy, std::string("endpoint: scripted"));
            QCOMPARE(one.policyVersion, std::string("scripted-1"));
            QCOMPARE(one.method, std::string("vanilla"));
            QCOMPARE(one.turn, at < 4 ? 0 : 1);
            QCOMPARE(one.repair, at >= 4);
            QCOMPARE(one.group, std::int64_t(at < 4 ? 1 : at - 2));
            QVERIFY(one.promptTokens == 100 && one.cost == 0.25);
        }
        QVERIFY(samples[4].parent == samples[1].id && samples[5].parent == samples[3].id && !samples[0].parent);
        const double rewards[] = {1.5, 0, 1.5, 0, 2.11, 0};
        for (std::size_t at = 0; at < 6; ++at)
            QVERIFY2(samples[at].reward == rewards[at], qPrintable(QString::number(at)));
        QVERIFY(samples[3].unusable.starts_with("It has no block of code"));

        // What was asked is kept exactly, with the judge's reasons in the repairs.
        QCOMPARE(m_script->requests.size(), std::size_t(3));
        const store::Sample kept = *m_project->sample(samples[4].id);
        QCOMPARE(kept.prompt, policy::messagesText(m_script->requests[1].messages));
        QVERIFY(kept.prompt.find("Off by 3.5") != std::string::npos &&
                kept.prompt.find("at [0, 1]") != std::string::npos);
        QCOMPARE(kept.reply, whole("C"));
        QVERIFY(m_script->requests[2].messages.back().content.find("no block of code") != std::string::npos);
        const auto variant = *m_project->variant(samples[4].variant);
        QCOMPARE(variant.origin, std::string("endpoint: scripted"));
        QCOMPARE(variant.performanceAnalysis, std::string("analysis of C"));
        QVERIFY(ended.log.join('\n').contains("Round 1 of 1, turn 2: 2 variants to judge"));
        // The run knows how it was asked.
        const auto options = *optimize::optionsFromJson(m_project->runs()->front().parameters);
        QCOMPARE(options.method, toJson(m_method));
        QCOMPARE(optimize::policyOf(m_project->runs()->front().parameters), std::string("endpoint: scripted"));
    }

    void repairCanBeSwitchedOff()
    {
        m_method.repair = false;
        m_method.samples = 2;
        answer({"B", "no"});
        const auto policy = model(m_script);
        const Ended ended = search(*policy, wrong("B"));
        QVERIFY(ended.state == RunState::Finished);
        QCOMPARE(marksOf(ended.run), std::string("B-"));
        QCOMPARE(m_script->requests.size(), std::size_t(1));
    }

    void whatIsRightNeedsNoFurtherTurn()
    {
        m_method.samples = 1;
        m_options.rounds = 2;
        answer({"A", "A"});
        const auto policy = model(m_script);
        const Ended ended = search(*policy, correct("A", 2));
        QVERIFY(ended.state == RunState::Finished);
        QCOMPARE(marksOf(ended.run), std::string("AA")); // both rounds
        const auto samples = samplesOf(ended.run);
        QVERIFY(samples[0].round == 0 && samples[1].round == 1 && samples[1].reward == 2.0); // judged before
        QCOMPARE(evaluations(), 2);
    }

    void conversationsHearTheJudge()
    {
        m_method.kind = AskMethod::Kind::MultiTurn;
        m_method.turns = 3;
        m_method.samples = 1;
        answer({"B", "A", "C"});
        const auto policy = model(m_script);
        const Ended ended = search(*policy, wrong("B") + correct("A", 1.5) + correct("C", 1.75));
        QVERIFY(ended.state == RunState::Finished);
        QCOMPARE(marksOf(ended.run), std::string("BAC"));
        const auto samples = samplesOf(ended.run);
        QVERIFY(samples[1].parent == samples[0].id && samples[2].parent == samples[1].id);
        QVERIFY(samples[2].turn == 2 && !samples[2].repair && samples[2].method == "multi-turn");
        const auto& last = m_script->requests.at(2).messages;
        QCOMPARE(last.size(), std::size_t(6)); // system, task, reply, judge, reply, judge
        QVERIFY(last[3].content.find("Off by 3.5") != std::string::npos);
        QVERIFY2(last[5].content.find("1.50× (") != std::string::npos, last[5].content.c_str());
        QCOMPARE(last[4].content, whole("A"));
    }

    void exemplarsComeFromWhatWasJudged()
    {
        m_method.kind = AskMethod::Kind::Contrastive;
        m_method.samples = 2;
        m_options.rounds = 2;
        answer({"A", "B", "C", "C"});
        const auto policy = model(m_script);
        const Ended ended = search(*policy, correct("A", 1.5) + correct("B", 2.5) + correct("C", 3));
        QVERIFY(ended.state == RunState::Finished);
        QCOMPARE(marksOf(ended.run), std::string("ABCC"));
        const auto samples = samplesOf(ended.run);
        QVERIFY(samples[0].shown.empty());
        QVERIFY((samples[2].shown == std::vector<base::VariantId>{samples[0].variant, samples[1].variant}));
        const std::string& asked = m_script->requests.at(1).messages.back().content;
        QVERIFY(asked.find("mark = 'A'") < asked.find("mark = 'B'"));
        QVERIFY(asked.find("score 2.50") != std::string::npos);
    }

    void aRunAloneSeesItsOwn()
    {
        m_method.kind = AskMethod::Kind::Contrastive;
        m_method.samples = 1;
        const QByteArray lines = correct("A", 1.5) + correct("B", 2.5) + correct("C", 3);
        answer({"B"});
        auto policy = model(m_script);
        QVERIFY(search(*policy, lines).state == RunState::Finished);
        m_options.alone = true;
        m_options.rounds = 3;
        answer({"B", "A", "C"}); // B is known, and this run comes to it by itself
        m_script->requests.clear();
        policy = model(m_script);
        const Ended ended = search(*policy, lines);
        QVERIFY(ended.state == RunState::Finished);
        QCOMPARE(marksOf(ended.run), std::string("BAC"));
        const auto samples = samplesOf(ended.run);
        QVERIFY(samples[0].shown.empty() && samples[0].reward == 2.5);
        QVERIFY((samples[1].shown == std::vector<base::VariantId>{samples[0].variant}));
        QCOMPARE(samples[2].shown.size(), std::size_t(2));
        m_options.alone = false;
    }

    void cancelInMidReply()
    {
        m_method.samples = 2;
        answer({"A", "never", "A", "B"});
        auto policy = model(m_script);
        const Ended stopped = search(*policy, correct("A", 2), {},
                                     [&](Search& one) { connect(&one, &Search::partialReply, &one, &Search::stop); });
        QVERIFY(stopped.state == RunState::Stopped);
        QCOMPARE(m_script->takenBack, 1);
        QVERIFY(samplesOf(stopped.run).empty());
        m_options.method = toJson(m_method);
        const auto found = *optimize::unfinishedRun(*m_project, m_options, policy->name());
        QVERIFY(found && found->id == stopped.run);

        policy = model(m_script);
        const Ended resumed = search(*policy, correct("A", 2) + correct("B", 3), stopped.run);
        QVERIFY(resumed.state == RunState::Finished);
        QCOMPARE(marksOf(resumed.run), std::string("AB"));
        // It asked what it had asked.
        QVERIFY(m_script->requests.at(0).settings.seed == m_script->requests.at(1).settings.seed);
    }

    void aRunGoesOnBetweenTurns()
    {
        m_method.samples = 2;
        answer({"B", "A", "C"});
        auto policy = model(m_script);
        const QByteArray lines = wrong("B") + correct("A", 1.2) + correct("C", 3);
        const Ended stopped = search(
            *policy, lines, {}, [&](Search& one) { connect(&one, &Search::evaluationStored, &one, &Search::stop); });
        QVERIFY(stopped.state == RunState::Stopped);
        QCOMPARE(m_project->queue(stopped.run)->size(), std::size_t(1));
        policy = model(m_script); // remembers nothing
        const Ended resumed = search(*policy, lines, stopped.run);
        QVERIFY2(resumed.state == RunState::Finished, resumed.error.text().c_str());
        QCOMPARE(marksOf(resumed.run), std::string("BAC"));
        const auto samples = samplesOf(resumed.run);
        QVERIFY(samples[2].repair && samples[2].parent == samples[0].id);
        QCOMPARE(m_script->requests.size(), std::size_t(2));
    }

    void aLimitStopsTheRunUntilItIsRaised()
    {
        m_method.samples = 1;
        m_options.rounds = 2;
        answer({"A", "limit", "B"});
        auto policy = model(m_script);
        const QByteArray lines = correct("A", 2) + correct("B", 3);
        const Ended stopped = search(*policy, lines);
        QVERIFY(stopped.state == RunState::Stopped);
        QCOMPARE(stopped.error.code, base::ErrorCode::LimitReached);
        policy = model(m_script);
        const Ended resumed = search(*policy, lines, stopped.run);
        QVERIFY(resumed.state == RunState::Finished);
        QCOMPARE(marksOf(resumed.run), std::string("AB"));
    }

    void severalPoliciesKeepWhatIsTheirs()
    {
        auto other = std::make_shared<Script>();
        other->name = "local: small";
        other->answer = [](const policy::ChatRequest& request, int) -> std::optional<Script::Outcome> {
            return replyOf(request.messages.size() > 2 ? whole("D") : whole("B"));
        };
        m_method.samples = 1;
        answer({"A"});
        std::vector<std::unique_ptr<policy::Policy>> all;
        all.push_back(std::make_unique<FixedPolicy>());
        all.push_back(model(m_script));
        all.push_back(model(other));
        CombinedPolicy policy(std::move(all));
        const Ended ended = search(policy, correct("A", 1.5) + wrong("B") + correct("D", 1.2) + correct("F", 1.1));
        QVERIFY2(ended.state == RunState::Finished, ended.error.text().c_str());
        const auto samples = samplesOf(ended.run);
        QCOMPARE(samples.size(), std::size_t(4));
        const char* names[] = {"fixed", "endpoint: scripted", "local: small", "local: small"};
        for (std::size_t at = 0; at < 4; ++at) {
            QCOMPARE(samples[at].policy, std::string(names[at]));
            QCOMPARE(m_project->variant(samples[at].variant)->origin, std::string(names[at]));
            QCOMPARE(samples[at].group, std::int64_t(at + 1));
            QCOMPARE(samples[at].method, std::string(at == 0 ? "" : "vanilla"));
        }
        QVERIFY(samples[3].parent == samples[2].id && samples[3].repair);
        QCOMPARE(m_script->requests.size(), std::size_t(1)); // A needs no mending
        QCOMPARE(optimize::policyOf(m_project->runs()->front().parameters),
                 std::string("fixed + endpoint: scripted + local: small"));
    }

    void anotherPolicyDoesNotGoOnWithIt()
    {
        m_method.samples = 1;
        answer({"never"});
        auto policy = model(m_script);
        const Ended stopped = search(*policy, correct("A", 2), {}, [&](Search& one) {
            connect(&one, &Search::progress, &one, [&one](const optimize::SearchProgress& progress) {
                if (progress.text.starts_with("asking"))
                    one.stop();
            });
        });
        QVERIFY(stopped.state == RunState::Stopped);
        FixedPolicy fixed;
        const Ended refused = search(fixed, correct("F", 2), stopped.run);
        QVERIFY(refused.state == RunState::Failed);
        QCOMPARE(refused.error.code, base::ErrorCode::InvalidArgument);
        QVERIFY(refused.error.message.find("endpoint: scripted") != std::string::npos);
        // Neither does a search by another method find it.
        m_method.kind = AskMethod::Kind::Evolve;
        m_options.method = toJson(m_method);
        QVERIFY(!*optimize::unfinishedRun(*m_project, m_options, policy->name()));
    }

    void noReplyAtAllFailsTheRun()
    {
        answer({});
        const auto policy = model(m_script);
        const Ended ended = search(*policy, {});
        QVERIFY(ended.state == RunState::Failed);
        QCOMPARE(ended.error.message, std::string("The script is at its end"));
    }
};

QTEST_GUILESS_MAIN(TestLanguageSearch)
#include "tst_languagesearch.moc"
