// SPDX-License-Identifier: GPL-3.0-or-later
// The loop over the runs of an experiment against a recorded evaluator: several at once, stop, resume, failures.
#include "core/experiment/experimentrun.h"
#include "tests/optimize/projectfixture.h"

#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <algorithm>

using namespace cudal1;
using experiment::ExperimentRun;
using store::RunState;

namespace {

constexpr int deadline_ms = 30'000;

/// What the policies of one test have in common.
struct Asked {
    int together = 1; ///< questions that must be open before any is answered
    int open = 0, most = 0, answered = 0;
    bool reached = false;
};

/// Answers once as many questions of its kind are open as shall be asked at once.
class WaitingPolicy : public policy::Policy {
public:
    explicit WaitingPolicy(Asked& asked) : m_asked(asked) {}
    std::string name() const override { return "local: waiting"; }
    std::unique_ptr<policy::Question> ask(const policy::Prompt&, policy::Listener listener) override
    {
        struct Open : policy::Question {
            explicit Open(Asked& all) : asked(all) { asked.most = std::max(asked.most, ++asked.open); }
            ~Open() override { --asked.open; }
            Asked& asked;
            QTimer timer;
        };
        auto out = std::make_unique<Open>(m_asked);
        QObject::connect(&out->timer, &QTimer::timeout,
                         [timer = &out->timer, &asked = m_asked, listener = std::move(listener)] {
                             asked.reached = asked.reached || asked.open >= asked.together;
                             if (!asked.reached)
                                 return;
                             timer->stop();
                             ++asked.answered;
                             policy::Reply reply;
                             reply.proposals.push_back({"A", "analysis", "design", "code", {"t"}, "A"});
                             listener.replied(std::move(reply));
                         });
        out->timer.start(5);
        return out;
    }

private:
    Asked& m_asked;
};

} // namespace

class TestExperimentRun : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private:
    /// One model that is asked about so many tasks, one round each.
    experiment::ExperimentRecord recordOf(int tasks)
    {
        auto plan = experiment::ExperimentPlan::read(
            R"({"models":[{"name":"m","path":"/there"}],"rows":[{"name":"Row","policy":"model:m"}],"level":1,
                "seeds":[1],"rounds":1})");
        if (!plan)
            qFatal("%s", plan.error().text().c_str());
        m_tasks.clear();
        for (int i = 0; i < tasks; ++i) {
            store::TaskRecord task = m_options.task;
            task.id = {"1/" + std::to_string(i + 1)};
            if (!m_project->putTask(task).ok())
                qFatal("the task was not stored");
            m_tasks.push_back(task);
        }
        auto record = experiment::recordOf(*plan, "mine", m_tasks);
        if (!record)
            qFatal("%s", record.error().text().c_str());
        record->device = "cpu";
        record->deviceModel = "Replay CPU";
        record->storedNames = {"local: waiting"};
        return *record;
    }

    RunState finish(QSignalSpy& finished)
    {
        if (finished.isEmpty() && !finished.wait(deadline_ms))
            qFatal("the experiment did not end");
        return finished.takeFirst().at(0).value<RunState>();
    }

    ExperimentRun::ModelFactory factory()
    {
        return [this](const experiment::Arm&, std::uint64_t,
                      const models::ModelSources&) -> base::Result<std::unique_ptr<policy::Policy>> {
            return std::unique_ptr<policy::Policy>(std::make_unique<WaitingPolicy>(m_asked));
        };
    }

    farm::Launcher evaluator() const
    {
        return farm::Launcher(command(R"({"on":"evaluate","candidate_contains":"A","reply":{"verdict":"incorrect"}})"));
    }

    std::vector<store::TaskRecord> m_tasks;
    Asked m_asked;

private slots:
    void init()
    {
        renew();
        m_asked = {};
    }

    void severalRunsAreMadeAtOnce()
    {
        m_asked.together = 3;
        crew::Crew crew;
        crew.add(evaluator());
        ExperimentRun run(*m_project, crew);
        run.setModels(factory());
        run.setAtOnce(3);
        double last = 0;
        connect(&run, &ExperimentRun::progress, this, [&](const experiment::ExperimentProgress& now) {
            QVERIFY(now.fraction >= 0 && now.fraction <= 1);
            last = now.fraction;
        });
        QSignalSpy finished(&run, &ExperimentRun::finished);
        const auto record = recordOf(7);
        run.start(record, m_tasks);
        const RunState state = finish(finished);
        QVERIFY2(state == RunState::Finished, run.error().text().c_str());
        QCOMPARE(run.done(), 7);
        QCOMPARE(m_asked.most, 3);
        QCOMPARE(m_asked.answered, 7);
        QVERIFY(last > 0.8);
        for (const experiment::CellResult& cell : run.results())
            QVERIFY(cell.done && cell.run);
    }

    void oneAfterTheOtherWithoutIt()
    {
        crew::Crew crew;
        crew.add(evaluator());
        ExperimentRun run(*m_project, crew);
        run.setModels(factory());
        QSignalSpy finished(&run, &ExperimentRun::finished);
        const auto record = recordOf(3);
        run.start(record, m_tasks);
        QVERIFY(finish(finished) == RunState::Finished);
        QCOMPARE(run.done(), 3);
        QCOMPARE(m_asked.most, 1);
    }

    void whatWasStoppedGoesOn()
    {
        m_asked.together = 5; // which never are, so nothing is answered
        const auto record = recordOf(4);
        {
            crew::Crew crew;
            crew.add(evaluator());
            ExperimentRun run(*m_project, crew);
            run.setModels(factory());
            run.setAtOnce(2);
            QSignalSpy finished(&run, &ExperimentRun::finished);
            run.start(record, m_tasks);
            QTRY_COMPARE_WITH_TIMEOUT(m_asked.open, 2, deadline_ms);
            run.stop();
            QVERIFY(finish(finished) == RunState::Stopped);
            QVERIFY(run.error().message.empty() && run.done() == 0 && m_asked.open == 0);
        }
        m_asked.together = 2;
        crew::Crew crew;
        crew.add(evaluator());
        ExperimentRun run(*m_project, crew);
        run.setModels(factory());
        run.setAtOnce(2);
        QSignalSpy finished(&run, &ExperimentRun::finished);
        QStringList lines;
        connect(&run, &ExperimentRun::log, this, [&](const QString& line) { lines << line; });
        run.start(record, m_tasks);
        QVERIFY(finish(finished) == RunState::Finished);
        QCOMPARE(run.done(), 4);
        QCOMPARE(lines.filter("Resuming").size(), 2);
        QCOMPARE(m_project->runs()->size(), std::size_t(5)); // the experiment and a run for each task
    }

    /// The reason is the one that is said, and those that were under way are stopped, not failed.
    void aModelThatCannotBeMadeEndsAllInOrder()
    {
        m_asked.together = 9;
        crew::Crew crew;
        crew.add(evaluator());
        ExperimentRun run(*m_project, crew);
        int made = 0;
        run.setModels([&](const experiment::Arm&, std::uint64_t,
                          const models::ModelSources&) -> base::Result<std::unique_ptr<policy::Policy>> {
            if (++made > 3) // one to see whether it can be made at all
                return base::Error{base::ErrorCode::NotFound, "The weights are gone", {}, {}};
            return std::unique_ptr<policy::Policy>(std::make_unique<WaitingPolicy>(m_asked));
        });
        run.setAtOnce(3);
        QSignalSpy finished(&run, &ExperimentRun::finished);
        const auto record = recordOf(4);
        run.start(record, m_tasks);
        QVERIFY(finish(finished) == RunState::Failed);
        QCOMPARE(run.error().message, std::string("The weights are gone"));
        QCOMPARE(m_asked.open, 0);
        const auto runs = m_project->runs();
        QVERIFY(std::none_of(runs->begin(), runs->end(),
                             [](const store::RunRecord& one) { return one.state == RunState::Running; }));
    }

    /// As after a kill: the next start finds the runs that were under way.
    void whatWasCutOffGoesOn()
    {
        m_asked.together = 9;
        const auto record = recordOf(3);
        {
            crew::Crew crew;
            crew.add(evaluator());
            ExperimentRun run(*m_project, crew);
            run.setModels(factory());
            run.setAtOnce(2);
            run.start(record, m_tasks);
            QTRY_COMPARE_WITH_TIMEOUT(m_asked.open, 2, deadline_ms);
            QVERIFY(run.cutOff().ok());
        }
        m_asked.together = 1;
        crew::Crew crew;
        crew.add(evaluator());
        ExperimentRun run(*m_project, crew);
        run.setModels(factory());
        QSignalSpy finished(&run, &ExperimentRun::finished);
        run.start(record, m_tasks);
        QVERIFY(finish(finished) == RunState::Finished);
        QCOMPARE(run.done(), 3);
        QCOMPARE(m_project->runs()->size(), std::size_t(4));
    }
};

QTEST_GUILESS_MAIN(TestExperimentRun)
#include "tst_experimentrun.moc"
