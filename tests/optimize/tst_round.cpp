// SPDX-License-Identifier: GPL-3.0-or-later
// What a policy replies, onto the queue and into the store: every reply a sample, every source one variant.
#include "core/optimize/pastanswers.h"
#include "core/optimize/searchround.h"
#include "tests/optimize/projectfixture.h"

#include <QTest>

using namespace cudal1;
using optimize::storeRound;

namespace {

policy::Proposal proposal(const std::string& source, const std::string& reply = {})
{
    return {source, "analysis", "design", "code", {"t"}, reply, {}};
}

} // namespace

class TestRound : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private:
    std::vector<store::SampleRecord> samples() const { return *m_project->samples(m_run); }
    store::Sample whole(const store::SampleRecord& record) const { return *m_project->sample(record.id); }

    base::RunId m_run;
    policy::Prompt m_prompt;

private slots:
    void init()
    {
        renew();
        QVERIFY(m_project->putTask(m_options.task).ok());
        store::RunRecord run;
        run.kind = "optimize";
        run.task = m_options.task.id;
        m_run = *m_project->startRun(run);
        m_prompt = {};
        m_prompt.task = {m_options.task.id.value, m_options.task.source};
        m_prompt.device.model = "Some GPU";
        m_prompt.round = 1;
    }

    void equalRepliesAreJudgedOnceAndAllKept()
    {
        policy::Reply reply;
        reply.proposals = {proposal("A", "first words, then A"), proposal("B", "B at once"),
                           proposal("A", "other words, then A")};
        reply.proposals[2].usage = {812, 90, 0.002, "USD"};
        reply.prompt = "make it faster";
        reply.version = "2507";
        reply.settings = R"({"temperature":1})";
        const auto round = storeRound(*m_project, "endpoint: m", reply, m_prompt, m_options, m_run);
        QVERIFY2(round.ok(), round ? "" : round.error().text().c_str());
        QCOMPARE(round->items.size(), std::size_t(2));
        QVERIFY(round->notQueued.empty() && !round->exhausted);

        const auto kept = samples();
        QCOMPARE(kept.size(), std::size_t(3));
        QVERIFY(kept[0].variant == kept[2].variant && kept[0].variant == round->items[0].variant &&
                kept[1].variant == round->items[1].variant);
        for (const store::SampleRecord& sample : kept) {
            QVERIFY(sample.group == 1 && sample.round == 1 && sample.task == m_options.task.id);
            QCOMPARE(sample.policy, std::string("endpoint: m"));
            QCOMPARE(sample.policyVersion, std::string("2507"));
            QCOMPARE(sample.settings, reply.settings);
            QCOMPARE(whole(sample).prompt, std::string("make it faster"));
        }
        QCOMPARE(whole(kept[2]).reply, std::string("other words, then A"));
        QVERIFY(kept[2].promptTokens == 812 && kept[2].replyTokens == 90 && kept[2].cost == 0.002 &&
                kept[2].costUnit == "USD");
        QVERIFY(!kept[0].promptTokens && !kept[0].cost);
        QCOMPARE((*m_project->madeBy(kept[2].variant))->reply, std::string("first words, then A"));
    }

    void repliesWithoutCodeAreKeptWithTheirReason()
    {
        policy::Reply reply;
        reply.proposals = {proposal("A", "A")};
        reply.unusable = {{"I would rather not.", "It has no block of code.", {}}};
        const auto round = storeRound(*m_project, "endpoint: m", reply, m_prompt, m_options, m_run);
        QVERIFY(round.ok());
        QCOMPARE(round->items.size(), std::size_t(1));
        QCOMPARE(round->notQueued, std::vector<std::string>{"A reply could not be used: It has no block of code."});
        const auto kept = samples();
        QCOMPARE(kept.size(), std::size_t(2));
        QVERIFY(kept[0].variant && kept[0].unusable.empty());
        QVERIFY(!kept[1].variant && kept[1].group == kept[0].group);
        QCOMPARE(kept[1].unusable, std::string("It has no block of code."));
        QCOMPARE(whole(kept[1]).reply, std::string("I would rather not."));
        QCOMPARE(m_project->variantRows()->size(), std::size_t(1));
    }

    void onlyNoAnswerAtAllEndsTheSearch()
    {
        policy::Reply reply;
        QVERIFY(storeRound(*m_project, "endpoint: m", reply, m_prompt, m_options, m_run)->exhausted);
        QVERIFY(samples().empty());
        reply.unusable = {{"", "It is empty.", {}}};
        const auto round = storeRound(*m_project, "endpoint: m", reply, m_prompt, m_options, m_run);
        QVERIFY(round->items.empty() && !round->exhausted);
        QCOMPARE(samples().size(), std::size_t(1));
    }

    void sectionsOfAKnownSourceAreNotLost()
    {
        policy::Reply reply;
        reply.proposals = {proposal("A"), proposal("A")};
        reply.proposals[1].performanceAnalysis = "another analysis";
        QVERIFY(storeRound(*m_project, "library", reply, m_prompt, m_options, m_run).ok());
        const auto kept = samples();
        QVERIFY(whole(kept[0]).reply.empty()); // the variant has it
        const std::string other = whole(kept[1]).reply;
        QVERIFY2(other.find("another analysis") != std::string::npos &&
                     other.find("```python\nA\n```") != std::string::npos,
                 other.c_str());
        QVERIFY(whole(kept[0]).prompt.find("Round 2") !=
                std::string::npos); // of a policy that reads the prompt as data
    }

    void partsAreKeptAsWhoWroteThem()
    {
        policy::Reply first;
        first.proposals = {proposal("A", "A")};
        first.prompt = "first prompt";
        const auto parent = storeRound(*m_project, "both", first, m_prompt, m_options, m_run);
        QVERIFY(parent.ok());
        const auto before = samples();

        policy::Reply part;
        part.proposals = {proposal("B", "B"), proposal("A", "A")};
        part.unusable = {{"", "It is empty.", {}}};
        part.prompt = "second prompt";
        part.policy = "endpoint: other";
        part.method = "contrastive";
        part.parent = before[0].id;
        part.repair = true;
        part.shown = {before[0].variant};
        part.declined = {{"magic", "There is none"}};
        policy::Reply reply;
        reply.troubles = {"One has not answered."};
        reply.further = {part};
        m_prompt.turn = 1;
        const auto round = storeRound(*m_project, "both", reply, m_prompt, m_options, m_run);
        QVERIFY2(round.ok(), round ? "" : round.error().text().c_str());
        QCOMPARE(round->items.size(), std::size_t(1)); // A is queued already
        QVERIFY(!round->exhausted && round->declined.size() == 1 && round->troubles == reply.troubles);
        const auto kept = samples();
        QCOMPARE(kept.size(), std::size_t(4));
        QVERIFY(kept[0].policy == "both" && kept[0].method.empty() && kept[0].turn == 0);
        for (std::size_t at = 1; at < 4; ++at) {
            QCOMPARE(kept[at].policy, part.policy);
            QCOMPARE(kept[at].method, part.method);
            QVERIFY(kept[at].turn == 1 && kept[at].repair && kept[at].parent == part.parent &&
                    kept[at].shown == part.shown && kept[at].group == 2);
        }
        QCOMPARE(m_project->variant(kept[1].variant)->origin, part.policy);
        QCOMPARE(m_project->variant(kept[0].variant)->origin, std::string("both")); // who was first
        QVERIFY(kept[3].reward == 0.0 && !kept[1].reward);
    }

    void whatCameAfterTheLastAnswerGoesWithIt()
    {
        policy::Reply first, second;
        first.policy = "agent: a";
        first.proposals = {proposal("A", "A")};
        first.proposals[0].reply = "up to A\n";
        second.policy = "endpoint: other";
        second.proposals = {proposal("B", "B")};
        second.proposals[0].reply = "B";
        policy::Reply both;
        both.further = {first, second};
        QVERIFY(storeRound(*m_project, "both", both, m_prompt, m_options, m_run).ok());

        policy::Reply closing;
        closing.policy = "agent: a";
        closing.closing = "last words\n";
        both.further = {closing};
        m_prompt.turn = 1;
        m_prompt.answers = *optimize::pastAnswers(*m_project, m_run, m_prompt.round, "Replay CPU", m_options.precision);
        const auto round = storeRound(*m_project, "both", both, m_prompt, m_options, m_run);
        QVERIFY(round.ok() && round->exhausted && round->items.empty());
        const auto kept = samples();
        QCOMPARE(kept.size(), std::size_t(2));
        QCOMPARE(m_project->sample(kept[0].id)->reply, std::string("up to A\nlast words\n"));
        QCOMPARE(m_project->sample(kept[1].id)->reply, std::string("B"));
        QVERIFY(!m_project->addToReply({999}, "x"));
    }

    void rewardsFollowThePapersRule()
    {
        store::EvaluationSummary summary;
        const auto of = [&](protocol::Verdict verdict, double speedup) {
            summary.verdict = verdict;
            summary.wall = {speedup, speedup, speedup};
            return optimize::rewardOf(summary);
        };
        // The paper's own two, then a failure that was fast, and what was not timed.
        QCOMPARE(*of(protocol::Verdict::Correct, 1.118), 1.11);
        QCOMPARE(*of(protocol::Verdict::Correct, 0.992), 1.0);
        QCOMPARE(*of(protocol::Verdict::Incorrect, 7), 0.0);
        QVERIFY(!of(protocol::Verdict::Correct, 0));
        // Times that other work has spoilt are worth nothing either way; a failure is one all the same.
        summary.labels = "precision crowded ";
        QVERIFY(!of(protocol::Verdict::Correct, 3));
        QCOMPARE(*of(protocol::Verdict::Incorrect, 3), 0.0);
        summary.labels = "overcrowded ";
        QCOMPARE(*of(protocol::Verdict::Correct, 3), 3.0);
    }

    void answersAreWhatBecameOfThem()
    {
        policy::Reply reply;
        reply.proposals = {proposal("A", "reply A"), proposal("B")};
        reply.unusable = {{"no", "It has no block of code.", {}}};
        reply.prompt = "asked";
        QVERIFY(storeRound(*m_project, "endpoint: m", reply, m_prompt, m_options, m_run).ok());
        protocol::Evaluation evaluation;
        evaluation.verdict = protocol::Verdict::Incorrect;
        evaluation.reasons = {{"wrong_values", "Off by one", "here"}};
        evaluation.device.model = m_prompt.device.model;
        evaluation.precision.mode = m_options.precision;
        evaluation.pairs.resize(3);
        const auto kept = samples();
        QVERIFY(m_project->addEvaluation(kept[0].variant, evaluation).ok());
        evaluation.device.model = "Another GPU";
        QVERIFY(m_project->addEvaluation(kept[1].variant, evaluation).ok());
        const auto answers = optimize::pastAnswers(*m_project, m_run, 1, m_prompt.device.model, m_options.precision);
        QVERIFY2(answers.ok(), answers ? "" : answers.error().text().c_str());
        QCOMPARE(answers->size(), std::size_t(3));
        const policy::PastAnswer& first = answers->at(0);
        QVERIFY(first.sample == kept[0].id && first.policy == "endpoint: m" && first.prompt == "asked" &&
                first.reply == "reply A" && first.source == "A" && first.evaluation->reasons[0].text == "Off by one" &&
                first.evaluation->pairs.empty());
        QVERIFY(!answers->at(1).evaluation && answers->at(1).reply.find("```python\nB\n") != std::string::npos);
        QVERIFY(!answers->at(2).variant && answers->at(2).unusable == "It has no block of code.");
        QVERIFY(optimize::pastAnswers(*m_project, m_run, 0, m_prompt.device.model, m_options.precision)->empty());
        // B waits for its judge; that it is not queued, a kill must have done.
        const auto queued = *m_project->queue(m_run);
        for (const store::QueueItem& item : queued)
            QVERIFY(m_project->finish(item, evaluation).ok());
        m_prompt.answers = *answers;
        m_prompt.turn = 1;
        const auto round = storeRound(*m_project, "endpoint: m", {}, m_prompt, m_options, m_run);
        QCOMPARE(round->items.size(), std::size_t(1));
        QVERIFY(round->items[0].variant == kept[1].variant);
    }

    void askingAgainIsAnotherQuestion()
    {
        policy::Reply reply;
        reply.proposals = {proposal("A")};
        QCOMPARE(storeRound(*m_project, "library", reply, m_prompt, m_options, m_run)->items.size(), std::size_t(1));
        const auto again = storeRound(*m_project, "library", reply, m_prompt, m_options, m_run);
        QVERIFY(again.ok() && again->items.empty()); // in the queue already
        QCOMPARE(m_project->samples(m_run, 1)->size(), std::size_t(1));
        QCOMPARE(m_project->samples(m_run, 2)->size(), std::size_t(1));

        // Judged before: said, not queued, and a sample all the same.
        protocol::Evaluation evaluation;
        evaluation.verdict = protocol::Verdict::Correct;
        evaluation.device.model = m_prompt.device.model;
        evaluation.precision.mode = m_options.precision;
        evaluation.preset = m_options.preset;
        QVERIFY(m_project->finish(m_project->queue(m_run)->front(), evaluation).ok());
        const auto judged = storeRound(*m_project, "library", reply, m_prompt, m_options, m_run);
        QVERIFY(judged->items.empty());
        QCOMPARE(judged->notQueued.size(), std::size_t(1));
        QVERIFY(judged->notQueued.front().starts_with("Judged before: "));
        QCOMPARE(m_project->samples(m_run, 3)->size(), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(TestRound)
#include "tst_round.moc"
