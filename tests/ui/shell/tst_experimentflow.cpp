// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment in the window: begun from its file, stopped, gone on with, and looked at; the evaluator is recorded.
#include "core/policy/techniquelibrary.h"
#include "tests/ui/shell/windowtest.h"
#include "ui/experiment/experimentpage.h"
#include "ui/kit/elidedlabel.h"
#include "ui/work/experimentrequest.h"

#include <QPushButton>
#include <QTableView>

using namespace cudal1;
using ui::Job;

namespace {

const QByteArray recording = "{\"on\":\"graph\",\"reply\":{\"output_kind\":\"tensor\",\"total_ns\":45000,\"nodes\":[{"
                             "\"id\":0,\"op\":\"aten.relu.default\","
                             "\"time_ns\":30000}]}}\n"
                             "{\"on\":\"evaluate\",\"reply\":{\"verdict\":\"correct\",\"seconds\":{\"total\":0.1},"
                             "\"speedup\":{\"wall\":{\"estimate\":1.5,\"low\":1.4,\"high\":1.6}}}}\n";

/// One program a round.
class OnePolicy : public policy::InstantPolicy {
public:
    std::string name() const override { return "technique library"; }
    policy::Reply propose(const policy::Prompt& prompt) override
    {
        policy::Reply reply;
        if (!prompt.exemplars.empty())
            return reply;
        policy::Proposal one;
        one.source = "class ModelNew: pass\n# " + std::to_string(prompt.seed) + "\n";
        reply.proposals.push_back(one);
        return reply;
    }
};

} // namespace

class TestExperimentFlow : public WindowTest {
    Q_OBJECT
    ui::ExperimentPage* page() const { return find<ui::ExperimentPage>("experiment"); }
    QString state() const { return find<ui::ElidedLabel>("experimentState")->fullText(); }
    const Job* newest() const { return m_window->jobs().at(0); }
    void write(const QByteArray& text) const { samples::write(path("plan.json"), text); }

private slots:
    void aFileBecomesRunsAndRows()
    {
        record(recording);
        makeWindow<OnePolicy>();
        openProject(QStringLiteral("1/1"), QStringLiteral("experiment"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->isVisible() && page()->view() && page()->isEmpty(), deadline_ms);
        write(R"({"policies":["library"],"level":1,"seeds":[1,2]})");
        emit page()->fileRequested(path("plan.json"));
        QTRY_VERIFY_WITH_TIMEOUT(newest() && newest()->state == Job::State::Finished, deadline_ms);
        QVERIFY(newest()->kind() == ui::JobKind::Experiment && newest()->request.subject() == "plan");
        QTRY_VERIFY_WITH_TIMEOUT(page()->view() && page()->view()->done() == 4, deadline_ms); // two tasks, two seeds
        QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("4 of 4 runs"), deadline_ms);
        auto* rows = find<QTableView>("experimentRows");
        QCOMPARE(rows->model()->rowCount(), 1);
        QVERIFY(!find<QPushButton>("goOnWithExperiment")->isVisible());
        // Once more: nothing is left to do, and it is the same experiment.
        emit page()->fileRequested(path("plan.json"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->jobs().rowCount() == 2 && newest()->state == Job::State::Finished,
                                 deadline_ms);
        QCOMPARE(page()->view()->all.size(), std::size_t(1));
    }

    void whatWasStoppedGoesOn()
    {
        record(recording);
        makeWindow<OnePolicy>();
        openProject(QStringLiteral("1/1"), QStringLiteral("experiment"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->isVisible() && page()->view(), deadline_ms);
        write(R"({"policies":["library"],"level":1,"seeds":[1,2,3,4,5,6,7,8]})");
        emit page()->fileRequested(path("plan.json"));
        QTRY_VERIFY_WITH_TIMEOUT(newest() && newest()->progress.done >= 1, deadline_ms);
        m_window->controller().stop(newest()->id);
        QTRY_VERIFY_WITH_TIMEOUT(newest()->state == Job::State::Stopped, deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(page()->view()->shown.id && find<QPushButton>("goOnWithExperiment")->isVisible(),
                                 deadline_ms);
        const int before = page()->view()->done();
        QVERIFY(before >= 1 && before < 16);
        click("goOnWithExperiment");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->jobs().rowCount() == 2 && newest()->state == Job::State::Finished,
                                 deadline_ms);
        QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("16 of 16 runs"), deadline_ms);
        int runs = 0; // none was made twice
        const auto all = m_window->project().project()->runs();
        for (const store::RunRecord& run : *all)
            runs += run.kind == "optimize";
        QCOMPARE(runs, 16);
    }

    void whatIsWrongIsSaid()
    {
        record(recording);
        makeWindow<OnePolicy>();
        openProject(QStringLiteral("1/1"), QStringLiteral("experiment"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->isVisible() && page()->view(), deadline_ms);
        const auto refused = [this](const QByteArray& text, const char* says) {
            write(text);
            const auto request = ui::experimentRequest(m_window->project(), m_window->choice(), path("plan.json"));
            return !request && request.error().text().find(says) != std::string::npos;
        };
        QVERIFY(refused("[]", "JSON object"));
        QVERIFY(refused(R"({"policies":["magic"],"level":1})", "magic"));
        QVERIFY(refused(R"({"policies":["library"],"level":7})", "No task fits"));
        QVERIFY(refused(R"({"policies":["library"],"tasks":["9/9"]})", "9/9"));
        QVERIFY(!ui::experimentRequest(m_window->project(), m_window->choice(), path("none.json")).ok());
        // A model that nobody has named ends the job before anything is begun.
        write(R"({"policies":["endpoint:nobody-has-this"],"level":1})");
        emit page()->fileRequested(path("plan.json"));
        QTRY_VERIFY_WITH_TIMEOUT(newest() && newest()->state == Job::State::Failed, deadline_ms);
        QVERIFY2(newest()->message.contains("nobody-has-this"), qPrintable(newest()->message));
        QVERIFY(m_window->project().project()->runs()->empty());
    }
};

QTEST_MAIN(TestExperimentFlow)
#include "tst_experimentflow.moc"
