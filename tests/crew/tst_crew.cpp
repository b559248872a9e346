// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs over several recorded evaluators: exactly one outcome for each, exact blame, cancel, exchange.
#include "core/crew/crew.h"

#include "tests/farm/recording.h"

#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

using namespace cudal1;
using crew::Crew;
using crew::CrewJob;
using crew::JobId;
using crew::JobOutcome;

namespace {

constexpr int deadline_ms = 30'000;
const QByteArray correct = R"({"on":"evaluate","reply":{"verdict":"correct"}})"
                           "\n";

QByteArray slowly(const char* delay_ms)
{
    return QByteArray(correct).replace("\"reply\"", QByteArray("\"delay_ms\":") + delay_ms + ",\"reply\"");
}

CrewJob job(const std::string& candidate)
{
    protocol::EvaluateRequest request;
    request.task = {"1/1", "task"};
    request.candidate = candidate;
    request.device = "cpu";
    return {request, candidate, false, {}, false};
}

} // namespace

class TestCrew : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::map<JobId, JobOutcome> m_outcomes;
    std::vector<JobId> m_order;
    std::optional<base::Error> m_broken;
    QStringList m_log;

    QStringList command(const QByteArray& lines) const { return recording::command(*m_folder, lines); }
    void listen(Crew& crew)
    {
        connect(&crew, &Crew::done, &crew, [this](quint64 id, const JobOutcome& outcome) {
            QVERIFY2(m_outcomes.emplace(id, outcome).second, "a job has one outcome");
            m_order.push_back(id);
        });
        connect(&crew, &Crew::broken, &crew, [this](const base::Error& error) { m_broken = error; });
        connect(&crew, &Crew::log, &crew, [this](const QString& line) { m_log += line; });
    }
    bool waitFor(std::size_t count) const
    {
        return QTest::qWaitFor([&] { return m_outcomes.size() >= count; }, deadline_ms);
    }
    int count(JobOutcome::Kind kind) const
    {
        return int(std::count_if(m_outcomes.begin(), m_outcomes.end(),
                                 [kind](const auto& one) { return one.second.kind == kind; }));
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_outcomes.clear();
        m_order.clear();
        m_broken.reset();
        m_log.clear();
    }

    void twoEvaluatorsWorkAtTheSameTime()
    {
        const QStringList words = command(slowly("400"));
        Crew crew({.ahead = 2});
        crew.add(words, "cuda:0");
        crew.add(words, "cuda:1");
        QCOMPARE(crew.places(), 4);
        listen(crew);
        for (int i = 0; i < 6; ++i)
            crew.submit(job("candidate " + std::to_string(i)));
        QTRY_COMPARE_WITH_TIMEOUT(recording::evaluationsAsked(*m_folder), 4,
                                  deadline_ms); // two with each before the first answer
        QVERIFY(waitFor(6));
        QCOMPARE(count(JobOutcome::Kind::Answered), 6);
        QVERIFY(crew.isIdle());
    }

    void deathOfOneIsBlamedOnTheRightJobAndLosesNothing()
    {
        const QStringList words = command(R"({"on":"evaluate","candidate_contains":"bad","delay_ms":100,"act":"crash"})"
                                          "\n" +
                                          slowly("50"));
        Crew crew({.ahead = 3});
        crew.add(words);
        crew.add(words);
        listen(crew);
        JobId bad = 0;
        for (int i = 0; i < 9; ++i) {
            const JobId id = crew.submit(job(i == 4 ? "bad" : "candidate"));
            if (i == 4)
                bad = id;
        }
        QVERIFY(waitFor(9));
        QCOMPARE(count(JobOutcome::Kind::Answered), 8);
        QVERIFY(m_outcomes.at(bad).kind == JobOutcome::Kind::Fatal);
        QVERIFY(m_outcomes.at(bad).error.code == base::ErrorCode::ProcessFailed);
        QVERIFY(!m_broken);
        QVERIFY(m_log.join('\n').contains("bad"));
    }

    void secondTryMayWork()
    {
        Crew crew;
        crew.add(command(R"({"on":"evaluate","act":"crash"})"));
        listen(crew);
        connect(&crew, &Crew::log, this, [&] { command(correct); });
        crew.submit(job("candidate"));
        QVERIFY(waitFor(1));
        QCOMPARE(count(JobOutcome::Kind::Answered), 1);
        QCOMPARE(recording::evaluationsAsked(*m_folder), 2);
    }

    void brokenMachineIsNoJobsFault()
    {
        Crew crew({.ahead = 2, .tries = 1, .mostFatalInARow = 2});
        crew.add(command(R"({"on":"evaluate","act":"crash"})"));
        listen(crew);
        for (int i = 0; i < 6; ++i)
            crew.submit(job("candidate"));
        QVERIFY(waitFor(6));
        QVERIFY(m_broken && !m_broken->hint.empty());
        QCOMPARE(count(JobOutcome::Kind::Fatal), 1);
        QCOMPARE(count(JobOutcome::Kind::Answered), 0);
        QVERIFY(count(JobOutcome::Kind::Lost) >= 1);
    }

    void refusalIsOfOneJobAlone()
    {
        Crew crew;
        crew.add(command(
            R"({"on":"evaluate","candidate_contains":"long","act":"error","reply":{"code":"invalid_argument","message":"too long"}})"
            "\n" +
            correct));
        listen(crew);
        const JobId refused = crew.submit(job("long"));
        crew.submit(job("candidate"));
        QVERIFY(waitFor(2));
        QVERIFY(m_outcomes.at(refused).kind == JobOutcome::Kind::Refused);
        QCOMPARE(m_outcomes.at(refused).error.message, std::string("too long"));
        QCOMPARE(count(JobOutcome::Kind::Answered), 1);
    }

    void cancelledJobsSaySo()
    {
        Crew crew({.ahead = 2});
        crew.add(command(slowly("300")));
        listen(crew);
        std::vector<JobId> jobs;
        for (int i = 0; i < 5; ++i)
            jobs.push_back(crew.submit(job("candidate")));
        QTRY_COMPARE_WITH_TIMEOUT(recording::evaluationsAsked(*m_folder), 2, deadline_ms);
        crew.cancel(jobs[3]);        // it waits
        QVERIFY(m_outcomes.empty()); // not from within the call
        crew.cancelWaiting(jobs);
        QVERIFY(waitFor(5));
        QCOMPARE(count(JobOutcome::Kind::Cancelled), 4);
        QVERIFY(m_outcomes.at(jobs[0]).kind == JobOutcome::Kind::Answered);
        crew.cancel(crew.submit(job("candidate")));
        QVERIFY(waitFor(6));
        QCOMPARE(count(JobOutcome::Kind::Cancelled), 5);
    }

    void firstComesBeforeWhatWaits()
    {
        Crew crew({.ahead = 1});
        crew.add(command(slowly("50")));
        listen(crew);
        crew.submit(job("candidate"));
        crew.submit(job("candidate"));
        const JobId first = crew.submitFirst(job("candidate"));
        QVERIFY(waitFor(3));
        QCOMPARE(m_order.front(), first);
    }

    void jobsThatWantToBeAloneAre()
    {
        Crew crew({.ahead = 4});
        crew.add(command(slowly("150")));
        listen(crew);
        crew.submit(job("candidate"));
        CrewJob alone = job("alone");
        alone.alone = true;
        const JobId id = crew.submit(alone);
        crew.submit(job("candidate"));
        QVERIFY(waitFor(1));
        QCOMPARE(recording::evaluationsAsked(*m_folder), 1);
        QVERIFY(waitFor(2));
        QCOMPARE(m_order[1], id);
        QCOMPARE(recording::evaluationsAsked(*m_folder), 2);
        QVERIFY(waitFor(3));
    }

    void equalRequestsThatMayBeSharedAreOne()
    {
        Crew crew({.ahead = 2});
        crew.add(command(slowly("200")));
        listen(crew);
        CrewJob shared = job("candidate");
        shared.shared = true;
        const JobId first = crew.submit(shared);
        const JobId second = crew.submit(shared);
        const JobId third = crew.submit(shared);
        const JobId own = crew.submit(job("candidate")); // asks for its own
        crew.cancel(first);                              // the others still wait for it
        crew.cancel(first);
        QVERIFY(waitFor(4));
        QVERIFY(m_outcomes.at(first).kind == JobOutcome::Kind::Cancelled);
        for (const JobId id : {second, third, own})
            QVERIFY(m_outcomes.at(id).evaluation() != nullptr);
        QVERIFY(m_outcomes.at(second).evaluation() == m_outcomes.at(third).evaluation());
        QCOMPARE(recording::evaluationsAsked(*m_folder), 2);
        const std::vector<JobId> both{crew.submit(shared), crew.submit(shared)};
        crew.cancel(both);
        QVERIFY(waitFor(6));
        QCOMPARE(count(JobOutcome::Kind::Cancelled), 3);
        QVERIFY(crew.isIdle());
    }

    void lostSeatLeavesItsJobsToTheOthers()
    {
        Crew crew({.ahead = 2});
        crew.add(farm::Launcher({"/nowhere/evaluator"}), "cuda:0");
        crew.add(command(correct), "cuda:1");
        listen(crew);
        for (int i = 0; i < 4; ++i)
            crew.submit(job("candidate"));
        QVERIFY(waitFor(4));
        QCOMPARE(count(JobOutcome::Kind::Answered), 4);
        QVERIFY(!m_broken);
        QVERIFY(m_log.join('\n').contains("cuda:0 is lost"));
    }

    void whenNoSeatIsLeftTheNextJobTriesThemAgain()
    {
        Crew crew;
        crew.add(farm::Launcher({"/nowhere/evaluator"}));
        listen(crew);
        crew.submit(job("candidate"));
        QVERIFY(waitFor(1));
        QVERIFY(m_broken && count(JobOutcome::Kind::Lost) == 1);
        m_broken.reset();
        crew.submit(job("candidate"));
        QVERIFY(waitFor(2));
        QVERIFY(m_broken && count(JobOutcome::Kind::Lost) == 2);
    }

    void deviceThatIsGoneTakesAlongWhatIsOnItsWay()
    {
        Crew crew({.ahead = 2});
        crew.add(command(
            R"({"on":"evaluate","candidate_contains":"first","act":"error","reply":{"code":"unavailable","message":"no GPU"}})"
            "\n" +
            slowly("5000")));
        listen(crew);
        const JobId first = crew.submit(job("first")), second = crew.submit(job("second")),
                    third = crew.submit(job("third"));
        const JobId unwanted = crew.submit(job("fourth"));
        crew.cancel(unwanted);
        QVERIFY(waitFor(4));
        QVERIFY(m_broken && m_broken->message == "no GPU");
        for (const JobId id : {first, second, third})
            QVERIFY(m_outcomes.at(id).kind == JobOutcome::Kind::Lost && m_outcomes.at(id).error.message == "no GPU");
        QVERIFY(m_outcomes.at(unwanted).kind == JobOutcome::Kind::Cancelled);
    }

    void whatJudgesNothingLosesNoSeat()
    {
        Crew crew;
        crew.add(command(R"({"on":"graph","act":"error","reply":{"code":"unavailable","message":"no such device"}})"
                         "\n" +
                         correct));
        listen(crew);
        const JobId graph = crew.submit(
            {protocol::GraphRequest{{"1/1", "task"}, "cuda:9", {}, 1}, "graph", false, {}, false});
        crew.submit(job("candidate"));
        QVERIFY(waitFor(2));
        QVERIFY(m_outcomes.at(graph).kind == JobOutcome::Kind::Refused && !m_broken);
        QCOMPARE(count(JobOutcome::Kind::Answered), 1);
    }

    void evaluatorThatDiesBeforeItsGreetingIsNoJobsFault()
    {
        Crew crew;
        crew.add(farm::Launcher({"sh", "-c", "kill -9 $$"}));
        listen(crew);
        crew.submit(job("candidate"));
        crew.submit(job("candidate"));
        QVERIFY(waitFor(2));
        QVERIFY(m_broken && count(JobOutcome::Kind::Lost) == 2);
    }

    void everyKindOfRequestHasAnOutcome()
    {
        Crew crew;
        const QByteArray traced = R"({"on":"graph","reply":{"output_kind":"tensor","total_ns":1000}})";
        crew.add(command(traced + "\n" + correct), "cuda:7"); // which "meta" is not replaced by
        listen(crew);
        QSignalSpy states(&crew, &Crew::seatChanged);
        const JobId machine = crew.submit({farm::DescribeRequest{}, "machine", false, {}, false});
        const JobId graph = crew.submit(
            {protocol::GraphRequest{{"1/1", "task"}, "meta", {}, 1}, "graph", false, {}, false});
        QVERIFY(waitFor(2));
        QCOMPARE(std::get<protocol::Machine>(m_outcomes.at(machine).answer).devices.at(0).name, std::string("cpu"));
        QVERIFY(std::get<std::shared_ptr<const protocol::OperatorGraph>>(m_outcomes.at(graph).answer) != nullptr);
        QVERIFY(!m_outcomes.at(graph).evaluation());
        QCOMPARE(crew.hello().program, std::string("replay_evaluator"));
        QCOMPARE(states.size(), 2); // it starts, it is ready
    }

    void evaluatorsAreExchanged()
    {
        Crew crew({.ahead = 2});
        crew.add(command(slowly("100")));
        listen(crew);
        CrewJob other = job("candidate");
        other.environment = {"CUDAL1_TEST=1"};
        crew.submit(job("candidate"));
        crew.submit(other);
        QVERIFY(waitFor(2));
        QCOMPARE(recording::evaluationsAsked(*m_folder), 2);
        crew.submit(other);
        QTRY_COMPARE_WITH_TIMEOUT(recording::evaluationsAsked(*m_folder), 3, deadline_ms);
        crew.renew(); // what was on its way is judged by the next one
        QVERIFY(waitFor(3));
        QCOMPARE(count(JobOutcome::Kind::Answered), 3);
        QCOMPARE(recording::evaluationsAsked(*m_folder), 4);
    }
};

QTEST_GUILESS_MAIN(TestCrew)
#include "tst_crew.moc"
