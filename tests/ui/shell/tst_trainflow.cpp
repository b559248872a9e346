// SPDX-License-Identifier: GPL-3.0-or-later
// Trainings in the window: begun from settings, stopped, gone on with; the trainer is scripted, the evaluator recorded.
#include "tests/ui/pages/trainedfolders.h"
#include "tests/ui/shell/windowtest.h"
#include "ui/kit/elidedlabel.h"
#include "ui/training/trainingpage.h"

#include <QPushButton>

using namespace cudal1;
using learning::Stage;
using ui::Job;

namespace {

const QByteArray recording =
    R"({"on":"evaluate","candidate_contains":"fast","reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":2,"high":2,"reference_ns":1e6,"candidate_ns":5e5}}}})"
    "\n"
    R"({"on":"evaluate","reply":{"verdict":"incorrect","reasons":[{"code":"mismatch","text":"It is wrong","evidence":""}]}})"
    "\n";

}

class TestTrainFlow : public WindowTest {
    Q_OBJECT
    std::unique_ptr<tests::TrainedFolders> m_trained;

    ui::TrainingPage* page() const { return find<ui::TrainingPage>("training"); }
    QString state(const char* stage) const
    {
        return find<ui::ElidedLabel>((QByteArray("stageState-") + stage).constData())->fullText();
    }
    const Job* newest() const { return m_window->jobs().at(0); }
    void openWindow()
    {
        record(recording);
        m_trained = std::make_unique<tests::TrainedFolders>(m_folder->path(), QStringLiteral(CUDAL1_PYTHON));
        const nlohmann::json script{{"replies", {tests::replyWith("fast"), tests::replyWith("slow")}}};
        tests::writeFile(path("script.json"), QByteArray::fromStdString(script.dump()));
        qputenv("CUDAL1_TRAINER",
                QStringLiteral("\"%1\" -B \"%2\" \"%3\"")
                    .arg(QStringLiteral(CUDAL1_PYTHON),
                         QStringLiteral(CUDAL1_SOURCE_DIR "/tests/learning/scripted_trainer.py"), path("script.json"))
                    .toUtf8());
        makeWindow();
        openProject(QStringLiteral("1/1"), QStringLiteral("training"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->isVisible() && page()->view(), deadline_ms);
    }

private slots:
    void aStageIsBegunAndFollowed()
    {
        openWindow();
        QVERIFY(page()->isEmpty());
        emit page()->startRequested(m_trained->options(Stage::Supervised, 6),
                                    m_trained->path("data.jsonl").toStdString(), 0);
        page()->openFolder(m_trained->path("runs"));
        QTRY_VERIFY_WITH_TIMEOUT(newest() && !newest()->isActive(), deadline_ms);
        QVERIFY2(newest()->state == Job::State::Finished, qPrintable(newest()->message));
        QCOMPARE(newest()->request.subject(), QStringLiteral("sft"));
        QTRY_COMPARE_WITH_TIMEOUT(state("sft"), QStringLiteral("finished: 6 steps"), deadline_ms);
    }

    void contrastiveLearningJudgesWithTheWindowsEvaluator()
    {
        openWindow();
        learning::StageOptions options = m_trained->options(Stage::Contrastive, 2);
        options.batch = 1;
        options.group = 4;
        emit page()->startRequested(options, {}, 1);
        page()->openFolder(m_trained->path("runs"));
        QTRY_VERIFY_WITH_TIMEOUT(newest() && !newest()->isActive(), deadline_ms);
        QVERIFY2(newest()->state == Job::State::Finished, qPrintable(newest()->message));
        QTRY_COMPARE_WITH_TIMEOUT(state("contrastive"), QStringLiteral("finished: 2 steps"), deadline_ms);
        QTRY_COMPARE_WITH_TIMEOUT(page()->view()->groups.size(), std::size_t(2), deadline_ms);
        QCOMPARE(page()->view()->groups.front().correct(), 2);
        const auto runs = m_window->project().project()->runs(store::RunState::Finished);
        QVERIFY(runs && runs->front().kind == learning::trainingRunKind);
    }

    void aStoppedStageGoesOn()
    {
        openWindow();
        emit page()->startRequested(m_trained->options(Stage::Supervised, 3000),
                                    m_trained->path("data.jsonl").toStdString(), 0);
        page()->openFolder(m_trained->path("runs"));
        QTRY_VERIFY_WITH_TIMEOUT(newest() && newest()->progress.done > 2, deadline_ms);
        m_window->controller().stop(newest()->id);
        QTRY_VERIFY_WITH_TIMEOUT(newest()->state == Job::State::Stopped, deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(state("sft").startsWith(QStringLiteral("stopped at step ")), deadline_ms);
        const int done = page()->view()->entry()->log.nextBatch();
        click("stageGoOn-sft");
        QTRY_VERIFY_WITH_TIMEOUT(newest()->progress.done > done, deadline_ms);
        m_window->controller().stop(newest()->id);
        QTRY_VERIFY_WITH_TIMEOUT(newest()->state == Job::State::Stopped, deadline_ms);
        const auto log = learning::readStepLog(m_trained->options(Stage::Supervised, 1).out);
        QVERIFY(log && log->legs == 2 && int(log->steps.size()) == log->nextBatch());
    }

    void wrongSettingsAreSaidSo()
    {
        openWindow();
        learning::StageOptions options = m_trained->options(Stage::Supervised, 3);
        emit page()->startRequested(options, {}, 0);
        QCOMPARE(m_window->jobs().rowCount(), 0);
        emit page()->startRequested(options, m_trained->path("none.jsonl").toStdString(), 0);
        QTRY_VERIFY_WITH_TIMEOUT(newest() && newest()->state == Job::State::Failed, deadline_ms);
        QVERIFY2(newest()->message.contains("none.jsonl"), qPrintable(newest()->message));
    }
};

QTEST_MAIN(TestTrainFlow)
#include "tst_trainflow.moc"
