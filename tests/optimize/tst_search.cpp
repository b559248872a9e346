// SPDX-License-Identifier: GPL-3.0-or-later
// The optimise loop against a recorded evaluator: rounds, order, stop, resume, deaths, budget.
#include "core/optimize/options.h"
#include "core/optimize/search.h"
#include "core/optimize/timeahead.h"
#include "tests/optimize/projectfixture.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <algorithm>

using namespace cudal1;
using optimize::Search;
using store::RunState;

namespace {

constexpr int deadline_ms = 30'000;

// Spelled out: a brace list of two texts is also a string made of two pointers.
using Round = std::vector<std::string>;
using Rounds = std::vector<Round>;

/// Proposes the given sources, one list a round, and keeps what it was asked with.
class ListPolicy : public policy::InstantPolicy {
public:
    explicit ListPolicy(Rounds given) : rounds(std::move(given)) {}
    std::string name() const override { return "list"; }
    policy::Reply propose(const policy::Prompt& prompt) override
    {
        prompts.push_back(prompt);
        policy::Reply reply;
        if (std::size_t(prompt.round) < rounds.size())
            for (const std::string& source : rounds[std::size_t(prompt.round)])
                reply.proposals.push_back({source, "analysis of " + source, "design", "code", {"t_" + source}, {}});
        reply.declined = {{"magic", "There is none"}};
        return reply;
    }

    Rounds rounds;
    std::vector<policy::Prompt> prompts;
};

/// Replies after a while, in the course of which it writes; or never.
class SlowPolicy : public policy::Policy {
public:
    std::string name() const override { return "slow"; }
    std::unique_ptr<policy::Question> ask(const policy::Prompt& prompt, policy::Listener listener) override
    {
        struct Writing : policy::Question {
            QTimer timer;
            int* takenBack = nullptr;
            ~Writing() override { *takenBack += timer.isActive(); }
        };
        ++asked;
        auto writing = std::make_unique<Writing>();
        writing->takenBack = &takenBack;
        QObject::connect(
            &writing->timer, &QTimer::timeout,
            [this, timer = &writing->timer, listener, round = prompt.round, said = 0]() mutable {
                if (never)
                    return;
                if (++said <= 2)
                    return listener.partial("word " + std::to_string(said) + " ");
                timer->stop();
                if (!error.message.empty())
                    return listener.replied(error);
                policy::Reply reply;
                if (round == 0)
                    reply.proposals.push_back({"A", "analysis", "design", "code", {"t"}, "word 1 word 2 "});
                listener.replied(std::move(reply));
            });
        writing->timer.start(20);
        return writing;
    }
    void told(const std::string& source, const protocol::Evaluation& evaluation) override
    {
        heard.emplace_back(source, evaluation.verdict);
    }

    bool never = false;
    base::Error error;
    int asked = 0, takenBack = 0;
    std::vector<std::pair<std::string, protocol::Verdict>> heard;
};

QByteArray correctWithin(const char* text, double estimate, double low, double high, const QByteArray& more = {})
{
    const auto number = [](double value) { return QByteArray::number(value); };
    return QByteArray("{\"on\":\"evaluate\",\"candidate_contains\":\"") + text + "\"," + more +
           "\"reply\":{\"verdict\":\"correct\",\"seconds\":{\"total\":2},\"speedup\":{\"wall\":{\"estimate\":" +
           number(estimate) + ",\"low\":" + number(low) + ",\"high\":" + number(high) + "}}}}\n";
}

QByteArray correct(const char* text, double estimate, const QByteArray& more = {})
{
    return correctWithin(text, estimate, estimate * 0.99, estimate * 1.01, more);
}

} // namespace

class TestSession : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private:
    /// Types of the requests that evaluators have got, in order.
    QStringList requests() const
    {
        QFile file(m_folder->filePath("log.jsonl"));
        QStringList out;
        if (file.open(QIODevice::ReadOnly))
            for (const QByteArray& line : file.readAll().trimmed().split('\n'))
                out << QString::fromStdString(nlohmann::json::parse(line.toStdString()).at("type").get<std::string>());
        return out;
    }

    std::vector<store::VariantRow> rows() const
    {
        const auto out = m_project->variantRows(m_options.task.id);
        if (!out)
            qFatal("%s", out.error().text().c_str());
        return *out;
    }

    std::string sourceOf(const store::VariantRow& row) const { return m_project->variant(row.id)->source; }
    RunState stateOf(base::RunId id) const
    {
        const auto runs = m_project->runs();
        for (const auto& run : *runs)
            if (run.id == id)
                return run.state;
        qFatal("no such run");
    }

    /// Runs to the end; the state it ended in.
    RunState finish(Search& session, QSignalSpy& finished)
    {
        if (finished.isEmpty() && !finished.wait(deadline_ms))
            qFatal("the session did not end");
        [[maybe_unused]] const bool running = session.isRunning();
        return finished.takeFirst().at(0).value<RunState>();
    }

private slots:
    void init()
    {
        renew();
        m_options.rounds = 2;
    }

    void roundsEndInAnOrderedStore()
    {
        farm::Launcher evaluator(
            command(correct("A", 1.5) + correct("B", 4) +
                    R"({"on":"evaluate","candidate_contains":"C","reply":{"verdict":"incorrect"}})"));
        ListPolicy policy(Rounds{Round{"A", "C"}, Round{"B"}});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        std::vector<optimize::SearchProgress> progress;
        connect(&session, &Search::progress, this,
                [&](const optimize::SearchProgress& one) { progress.push_back(one); });
        int proposed = 0, stored = 0;
        connect(&session, &Search::variantProposed, this, [&] { ++proposed; });
        connect(&session, &Search::evaluationStored, this, [&] { ++stored; });
        std::vector<policy::Declined> declined;
        connect(&session, &Search::declined, this, [&](const auto& list) { declined = list; });
        session.start(m_options);
        QVERIFY(session.isRunning());
        QVERIFY(finish(session, finished) == RunState::Finished);
        QVERIFY(!session.isRunning());

        QCOMPARE(proposed, 3);
        QCOMPARE(stored, 4); // the best once more
        QCOMPARE(declined.at(0).technique, std::string("magic"));
        const auto list = rows();
        QCOMPARE(list.size(), std::size_t(3));
        QCOMPARE(sourceOf(list[0]), std::string("B"));
        QCOMPARE(sourceOf(list[1]), std::string("A"));
        QVERIFY(list[2].evaluation->verdict == protocol::Verdict::Incorrect);
        QVERIFY(stateOf(session.run()) == RunState::Finished);
        QVERIFY(m_project->queue(session.run())->empty());

        // The second round sees what the first has found, best first, and the measured graph.
        QCOMPARE(policy.prompts.size(), std::size_t(2));
        QCOMPARE(policy.prompts[0].exemplars.size(), std::size_t(0));
        QCOMPARE(policy.prompts[1].exemplars.size(), std::size_t(2));
        QCOMPARE(policy.prompts[1].exemplars[0].source, std::string("A"));
        QCOMPARE(policy.prompts[1].graph.total_ns, 1000.0);
        QCOMPARE(policy.prompts[1].device.model, std::string("Replay CPU"));

        const optimize::SearchProgress& last = progress.back();
        QCOMPARE(last.done, 4);
        QCOMPARE(last.planned, 4);
        QCOMPARE(last.fraction, 1.0);
        QCOMPARE(last.best.value, list[0].id.value);
        // From the first word on: six variants in the first round, two in each further one, and the best once more, of
        // 25 s each.
        QVERIFY(progress.front().guessed && progress.front().planned == 0);
        QCOMPARE(progress.front().secondsLeft, (6 + 2 * (m_options.rounds - 1)) * 25.0 + 25);
        // After one of two, with 2 s each where 25 s were usual.
        const auto half = std::find_if(progress.begin(), progress.end(),
                                       [](const auto& one) { return one.done == 1 && one.planned == 2; });
        QVERIFY(half != progress.end());
        QVERIFY(!half->guessed);
        const double left = (25 + 2) / 2.0 * (1 + 2 * (m_options.rounds - 1)) + 25;
        QVERIFY2(half->secondsLeft > left * 0.7 && half->secondsLeft <= left,
                 qPrintable(QString::number(half->secondsLeft)));
        QCOMPARE(last.secondsLeft, 0.0);
    }

    void anEarlierRunTellsHowLongThisOneWillTake()
    {
        ListPolicy policy(Rounds{Round{"A", "B", "C", "D"}});
        m_options.rounds = 1;
        for (const bool again : {false, true}) {
            farm::Launcher evaluator(command(correct("A", 2) + correct("B", 3) + correct("C", 2) + correct("D", 2)));
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            QSignalSpy finished(&session, &Search::finished);
            std::vector<optimize::SearchProgress> progress;
            connect(&session, &Search::progress, this, [&](const auto& one) { progress.push_back(one); });
            session.start(m_options);
            QVERIFY(finish(session, finished) == RunState::Finished);
            QVERIFY(progress.front().guessed);
            const double first = progress.front().secondsLeft;
            if (!again)
                QCOMPARE(first, 6 * 25.0 + 25);
            else // which took no more than moments, and judged five times with the best once more
                QVERIFY2(first > 0 && first < 20, qPrintable(QString::number(first)));
        }
        const auto ahead = optimize::timeAhead(*m_project, m_options, "list");
        QCOMPARE(ahead.firstRound, 4.0);
        QCOMPARE(ahead.variants(0, 3), 4 + 2 * 4 / 3.0);
        QCOMPARE(ahead.all_s(1), 4 * ahead.judging_s + ahead.confirming_s);
        m_options.device = "cuda:0"; // of which nothing is known
        QCOMPARE(optimize::timeAhead(*m_project, m_options, "list").judging_s, 25.0);
        m_options.preset = protocol::Preset::Quick;
        QCOMPARE(optimize::timeAhead(*m_project, m_options, "list").judging_s, 5.0);
        QCOMPARE(optimize::secondsLeftOf({}, 3), -1.0);
        QCOMPARE(optimize::secondsLeftOf({-1}, 3), -1.0);
        QCOMPARE(optimize::secondsLeftOf({10, 40, -1}, 3), 40 + 3 * 40 / 2.0);
    }

    void graphIsTracedOnceAndNothingIsJudgedTwice()
    {
        ListPolicy policy(Rounds{Round{"A"}, Round{"A", "B"}});
        for (int repeat = 0; repeat < 2; ++repeat) {
            farm::Launcher evaluator(command(correct("A", 2) + correct("B", 3)));
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            QSignalSpy finished(&session, &Search::finished);
            session.start(m_options);
            QVERIFY(finish(session, finished) == RunState::Finished);
        }
        QCOMPARE(requests().count("graph"), 1);
        QCOMPARE(requests().count("describe"), 2);
        QCOMPARE(requests().count("evaluate"), 3); // the best of the first run once more
    }

    void otherPresetIsJudgedAnew()
    {
        ListPolicy policy(Rounds{Round{"A"}});
        for (const auto preset : {protocol::Preset::Standard, protocol::Preset::Quick}) {
            farm::Launcher evaluator(command(correct("A", 2)));
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            QSignalSpy finished(&session, &Search::finished);
            m_options.preset = preset;
            session.start(m_options);
            QVERIFY(finish(session, finished) == RunState::Finished);
        }
        QCOMPARE(requests().count("evaluate"), 4); // each once more
    }

    void policyMayTakeItsTime()
    {
        farm::Launcher evaluator(command(correct("A", 2)));
        SlowPolicy policy;
        m_options.rounds = 1;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished), partial(&session, &Search::partialReply);
        std::vector<std::string> texts;
        connect(&session, &Search::progress, this,
                [&](const optimize::SearchProgress& one) { texts.push_back(one.text); });
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QCOMPARE(policy.asked, 1);
        QCOMPARE(partial.size(), 2);
        QCOMPARE(partial.at(1).at(0).toString(), QString("word 2 "));
        QVERIFY(std::find(texts.begin(), texts.end(), "asking the policy, slow") != texts.end());
        QCOMPARE(policy.heard.size(), std::size_t(2)); // the best once more
        QVERIFY(policy.heard[0].first == "A" && policy.heard[0].second == protocol::Verdict::Correct);
        const auto samples = *m_project->samples(session.run());
        QCOMPARE(samples.size(), std::size_t(1));
        QCOMPARE(m_project->sample(samples[0].id)->reply, std::string("word 1 word 2 "));
        QCOMPARE(policy.takenBack, 0);
    }

    void questionIsTakenBackOnStop()
    {
        farm::Launcher evaluator(command(correct("A", 2)));
        SlowPolicy policy;
        policy.never = true;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QTRY_COMPARE_WITH_TIMEOUT(policy.asked, 1, deadline_ms);
        session.stop();
        QVERIFY(finish(session, finished) == RunState::Stopped);
        QCOMPARE(policy.takenBack, 1);
    }

    void questionIsTakenBackWhenTimeIsUp()
    {
        farm::Launcher evaluator(command(correct("A", 2)));
        SlowPolicy policy;
        policy.never = true;
        m_options.budget_s = 1;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Failed); // nothing was judged
        QCOMPARE(session.error().code, base::ErrorCode::LimitReached);
        QCOMPARE(policy.takenBack, 1);
        m_options.budget_s = 0;
    }

    void policyThatFailsEndsTheRun()
    {
        farm::Launcher evaluator(command(correct("A", 2)));
        SlowPolicy policy;
        policy.error = {base::ErrorCode::Unavailable, "no model answers", {}, {}};
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Failed);
        QCOMPARE(session.error().message, std::string("no model answers"));
    }

    void bestOfAQuickSearchIsMeasuredAsStandard()
    {
        farm::Launcher evaluator(command(correct("A", 2)));
        ListPolicy policy(Rounds{Round{"A"}});
        m_options.preset = protocol::Preset::Quick;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        const auto evaluations = m_project->evaluations(rows().at(0).id);
        QCOMPARE(evaluations->size(), std::size_t(2)); // the newest first
        QVERIFY(evaluations->at(0).preset == protocol::Preset::Standard);
        QVERIFY(evaluations->at(1).preset == protocol::Preset::Quick);
        m_options.preset = protocol::Preset::Standard;
    }

    void luckyBestIsMeasuredOnceMore()
    {
        // A is found fast by luck: once more it is slower than B, which then claims to be best and is measured again
        // too.
        farm::Launcher evaluator(command(correct("A", 4, "\"times\":1,") + correct("A", 1.2) + correct("B", 3)));
        ListPolicy policy(Rounds{Round{"A", "B"}});
        m_options.rounds = 1;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        QSignalSpy stored(&session, &Search::evaluationStored);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QCOMPARE(stored.size(), 4);
        const auto list = rows();
        QCOMPARE(sourceOf(list.at(0)), std::string("B"));
        QCOMPARE(list.at(1).evaluation->wall.estimate, 1.2);
        QCOMPARE(m_project->evaluations(list.at(1).id)->size(), std::size_t(2));
        QVERIFY(m_project->queue(session.run())->empty());
    }

    /// Where programs are collected or compared, a speed-up is measured once more only if it is large.
    void whatIsNotCertainIsMeasuredOnceMore_data()
    {
        QTest::addColumn<double>("speedup");
        QTest::addColumn<int>("evaluations");
        QTest::newRow("certain") << 2.9 << 1;
        QTest::newRow("not certain") << 3.1 << 2;
    }
    void whatIsNotCertainIsMeasuredOnceMore()
    {
        QFETCH(double, speedup);
        QFETCH(int, evaluations);
        farm::Launcher evaluator(command(correct("A", speedup)));
        ListPolicy policy(Rounds{Round{"A"}});
        m_options.rounds = 1;
        m_options.confirmsAbove = 3;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        QSignalSpy stored(&session, &Search::evaluationStored);
        session.start(m_options);
        m_options.confirmsAbove = 0;
        QVERIFY(finish(session, finished) == RunState::Finished);
        QCOMPARE(int(stored.size()), evaluations);
    }

    void whatOnlySeemsFasterIsMeasuredAsStandard()
    {
        // Of three that are not faster by their whole intervals, B seems so, and once more it is.
        farm::Launcher evaluator(command(correct("A", 1) + correctWithin("B", 1.6, 0.7, 2.9, "\"times\":1,") +
                                         correctWithin("C", 1.2, 0.8, 1.7) + correct("B", 1.5)));
        ListPolicy policy(Rounds{Round{"A", "B", "C"}});
        m_options.rounds = 1;
        m_options.preset = protocol::Preset::Quick;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        m_options.preset = protocol::Preset::Standard;
        QCOMPARE(requests().count("evaluate"), 4);
        const auto list = rows();
        QCOMPARE(sourceOf(list.at(0)), std::string("B"));
        QCOMPARE(list.at(0).evaluation->wall.estimate, 1.5);
        QVERIFY(list.at(0).evaluation->preset == protocol::Preset::Standard);
    }

    void nothingFasterIsNotMeasuredOnceMore()
    {
        farm::Launcher evaluator(command(correct("A", 0.9)));
        ListPolicy policy(Rounds{Round{"A"}});
        m_options.rounds = 1;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QCOMPARE(requests().count("evaluate"), 1);
    }

    void stopKeepsTheQueueAndResumeEmptiesIt()
    {
        ListPolicy policy(Rounds{Round{"A", "slow", "B"}});
        m_options.rounds = 1;
        base::RunId run;
        {
            farm::Launcher evaluator(
                command(correct("A", 2) + R"({"on":"evaluate","candidate_contains":"slow","act":"hang","deaf":true})"));
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            QSignalSpy stored(&session, &Search::evaluationStored);
            QSignalSpy finished(&session, &Search::finished);
            session.start(m_options);
            QVERIFY(stored.wait(deadline_ms));
            QTRY_COMPARE_WITH_TIMEOUT(requests().count("evaluate"), 3,
                                      deadline_ms); // "slow" is in flight, "B" behind it
            QElapsedTimer clock;
            clock.start();
            session.stop();
            QVERIFY(finish(session, finished) == RunState::Stopped);
            QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
            run = session.run();
            QCOMPARE(m_project->queue(run)->size(), std::size_t(2));
            QVERIFY(stateOf(run) == RunState::Stopped);
        }
        farm::Launcher evaluator(command(correct("slow", 3) + correct("B", 4)));
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.resume(run);
        QCOMPARE(session.run().value, run.value);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QVERIFY(m_project->queue(run)->empty());
        QCOMPARE(rows().size(), std::size_t(3));
        for (const auto& row : rows())
            QVERIFY(row.evaluation && row.evaluation->verdict == protocol::Verdict::Correct);
        QCOMPARE(policy.prompts.size(), std::size_t(1)); // its only round was proposed before
    }

    void resumeGoesOnWithTheRoundsThatAreLeft()
    {
        ListPolicy policy(Rounds{Round{"A"}, Round{"B"}});
        const QByteArray recording = correct("A", 2) + correct("B", 3);
        base::RunId run;
        {
            farm::Launcher evaluator(command(recording));
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            QSignalSpy finished(&session, &Search::finished);
            connect(&session, &Search::evaluationStored, &session, &Search::stop);
            session.start(m_options);
            QVERIFY(finish(session, finished) == RunState::Stopped);
            run = session.run();
            QCOMPARE(rows().size(), std::size_t(1));
        }
        farm::Launcher evaluator(command(recording));
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.resume(run);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QCOMPARE(rows().size(), std::size_t(2));
        QCOMPARE(policy.prompts.back().round, 1);
        QCOMPARE(requests().count("evaluate"), 3); // the best once more
    }

    void runWithDamagedNotesIsNotResumed()
    {
        ListPolicy policy(Rounds{Round{"A"}});
        farm::Launcher evaluator(command(correct("A", 2)));
        crew::Crew crew;
        crew.add(evaluator);
        store::RunRecord record;
        record.kind = optimize::runKind;
        record.task = m_options.task.id;
        m_options.seed = 5;
        record.parameters = optimize::toJson(m_options, policy.name());
        QVERIFY(m_project->putTask(m_options.task).ok());
        const auto run = m_project->startRun(record);
        QVERIFY(run.ok() && m_project->setRunState(*run, RunState::Stopped).ok());
        QVERIFY(m_project->putCache("run/" + std::to_string(run->value) + "/notes", R"({"next_round":"one"})").ok());

        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.resume(*run);
        QVERIFY(finish(session, finished) == RunState::Failed);
        QCOMPARE(session.error().code, base::ErrorCode::Unreadable);
        QVERIFY(stateOf(*run) == RunState::Failed);
        const auto next = optimize::unfinishedRun(*m_project, m_options, policy.name());
        QVERIFY(next.ok() && !*next);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QVERIFY(session.run().value != run->value);
    }

    void destroyedSessionCanBeResumed()
    {
        ListPolicy policy(Rounds{Round{"A"}});
        base::RunId run;
        {
            farm::Launcher evaluator(command(R"({"on":"evaluate","act":"hang"})"));
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            session.start(m_options);
            QTRY_COMPARE_WITH_TIMEOUT(requests().count("evaluate"), 1, deadline_ms);
            run = session.run();
        }
        QVERIFY(stateOf(run) == RunState::Stopped);
        const auto found = optimize::unfinishedRun(*m_project, m_options, policy.name());
        QVERIFY(found.ok() && found->has_value());
        QCOMPARE((*found)->id.value, run.value);
    }

    void oneDeathOfTheEvaluatorIsForgiven()
    {
        farm::Launcher evaluator(command(R"({"on":"evaluate","candidate_contains":"bad","act":"crash"})"
                                         "\n" +
                                         correct("A", 2)));
        // Crashes each time it is asked for "bad": first with "A" on its way too, so that nobody is to blame, then
        // alone, then once more.
        ListPolicy policy(Rounds{Round{"bad", "A"}});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QCOMPARE(requests().count("evaluate"), 6); // both, "bad" alone twice, "A", "A" once more
        const auto list = rows();
        QCOMPARE(sourceOf(list.at(0)), std::string("A"));
        QVERIFY(list.at(1).evaluation->verdict == protocol::Verdict::Crashed);
        QVERIFY(list.at(1).evaluation->firstReason.find("twice") != std::string::npos);
        QCOMPARE(list.at(1).evaluation->deviceModel, std::string("Replay CPU"));
    }

    void secondTryMayWork()
    {
        // The process that crashed counted its one "times"; its successor starts with a fresh count, so the file that
        // it finds must have changed in between.
        farm::Launcher evaluator(command(R"({"on":"evaluate","act":"crash"})"));
        ListPolicy policy(Rounds{Round{"A"}});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        connect(&crew, &crew::Crew::log, this, [&] { command(correct("A", 2)); });
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QVERIFY(rows().at(0).evaluation->verdict == protocol::Verdict::Correct);
        QCOMPARE(requests().count("evaluate"), 3); // crashed, judged, as the best once more
    }

    void whatWaitsForACompilerLetsOthersPass()
    {
        farm::Launcher evaluator(command(correct("A", 2, "\"compiles\":true,") + correct("B", 3)));
        ListPolicy policy(Rounds{Round{"A", "B"}});
        m_options.rounds = 1;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        std::vector<double> answered, stored;
        connect(&crew, &crew::Crew::done, this, [&](quint64, const crew::JobOutcome& one) {
            if (const auto evaluation = one.evaluation())
                answered.push_back(evaluation->speedup.wall.speedup.estimate);
        });
        connect(&session, &Search::evaluationStored, this, [&](base::VariantId, base::EvaluationId id) {
            stored.push_back(m_project->evaluation(id)->speedup.wall.speedup.estimate);
        });
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QVERIFY((answered == std::vector<double>{3, 2, 3}));
        QVERIFY((stored == std::vector<double>{2, 3, 3})); // in the order of the queue, then the best once more
        QVERIFY(m_project->queue(session.run())->empty());
    }

    void referenceThatFailsEndsTheRun()
    {
        farm::Launcher evaluator(command(
            R"({"on":"evaluate","reply":{"verdict":"reference_failed","reasons":[{"code":"x","text":"Model raises"}]}})"));
        ListPolicy policy(Rounds{Round{"A", "B"}});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Failed);
        QVERIFY(session.error().message.find("Model raises") != std::string::npos);
        QCOMPARE(m_project->queue(session.run())->size(), std::size_t(1)); // "B" was on its way and is withdrawn
        QVERIFY(stateOf(session.run()) == RunState::Failed);
    }

    void missingDeviceIsSaid()
    {
        farm::Launcher evaluator(command({}));
        ListPolicy policy(Rounds{Round{"A"}});
        m_options.device = "cuda";
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Failed);
        QCOMPARE(session.error().code, base::ErrorCode::Unavailable);
        QVERIFY(session.error().message.find("cuda:0") != std::string::npos);
    }

    void evaluatorThatCannotStartIsSaid()
    {
        farm::Launcher evaluator({"/nowhere/evaluator"});
        ListPolicy policy(Rounds{Round{"A"}});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Failed);
        QCOMPARE(session.error().code, base::ErrorCode::Unavailable);
    }

    void budgetEndsTheRun()
    {
        farm::Launcher evaluator(command(correct("A", 2, "\"delay_ms\":300,") + correct("B", 3)));
        ListPolicy policy(Rounds{Round{"A", "B"}, Round{"C"}});
        m_options.budget_s = 0.25;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finished.wait(deadline_ms));
        QVERIFY(finished.at(0).at(0).value<RunState>() == RunState::Finished);
        QVERIFY(finished.at(0).at(1).toString().contains("budget"));
        QVERIFY(m_project->queue(session.run())->size() >= 1); // of "A" and "B"; slow start may use it all
    }

    void waitingForTheDeviceUsesNoBudget()
    {
        // Half of the first evaluation's 1.5 s is waiting, so that a second one can be begun.
        farm::Launcher evaluator(command(correct("A", 2,
                                                 "\"delay_ms\":1500,\"progress\":[{\"phase\":\"wait\"},{\"phase\":"
                                                 "\"wait\"},{\"phase\":\"build\"}],") +
                                         correct("B", 3)));
        ListPolicy policy(Rounds{Round{"A", "B"}});
        m_options.budget_s = 1.4;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QVERIFY(m_project->queue(session.run())->empty()); // "B" was begun too
        m_options.budget_s = 0;
    }

    void tracingTheReferenceUsesNoBudget()
    {
        farm::Launcher evaluator(command(correct("A", 2), 600));
        ListPolicy policy(Rounds{Round{"A"}});
        m_options.budget_s = 0.5;
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Finished);
        QVERIFY(m_project->queue(session.run())->empty()); // "A" was judged
        m_options.budget_s = 0;
    }

    void aBudgetThatBuysNothingIsAFailure()
    {
        farm::Launcher evaluator(command(correct("A", 2)));
        ListPolicy policy(Rounds{Round{"A"}});
        m_options.budget_s = 1e-6; // used up by asking
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finish(session, finished) == RunState::Failed);
        QCOMPARE(session.error().code, base::ErrorCode::LimitReached);
        QVERIFY(session.error().message.find("before anything was judged") != std::string::npos);
        m_options.budget_s = 0;
    }

    void aBudgetThatAnEarlierStartUsedUpIsAFailureToo()
    {
        {
            farm::Launcher evaluator(command(correct("of another run", 2)));
            ListPolicy policy(Rounds{Round{"of another run"}});
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            QSignalSpy finished(&session, &Search::finished);
            session.start(m_options);
            QVERIFY(finish(session, finished) == RunState::Finished);
        }
        m_options.budget_s = 60;
        base::RunId run;
        {
            farm::Launcher evaluator(command(correct("A", 2, "\"delay_ms\":60000,")));
            ListPolicy policy(Rounds{Round{"A"}});
            crew::Crew crew;
            crew.add(evaluator);
            Search session(*m_project, crew, policy);
            QSignalSpy queued(&session, &Search::variantProposed);
            session.start(m_options);
            QVERIFY(queued.wait(deadline_ms));
            run = session.run();
        }
        optimize::RunNotes notes = *optimize::readNotes(*m_project, run); // killed when its time was almost over
        notes.spent_s = 61;
        QVERIFY(optimize::writeNotes(*m_project, run, notes));
        QVERIFY(optimize::leaveRunning(*m_project, run));
        farm::Launcher evaluator(command(correct("A", 2)));
        ListPolicy policy(Rounds{Round{"A"}});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.resume(run);
        QVERIFY(finish(session, finished) == RunState::Failed);
        QVERIFY(session.error().message.find("before anything was judged") != std::string::npos);
        m_options.budget_s = 0;
    }

    void nothingToProposeIsAnEnd()
    {
        farm::Launcher evaluator(command({}));
        ListPolicy policy(Rounds{});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        QVERIFY(finished.wait(deadline_ms));
        QVERIFY(finished.at(0).at(0).value<RunState>() == RunState::Finished);
        QVERIFY(finished.at(0).at(1).toString().contains("No technique"));
    }

    void stopBeforeAnythingWasAsked()
    {
        farm::Launcher evaluator(command({}));
        ListPolicy policy(Rounds{Round{"A"}});
        crew::Crew crew;
        crew.add(evaluator);
        Search session(*m_project, crew, policy);
        QSignalSpy finished(&session, &Search::finished);
        session.start(m_options);
        session.stop();
        QVERIFY(finish(session, finished) == RunState::Stopped);
        QCOMPARE(finished.count(), 0); // once only
        QVERIFY(rows().empty());
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_search.moc"
