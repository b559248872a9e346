// SPDX-License-Identifier: GPL-3.0-or-later
// Optimize, jobs, variants, Stop and resume, by real clicks and keys, against a recorded evaluator.
#include "core/optimize/options.h"
#include "tests/ui/shell/windowtest.h"
#include "ui/kit/settings.h"
#include "ui/tasks/baselinespanel.h"

#include <QAbstractButton>
#include <QApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTabBar>
#include <QTextBrowser>
#include <QToolButton>

#include <algorithm>

using namespace cudal1;
using ui::Job;

namespace {

/// Three variants in the first round, none after.
class ThreePolicy : public policy::InstantPolicy {
public:
    std::string name() const override { return "three"; }
    policy::Reply propose(const policy::Prompt& prompt) override
    {
        policy::Reply reply;
        if (prompt.round == 0)
            for (const char* word : {"slow", "fast", "wrong"})
                reply.proposals.push_back({std::string("# ") + word + "\n", "analysis", "design", "code", {word}, {}});
        return reply;
    }
};

QByteArray correct(const char* word, double estimate)
{
    return QStringLiteral(
               "{\"on\":\"evaluate\",\"candidate_contains\":\"%1\",\"delay_ms\":60,\"progress\":[{\"phase\":\"check\","
               "\"fraction\":0.5,"
               "\"text\":\"10 of 20 "
               "trials\"}],\"reply\":{\"verdict\":\"correct\",\"seconds\":{\"total\":0.1},\"speedup\":{\"wall\":{"
               "\"estimate\":%2,\"low\":%3,\"high\":%4}}}}\n")
        .arg(QLatin1String(word))
        .arg(estimate)
        .arg(estimate * 0.99)
        .arg(estimate * 1.01)
        .toUtf8();
}

const QByteArray graph = "{\"on\":\"graph\",\"reply\":{\"output_kind\":\"tensor\",\"total_ns\":1000}}\n";
const QByteArray wrong = "{\"on\":\"evaluate\",\"candidate_contains\":\"wrong\",\"reply\":{\"verdict\":\"incorrect\","
                         "\"reasons\":[{\"code\":\"wrong_values\","
                         "\"text\":\"All 20 trials differ.\",\"evidence\":\"\"}]}}\n";

} // namespace

class TestOptimizeFlow : public WindowTest {
    Q_OBJECT
    void make(const QByteArray& recording, const char* task = "1/1", const QString& suite = {})
    {
        record(recording);
        makeWindow<ThreePolicy>();
        openProject(task, "task", suite);
    }

private slots:
    void aClickBringsJudgedVariantsBestFirst()
    {
        make(graph + correct("slow", 1.2) + correct("fast", 3.5) + wrong);
        QElapsedTimer sinceClick;
        sinceClick.start();
        click("optimizeButton");
        QVERIFY(job()); // at once, before the evaluator has even started
        QVERIFY(sinceClick.elapsed() < 100);
        QVERIFY(!m_window->findChild<QAction*>("optimize")->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message + '\n' + job()->log.join('\n')));
        QVERIFY(job()->log.size() >= 4);
        // Rows appear when they are proposed and again when they are judged: the last one decides.
        const auto judged = [this] {
            const auto all = m_window->project().variants({"1/1"});
            return all && all->size() == 3 && std::all_of(all->begin(), all->end(), [](const store::VariantRow& row) {
                       return row.evaluation.has_value();
                   });
        };
        QTRY_VERIFY_WITH_TIMEOUT(judged(), deadline_ms);
        const auto rows = m_window->project().variants({"1/1"});
        QCOMPARE(rows->at(0).evaluation->wall.estimate, 3.5);
        QCOMPARE(rows->at(1).evaluation->wall.estimate, 1.2);
        QVERIFY(rows->at(2).evaluation->verdict == protocol::Verdict::Incorrect);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->project().entry({"1/1"})->row.best.estimate, 3.5, deadline_ms);
        QVERIFY(m_window->findChild<QAction*>("optimize")->isEnabled());
    }

    void baselinesAreMeasuredAndAreNoVariants()
    {
        const QByteArray all = correct("Baseline: eager", 1.0) +
                               "{\"on\":\"evaluate\",\"candidate_contains\":\"max-autotune\",\"reply\":{\"verdict\":"
                               "\"crashed\",\"reasons\":[{\"code\":"
                               "\"exception\",\"text\":\"There is no <compiler>.\",\"evidence\":\"\"}]}}\n" +
                               correct("torch.compile", 1.7);
        make(all);
        auto* panel = m_window->findChild<ui::BaselinesPanel*>();
        QVERIFY(!panel->isVisible());
        m_window->findChild<QTabBar*>("factTabs")->setCurrentIndex(1);
        QVERIFY(panel->isVisible());
        const auto text = [panel] { return panel->findChild<QTextBrowser*>()->toPlainText(); };
        QTRY_VERIFY_WITH_TIMEOUT(text().contains("cudal1 baselines"), deadline_ms); // how to fill the empty panel
        click("measureBaselines");
        QVERIFY(job() && job()->kind() == ui::JobKind::Baselines);
        QVERIFY(!m_window->findChild<QAbstractButton*>("measureBaselines")->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message));
        QVERIFY(job()->log.join('\n').contains("1/1, compile: correct"));
        QTRY_VERIFY_WITH_TIMEOUT(
            m_window->project().baselines({"1/1"}) && m_window->project().baselines({"1/1"})->size() == 3, deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(text().contains("There is no <compiler>."), deadline_ms);
        QVERIFY2(text().contains("torch.compile, max-autotune") && text().contains("1.70×") &&
                     text().contains("crashed"),
                 qPrintable(text()));
        QVERIFY(m_window->project().variants({"1/1"})->empty());
        QVERIFY(m_window->project().entry({"1/1"})->row.state == store::TaskRow::State::NotTried);

        // Nothing is missing, so a second click measures all of it anew.
        click("measureBaselines");
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QCOMPARE(m_window->project().project()->evaluations({1})->size(), 2u);

        m_window->selection().selectTask({"1/2"});
        QTRY_VERIFY_WITH_TIMEOUT(text().contains("cudal1 baselines"), deadline_ms);
    }

    void measuringBaselinesStopsAndGoesOn()
    {
        make(correct("Baseline: eager", 1.0) +
             "{\"on\":\"evaluate\",\"candidate_contains\":\"max-autotune\",\"times\":1,\"act\":\"hang\"}\n" +
             correct("torch.compile", 1.7));
        m_window->findChild<QAction*>("measureBaselinesAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(job() && job()->progress.done == 2, deadline_ms);
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), 5000);
        QVERIFY(job()->state == Job::State::Stopped);
        QTest::keyClick(m_window.get(), Qt::Key_F5);
        QVERIFY(job()->isActive() && job()->kind() == ui::JobKind::Baselines);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message));
        for (int id = 1; id <= 3; ++id)
            QCOMPARE(m_window->project().project()->evaluations({id})->size(), 1u);
        QCOMPARE(m_window->project().project()->runs()->size(), 1u);
    }

    void whatWillNotFitIsSaidFirst()
    {
        // The recorded machine has 8 GiB, which is known only when the evaluator has described it.
        make(graph, "1/11", QStringLiteral(CUDAL1_SOURCE_DIR "/kernelbench"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->findChild<QAbstractButton*>("optimizeButton")->isEnabled(), deadline_ms);
        click("optimizeButton");
        auto* bar = m_window->findChild<ui::MessageBar*>();
        QTRY_VERIFY_WITH_TIMEOUT(bar->text().contains(QStringLiteral("1/11: Judging this task needs about ")),
                                 deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->jobs().jobOf({"1/11"})->isActive(), deadline_ms); // it went on
    }

    void stopEndsWithinASecondAndOptimizeGoesOn()
    {
        make(graph + correct("slow", 1.2) +
             "{\"on\":\"evaluate\",\"candidate_contains\":\"fast\",\"times\":1,\"act\":\"hang\"}\n" +
             correct("fast", 3.5) + wrong);
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(job() && job()->progress.done == 1, deadline_ms);
        QElapsedTimer sinceStop;
        sinceStop.start();
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), 5000);
        QVERIFY2(sinceStop.elapsed() < 1500, qPrintable(QString::number(sinceStop.elapsed())));
        QVERIFY(job()->state == Job::State::Stopped);
        QTRY_VERIFY(m_window->project().entry({"1/1"})->row.best.estimate == 1.2);

        QTest::keyClick(m_window.get(), Qt::Key_F5);
        QVERIFY(job()->isActive());
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->log.join('\n')));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->project().variants({"1/1"})->size() == 3, deadline_ms);
        // One run, taken up again, not two.
        QCOMPARE(m_window->project().project()->runs()->size(), 1u);
    }

    void closingTheWindowIsNotStopping()
    {
        const QByteArray hangs =
            graph + correct("slow", 1.2) +
            "{\"on\":\"evaluate\",\"candidate_contains\":\"fast\",\"times\":1,\"act\":\"hang\"}\n" +
            correct("fast", 3.5) + wrong;
        make(hangs);
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(job() && job()->progress.done == 1, deadline_ms);
        m_window->close();
        m_window.reset();

        make(graph + correct("slow", 1.2) + correct("fast", 3.5) + wrong);
        QVERIFY2(m_window->findChild<ui::MessageBar*>()->text().contains("1/1"),
                 qPrintable(m_window->findChild<ui::MessageBar*>()->text()));
        auto* resume = m_window->findChild<QAction*>("resume");
        QVERIFY(resume->isEnabled());
        resume->trigger();
        QVERIFY(!resume->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message));
        QTRY_VERIFY_WITH_TIMEOUT(
            m_window->project().variants({"1/1"}) && m_window->project().variants({"1/1"})->size() == 3, deadline_ms);
        QCOMPARE(m_window->project().project()->runs()->size(), 1u);

        // A run that the user stopped is over for good until they ask for it.
        m_window.reset();
        QFile::remove(path("p.cudal1"));
        make(hangs);
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(job() && job()->progress.done == 1, deadline_ms);
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        m_window.reset();
        make(graph);
        QVERIFY(!m_window->findChild<QAction*>("resume")->isEnabled());
        QVERIFY(m_window->findChild<ui::MessageBar*>()->text().isEmpty());
    }

    void jobsWaitTheirTurn()
    {
        make(graph + correct("slow", 1.2) + correct("fast", 3.5) + wrong);
        click("optimizeButton");
        m_window->selection().selectTask({"1/2"});
        QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
        const Job* second = m_window->jobs().jobOf({"1/2"});
        QVERIFY(second && second->state == Job::State::Queued);
        QCOMPARE(m_window->jobs().queuePosition(second->id), 1);
        const quint64 id = second->id;
        m_window->controller().stop(id);
        QVERIFY(m_window->jobs().job(id)->state == Job::State::Stopped);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY(job()->state == Job::State::Finished);
        QVERIFY(m_window->project().project()->runs()->size() == 1);
    }

    void anEvaluatorThatCannotStartIsTold()
    {
        make(graph);
        ui::Settings::instance().set("evaluator", QStringLiteral("/nonexistent/evaluator"));
        QSignalSpy message(&m_window->controller(), &ui::Controller::messageRaised);
        click("optimizeButton");
        QVERIFY(message.wait(deadline_ms));
        QVERIFY(job()->state == Job::State::Failed);
        QVERIFY(m_window->findChild<ui::MessageBar*>()->isVisible());
        QVERIFY(m_window->findChild<ui::MessageBar*>()->text().contains("1/1"));
    }

    void aKilledRunIsResumedFromTheMessage()
    {
        {
            // What a killed process leaves: a run that says "running" with work in its queue, and no owner that lives.
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            const base::VariantId variant = samples::addVariant(**project, "# fast\n", 1.0);
            optimize::SearchOptions options;
            options.task = (*project)->task({"1/1"}).value();
            options.seed = 5;
            options.rounds = 1;
            store::RunRecord run;
            run.kind = optimize::runKind;
            run.task = {"1/1"};
            run.parameters = optimize::toJson(options, "three");
            const auto id = (*project)->startRun(run);
            QVERIFY(id.ok());
            QVERIFY((*project)->enqueue(*id, variant, 0).ok());
            QVERIFY(optimize::writeNotes(**project, *id, {"a-boot 1 1", 1, 0}).ok());
        }
        make(graph + correct("slow", 1.2) + correct("fast", 3.5) + wrong);
        QAbstractButton* resume = nullptr;
        for (auto* button : m_window->findChild<ui::MessageBar*>()->findChildren<QAbstractButton*>())
            if (button->text() == "Resume")
                resume = button;
        QVERIFY(resume);
        QTest::mouseClick(resume, Qt::LeftButton);
        QVERIFY(job() && job()->isActive());
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->project().entry({"1/1"})->row.best.estimate, 3.5, deadline_ms);
        QCOMPARE(m_window->project().project()->runs(store::RunState::Running)->size(), 0u);
    }
};

QTEST_MAIN(TestOptimizeFlow)
#include "tst_optimizeflow.moc"
