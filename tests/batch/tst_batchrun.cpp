// SPDX-License-Identifier: GPL-3.0-or-later
// Judging many variants against a recorded evaluator: requests ahead, deaths, budget, stop, resume.
#include "core/batch/batchrun.h"

#include "tests/farm/recording.h"
#include "tests/store/imported.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using batch::BatchRun;
using store::RunState;

namespace {

constexpr int deadline_ms = 30'000;
const QByteArray correct =
    R"({"on":"evaluate","reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":1.9,"high":2.1}}}})"
    "\n";

} // namespace

class TestSession : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    std::vector<base::VariantId> m_variants;
    batch::BatchOptions m_options;

    QStringList command(const QByteArray& lines) const { return recording::command(*m_folder, lines); }
    int asked() const { return recording::evaluationsAsked(*m_folder); }
    int judged(protocol::Verdict verdict) const
    {
        int count = 0;
        const auto rows = m_project->variantRows();
        for (const auto& row : *rows)
            count += row.evaluation && row.evaluation->verdict == verdict;
        return count;
    }
    static RunState wait(QSignalSpy& finished)
    {
        if (finished.isEmpty() && !finished.wait(deadline_ms))
            qFatal("the session did not end");
        return finished.takeFirst().at(0).value<RunState>();
    }

private slots:
    void init()
    {
        m_variants.clear();
        m_project.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = store::Project::open(m_folder->filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
        m_options = {};
        m_options.device.name = "cpu";
        m_options.device.model = "Replay CPU";
        m_options.kind = "test";
        m_options.selection = "all";
    }

    void requestsAreOnTheirWayAhead()
    {
        m_variants = samples::importVariants(*m_project, 12);
        farm::Launcher evaluator(command(QByteArray(correct).replace("\"reply\"", "\"delay_ms\":150,\"reply\"")));
        crew::Crew crew({.ahead = 5});
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished), stored(&session, &BatchRun::evaluationStored);
        std::vector<batch::BatchProgress> progress;
        connect(&session, &BatchRun::progress, this, [&](const batch::BatchProgress& one) { progress.push_back(one); });
        session.start(m_options, m_variants);
        QTRY_COMPARE_WITH_TIMEOUT(asked(), 5, deadline_ms); // all before the first answer
        QVERIFY(stored.size() <= 1);
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(stored.size(), 12);
        QCOMPARE(asked(), 12);
        QCOMPARE(judged(protocol::Verdict::Correct), 12);
        QVERIFY(m_project->queue(session.run())->empty());
        QVERIFY(m_project->runs()->at(0).state == RunState::Finished);
        QCOMPARE(progress.back().done, 12);
        QVERIFY(progress.back().fraction == 1 && progress.back().secondsLeft == 0);
        // Each evaluation is of its own candidate, in the order asked for.
        const auto first = m_project->evaluations(m_variants[0]);
        QVERIFY(first->size() == 1 && first->front().id.value == 1);
    }

    void candidatesOfATaskShareItsSeed() // and with it the reference that the evaluator has loaded
    {
        m_variants = samples::importVariants(*m_project, 4);
        farm::Launcher evaluator(command(correct));
        crew::Crew crew;
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, m_variants);
        QVERIFY(wait(finished) == RunState::Finished);
        std::vector<std::uint64_t> seeds;
        for (const base::VariantId variant : m_variants)
            seeds.push_back(m_project->evaluation(m_project->evaluations(variant)->front().id)->seed);
        QVERIFY(seeds[0] != 0);
        QCOMPARE(seeds[1], seeds[0]);
        QVERIFY(seeds[2] != seeds[0]); // nothing learned at one task helps at the next
        QCOMPARE(seeds[3], seeds[2]);
    }

    void deathIsBlamedOnTheRightCandidate()
    {
        m_variants = samples::importVariants(*m_project, 6);
        farm::Launcher evaluator(command(R"({"on":"evaluate","candidate_contains":"candidate 2;","act":"crash"})"
                                         "\n" +
                                         correct));
        crew::Crew crew;
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, m_variants);
        QVERIFY(wait(finished) == RunState::Finished);
        QCOMPARE(judged(protocol::Verdict::Correct), 5);
        QCOMPARE(judged(protocol::Verdict::Crashed), 1);
        const auto evaluations = m_project->evaluations(m_variants[2]);
        QVERIFY(evaluations->front().verdict == protocol::Verdict::Crashed);
        QVERIFY(m_project->evaluation(evaluations->front().id)->reasons[0].code == "evaluator_failed");
    }

    void brokenEvaluatorIsNotBlamedOnCandidates()
    {
        m_variants = samples::importVariants(*m_project, 8);
        farm::Launcher evaluator(command(R"({"on":"evaluate","act":"crash"})"
                                         "\n"));
        crew::Crew crew;
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, m_variants);
        QVERIFY(wait(finished) == RunState::Failed);
        QVERIFY(session.error().code == base::ErrorCode::ProcessFailed && !session.error().hint.empty());
        QVERIFY(judged(protocol::Verdict::Crashed) <= 2); // not all eight
        // The same command goes on where it failed.
        const auto unfinished = BatchRun::unfinished(*m_project, m_options);
        QVERIFY(*unfinished && (*unfinished)->id == session.run());
        QVERIFY(m_project->queue(session.run())->size() >= 6);
    }

    void errorsOfOneRequestLeaveTheOthers()
    {
        m_variants = samples::importVariants(*m_project, 4);
        farm::Launcher evaluator(command(
            R"({"on":"evaluate","candidate_contains":"candidate 1;","act":"error","reply":{"code":"invalid_argument","message":"too long"}})"
            "\n"
            R"({"on":"evaluate","candidate_contains":"candidate 2;","times":1,"act":"error","reply":{"code":"internal","message":"hiccup"}})"
            "\n" +
            correct));
        crew::Crew crew;
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, m_variants);
        QVERIFY(wait(finished) == RunState::Stopped);
        QCOMPARE(judged(protocol::Verdict::Correct), 3);
        QCOMPARE(session.notJudged().size(), std::size_t(1));
        QVERIFY(session.notJudged()[0].variant == m_variants[1] &&
                session.notJudged()[0].why.find("too long") != std::string::npos);
        QCOMPARE(m_project->queue(session.run())->size(), std::size_t(1));
    }

    void lostDeviceEndsTheRun()
    {
        m_variants = samples::importVariants(*m_project, 6);
        farm::Launcher evaluator(command(
            R"({"on":"evaluate","candidate_contains":"candidate 1;","act":"error","reply":{"code":"unavailable","message":"no device"}})"
            "\n" +
            QByteArray(correct).replace("\"reply\"", "\"delay_ms\":200,\"reply\"")));
        crew::Crew crew;
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, m_variants);
        QVERIFY(wait(finished) == RunState::Failed);
        QCOMPARE(session.error().message, std::string("no device"));
        QCOMPARE(judged(protocol::Verdict::Correct), 1);
    }

    void missingEvaluatorEndsTheRun()
    {
        m_variants = samples::importVariants(*m_project, 2);
        farm::Launcher evaluator({"/nowhere/evaluator"});
        crew::Crew crew;
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, m_variants);
        QVERIFY(wait(finished) == RunState::Failed);
        QVERIFY(session.error().code == base::ErrorCode::Unavailable);
    }

    void stopAndResume()
    {
        m_variants = samples::importVariants(*m_project, 6);
        const QByteArray slow = R"({"on":"evaluate","candidate_contains":"candidate 3;","times":1,"delay_ms":60000})"
                                "\n" +
                                correct;
        farm::Launcher evaluator(command(slow));
        crew::Crew crew; // the process counts its one delay
        crew.add(evaluator);
        base::RunId run;
        {
            BatchRun session(*m_project, crew);
            QSignalSpy finished(&session, &BatchRun::finished), stored(&session, &BatchRun::evaluationStored);
            session.start(m_options, m_variants);
            QTRY_COMPARE_WITH_TIMEOUT(stored.size(), 3, deadline_ms);
            QElapsedTimer clock;
            clock.start();
            session.stop();
            QVERIFY(wait(finished) == RunState::Stopped);
            QVERIFY(clock.elapsed() < 2000);
            run = session.run();
        }
        QCOMPARE(m_project->queue(run)->size(), std::size_t(3));
        batch::BatchOptions other = m_options;
        other.preset = protocol::Preset::Standard;
        QVERIFY(!*BatchRun::unfinished(*m_project, other));
        const auto unfinished = BatchRun::unfinished(*m_project, m_options);
        QVERIFY(*unfinished && (*unfinished)->id == run);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, {m_variants[4], m_variants[5]},
                      run); // they are queued already, and are not judged twice
        QVERIFY(wait(finished) == RunState::Finished);
        QVERIFY(session.run() == run);
        for (const base::VariantId variant : m_variants)
            QCOMPARE(m_project->evaluations(variant)->size(), std::size_t(1));
        QVERIFY(!*BatchRun::unfinished(*m_project, m_options));
    }

    void budgetLetsTheOneInWorkEnd()
    {
        m_variants = samples::importVariants(*m_project, 6);
        farm::Launcher evaluator(command(R"({"on":"evaluate","delay_ms":700,"reply":{"verdict":"correct"}})"
                                         "\n"));
        m_options.budget_s = 1;
        crew::Crew crew;
        crew.add(evaluator);
        BatchRun session(*m_project, crew);
        QSignalSpy finished(&session, &BatchRun::finished);
        session.start(m_options, m_variants);
        QVERIFY(wait(finished) == RunState::Stopped);
        const int done = judged(protocol::Verdict::Correct);
        QVERIFY2(done >= 1 && done <= 3, std::to_string(done).c_str());
        QCOMPARE(m_project->queue(session.run())->size(), std::size_t(6 - done));
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_batchrun.moc"
