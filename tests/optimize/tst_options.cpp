// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of runs, their notes, and which run a new start takes up.
#include "core/optimize/options.h"
#include "core/optimize/owner.h"
#include "tests/optimize/projectfixture.h"

#include <QTest>

using namespace cudal1;
using store::RunState;

class TestOptions : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private:
    base::RunId addRun(RunState state, const optimize::RunNotes& notes, const char* policy = "test")
    {
        store::RunRecord record;
        record.kind = optimize::runKind;
        record.task = m_options.task.id;
        record.parameters = optimize::toJson(m_options, policy);
        const auto id = m_project->startRun(record);
        if (!id || !m_project->setRunState(*id, state) || !optimize::writeNotes(*m_project, *id, notes))
            qFatal("the store does not work");
        return *id;
    }

    base::RunId found(const optimize::SearchOptions& options) const
    {
        const auto run = optimize::unfinishedRun(*m_project, options, "test");
        if (!run)
            qFatal("%s", run.error().text().c_str());
        return *run ? (*run)->id : base::RunId();
    }

private slots:
    void init()
    {
        renew();
        m_options.seed = 77;
        QVERIFY(m_project->putTask(m_options.task).ok());
    }

    void aTaskOfASearchWhoseProcessIsGoneIsNotRunning()
    {
        const auto state = [this](auto rows) {
            if (!rows || rows->size() != 1)
                qFatal("the store does not work");
            return rows->front().state;
        };
        using State = store::TaskRow::State;
        QCOMPARE(state(optimize::taskRows(*m_project)), State::NotTried);
        optimize::RunNotes notes;
        const base::RunId run = addRun(RunState::Running, notes);
        QCOMPARE(state(m_project->taskRows()), State::Running); // by its row
        QCOMPARE(state(optimize::taskRows(*m_project)), State::NotTried);
        notes.owner = optimize::ownProcess();
        QVERIFY(optimize::writeNotes(*m_project, run, notes).ok());
        QCOMPARE(state(optimize::taskRows(*m_project)), State::Running);
        store::RunRecord other; // of a kind that writes no such notes
        other.kind = "another";
        other.task = m_options.task.id;
        QVERIFY(m_project->setRunState(run, RunState::Finished).ok());
        QCOMPARE(state(optimize::taskRows(*m_project)), State::NotTried);
        const auto second = m_project->startRun(other);
        QVERIFY(second.ok() && m_project->setRunState(*second, RunState::Running).ok());
        QCOMPARE(state(optimize::taskRows(*m_project)), State::Running);
    }

    void roundTrip()
    {
        m_options.device = "cuda";
        m_options.precision = protocol::Precision::Tf32;
        m_options.preset = protocol::Preset::Quick;
        m_options.rounds = 7;
        m_options.budget_s = 12.5;
        const auto back = optimize::optionsFromJson(optimize::toJson(m_options, "test"));
        QVERIFY(back.ok());
        QCOMPARE(back->device, std::string("cuda:0"));
        QVERIFY(back->precision == protocol::Precision::Tf32);
        QVERIFY(back->preset == protocol::Preset::Quick);
        QCOMPARE(back->rounds, 7);
        QCOMPARE(back->budget_s, 12.5);
        QCOMPARE(back->seed, std::uint64_t(77));
        QCOMPARE(back->task.hash, std::string("abc"));
        // Runs without a method are written as they always were.
        QVERIFY(optimize::toJson(m_options, "test").find("method") == std::string::npos);
        m_options.method = R"({"method":"evolve"})";
        QCOMPARE(optimize::optionsFromJson(optimize::toJson(m_options, "test"))->method, m_options.method);
        QCOMPARE(optimize::policyOf(optimize::toJson(m_options, "test")), std::string("test"));
        m_options.method.clear();
        QVERIFY(!optimize::optionsFromJson("{}").ok());
        QVERIFY(!optimize::optionsFromJson("no JSON").ok());
    }

    void killedAndStoppedRunsAreFound()
    {
        QVERIFY(!found(m_options));
        const auto killed = addRun(RunState::Running, {"", 1, 2.5});
        QCOMPARE(found(m_options).value, killed.value);
        QCOMPARE(optimize::readNotes(*m_project, killed)->nextRound, 1);
        QCOMPARE(optimize::readNotes(*m_project, killed)->spent_s, 2.5);
        const auto stopped = addRun(RunState::Stopped, {"", 2, 0, 0, 1});
        QCOMPARE(found(m_options).value, stopped.value);
        QCOMPARE(optimize::readNotes(*m_project, stopped)->nextTurn, 1);
    }

    void runsOfLivingProcessesAreLeftAlone()
    {
        const auto killed = addRun(RunState::Running, {});
        addRun(RunState::Running, {optimize::ownProcess(), 0, 0});
        QCOMPARE(found(m_options).value, killed.value);
    }

    void nothingIsTakenUpBehindAFinishedRun()
    {
        addRun(RunState::Stopped, {});
        addRun(RunState::Finished, {});
        QVERIFY(!found(m_options));
    }

    void otherSettingsAreOtherRuns()
    {
        const auto run = addRun(RunState::Stopped, {});
        const auto differs = [this](auto change) {
            optimize::SearchOptions other = m_options;
            change(other);
            return !found(other);
        };
        QVERIFY(differs([](auto& o) { o.task.hash = "changed"; }));
        QVERIFY(differs([](auto& o) { o.task.id.value = "1/13"; }));
        QVERIFY(differs([](auto& o) { o.device = "cuda:1"; }));
        QVERIFY(differs([](auto& o) { o.preset = protocol::Preset::Quick; }));
        QVERIFY(differs([](auto& o) { o.rounds = 9; }));
        QVERIFY(differs([](auto& o) { o.seed = 78; }));
        QVERIFY(differs([](auto& o) { o.method = "{}"; }));
        QVERIFY(differs([](auto& o) { o.alone = true; }));
        QVERIFY(!differs([](auto& o) { o.seed = 0; })); // not asked for: any fits
        addRun(RunState::Stopped, {}, "another policy");
        QCOMPARE(found(m_options).value, run.value);
    }

    void damagedNotesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("notes");
        QTest::newRow("no JSON") << QByteArray("no JSON");
        QTest::newRow("a list") << QByteArray("[1]");
        QTest::newRow("an owner that is a number") << QByteArray(R"({"owner":1})");
        QTest::newRow("a round that is a text") << QByteArray(R"({"next_round":"2"})");
        QTest::newRow("a round that is no whole number") << QByteArray(R"({"next_round":1e300})");
        QTest::newRow("a round that is too large") << QByteArray(R"({"next_round":4294967296})");
        QTest::newRow("a negative round") << QByteArray(R"({"next_round":-1})");
        QTest::newRow("seconds that are null") << QByteArray(R"({"spent_s":null})");
        QTest::newRow("a heartbeat that is a list") << QByteArray(R"({"heartbeat_s":[]})");
        QTest::newRow("a turn that is a truth value") << QByteArray(R"({"next_turn":true})");
    }

    void damagedNotesAreRefused()
    {
        QFETCH(QByteArray, notes);
        const auto run = addRun(RunState::Running, {optimize::ownProcess(), 1, 2.5});
        QVERIFY(!found(m_options)); // it lives
        QVERIFY(m_project->putCache("run/" + std::to_string(run.value) + "/notes", notes.toStdString()).ok());
        const auto read = optimize::readNotes(*m_project, run);
        QVERIFY(!read.ok());
        QCOMPARE(read.error().code, base::ErrorCode::Unreadable);
        QVERIFY2(read.error().text().find(notes.toStdString()) != std::string::npos, read.error().text().c_str());
        QCOMPARE(found(m_options).value, run.value);
    }

    void policyOfDamagedSettingsIsEmpty()
    {
        QCOMPARE(optimize::policyOf(R"({"policy":1})"), std::string());
        QCOMPARE(optimize::policyOf("[]"), std::string());
    }

    void changedTaskCannotBeResumed()
    {
        const auto run = addRun(RunState::Stopped, {});
        const auto same = optimize::optionsOfRun(*m_project, run);
        QVERIFY(same.ok());
        QCOMPARE(same->task.source, m_options.task.source);
        m_options.task.source += "\n";
        m_options.task.hash = "abd";
        QVERIFY(m_project->putTask(m_options.task).ok());
        const auto changed = optimize::optionsOfRun(*m_project, run);
        QVERIFY(!changed.ok());
        QCOMPARE(changed.error().code, base::ErrorCode::InvalidArgument);
    }
};

QTEST_GUILESS_MAIN(TestOptions)
#include "tst_options.moc"
