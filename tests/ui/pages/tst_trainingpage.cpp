// SPDX-License-Identifier: GPL-3.0-or-later
// The page of trainings on folders and projects that the library's own code has written.
#include "core/learning/stageoptionsjson.h"
#include "core/policy/techniquelibrary.h"
#include "core/store/fileuse.h"
#include "core/store/samplecopy.h"
#include "pagetest.h"
#include "trainedfolders.h"
#include "ui/charts/chartview.h"
#include "ui/kit/elidedlabel.h"
#include "ui/training/comparisonmodel.h"
#include "ui/training/curvesgrid.h"
#include "ui/training/groupsmodel.h"
#include "ui/training/groupsview.h"
#include "ui/training/repliesmodel.h"
#include "ui/training/stagecard.h"
#include "ui/training/trainingform.h"
#include "ui/training/traininglog.h"
#include "ui/training/trainingpage.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/modelfile.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace cudal1;
using namespace cudal1::ui;
using learning::Stage;

namespace {

constexpr int deadline_ms = 20'000;

}

class TestTrainingPage : public PageTest {
    Q_OBJECT
    JobsModel m_jobs;
    std::unique_ptr<TrainingPage> m_page;
    std::unique_ptr<QTemporaryDir> m_place; ///< not beside the project's file, so that a test sees its own alone
    std::unique_ptr<tests::TrainedFolders> m_trained;

    void open(bool withTrainings = true)
    {
        m_page = std::make_unique<TrainingPage>(m_project, m_selection, m_jobs);
        m_page->resize(1200, 800);
        if (withTrainings)
            m_page->openFolder(m_trained->path("runs"));
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
        QTRY_VERIFY_WITH_TIMEOUT(m_page->view() && !m_page->isLoading(), deadline_ms);
    }
    template<class T> T* find(const char* name) const { return m_page->findChild<T*>(QLatin1String(name)); }
    QString label(const char* name) const { return find<ElidedLabel>(name)->fullText(); }
    QString cell(const char* table, int row, int column) const
    {
        return find<QTableView>(table)->model()->index(row, column).data().toString();
    }
    int rows(const char* table) const { return find<QTableView>(table)->model()->rowCount(); }
    const charts::Chart* chart(const QString& title) const
    {
        for (const ChartView* view : find<CurvesGrid>("trainingCurves")->views())
            if (view->isVisibleTo(m_page.get()) && view->chart().title.startsWith(title))
                return &view->chart();
        return nullptr;
    }
    /// A correct program of the technique library, 1.5 times as fast as the reference.
    base::Status addFoundByLibrary(store::Project& project, const store::TaskRecord& task)
    {
        if (const base::Status put = project.putTask(task); !put)
            return put.error();
        store::VariantRecord variant;
        variant.task = task.id;
        variant.taskHash = task.hash;
        variant.source = "library";
        variant.origin = policy::TechniqueLibrary::storedName;
        const auto id = project.addVariant(variant);
        if (!id)
            return id.error();
        protocol::Evaluation found;
        found.verdict = protocol::Verdict::Correct;
        found.speedup.wall.speedup = {1.5, 1.5, 1.5};
        found.device.model = "scripted";
        const auto stored = project.addEvaluation(*id, found);
        return stored ? base::Status() : base::Status(stored.error());
    }
    /// A project of its own with the contrastive training's samples.
    QString trainContrastive(int steps)
    {
        const QString file = m_trained->path("p.cudal1");
        const auto project = store::Project::open(file.toStdString());
        store::TaskRecord task;
        task.id = {"1/12"};
        task.name = "Diagonal";
        task.level = 1;
        task.source = tests::referenceSource();
        task.hash = base::sha256Hex(task.source);
        if (const base::Status found = addFoundByLibrary(**project, task); !found)
            return QString::fromStdString(found.error().text());
        const base::Error error = m_trained->contrastive(**project, task, steps);
        return error.message.empty() ? file : QString::fromStdString(error.text());
    }

private slots:
    void init()
    {
        m_place = std::make_unique<QTemporaryDir>();
        m_trained = std::make_unique<tests::TrainedFolders>(m_place->path(), QStringLiteral(CUDAL1_PYTHON));
    }
    void cleanup() { m_page.reset(); }

    void withoutTrainingsTheExampleIsOffered()
    {
        open(false);
        QTRY_VERIFY_WITH_TIMEOUT(m_page->isEmpty(), deadline_ms);
        auto* action = find<QPushButton>("emptyAction");
        QTRY_COMPARE_WITH_TIMEOUT(action->text(), QStringLiteral("Run the Example"), deadline_ms);
        QSignalSpy asked(m_page.get(), &TrainingPage::exampleRequested);
        QTest::mouseClick(action, Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
    }

    void aTrainingIsFollowedWhileItRuns()
    {
        m_page = std::make_unique<TrainingPage>(m_project, m_selection, m_jobs);
        m_page->openFolder(m_trained->path("runs"));
        m_page->resize(1200, 800);
        m_page->show();
        bool sawRunning = false;
        const base::Error error = m_trained->supervised(6, [&](learning::StageRun&) {
            if (sawRunning)
                return;
            // The next step waits until the page has seen one that came before.
            sawRunning = QTest::qWaitFor(
                [&] {
                    return m_page->view() && m_page->view()->entry() &&
                           label("stageState-sft").startsWith(QStringLiteral("step "));
                },
                deadline_ms);
        });
        QVERIFY2(error.message.empty(), error.message.c_str());
        QVERIFY(sawRunning);
        QTRY_COMPARE_WITH_TIMEOUT(label("stageState-sft"), QStringLiteral("finished: 6 steps"), deadline_ms);
        QVERIFY2(label("stageInputs-sft").contains("model · 3 tasks · data.jsonl · 7 parameters"),
                 qPrintable(label("stageInputs-sft")));
        QVERIFY2(label("stageOutputs-sft").contains("step-000006"), qPrintable(label("stageOutputs-sft")));
        QVERIFY(!find<QPushButton>("stageGoOn-sft")->isVisible());
        const charts::Chart* loss = chart(QStringLiteral("Loss"));
        QVERIFY(loss);
        QCOMPARE(loss->series.front().points.size(), std::size_t(7)); // where each step begins and the last one ends
        QCOMPARE(loss->series.front().points.back().x, 6.0);
        QCOMPARE(loss->series.front().points.back().y, 1.0 / 6);
        QVERIFY(!chart(QStringLiteral("KL")) && !chart(QStringLiteral("Reward"))); // which stage 1 does not have
        const charts::Chart* phases = chart(QStringLiteral("Time by phase"));
        QVERIFY(phases);
        QCOMPARE(phases->series.front().name, QStringLiteral("learn 75 %")); // 0.3 of 0.4 s
    }

    void aStoppedTrainingGoesOnWithTheSameCurve()
    {
        int steps = 0;
        const base::Error stopped = m_trained->supervised(6, [&](learning::StageRun& run) {
            if (++steps == 3)
                run.stop();
        });
        QCOMPARE(stopped.code, base::ErrorCode::Cancelled);
        open();
        QTRY_COMPARE_WITH_TIMEOUT(label("stageState-sft"), QStringLiteral("stopped at step 3 of 6"), deadline_ms);
        QSignalSpy goOn(m_page.get(), &TrainingPage::goOnRequested);
        QTest::mouseClick(find<QPushButton>("stageGoOn-sft"), Qt::LeftButton);
        QCOMPARE(goOn.count(), 1);
        QCOMPARE(goOn.front().front().toString(), QFileInfo(m_trained->path("runs/sft")).canonicalFilePath());
        QVERIFY(m_trained->supervised(6).message.empty());
        QTRY_COMPARE_WITH_TIMEOUT(label("stageState-sft"), QStringLiteral("finished: 6 steps"), deadline_ms);
        QCOMPARE(m_page->view()->entry()->log.legs, 2);
        QCOMPARE(m_page->view()->entry()->log.steps.size(), std::size_t(6));
    }

    void aProcessThatDiedIsSaidSo()
    {
        QVERIFY(m_trained->supervised(4).message.empty());
        // As kill -9 leaves it: no end, half a line, and a process that lives no more.
        const QString path = m_trained->path("runs/sft/steps.jsonl");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray text = file.readAll();
        file.close();
        text.truncate(text.indexOf("{\"ended\""));
        const auto opened = nlohmann::json::parse(text.left(text.indexOf('\n')).toStdString());
        const auto process = QByteArray::fromStdString(opened["process"].get<std::string>());
        text.replace(process, process.left(process.indexOf(' ')) + " 999999999 1"); // of this machine, and no more
        text.chop(text.size() - text.lastIndexOf("{\"batch\":3") - 12);
        QVERIFY(tests::writeFile(path, text));
        open();
        QTRY_COMPARE_WITH_TIMEOUT(label("stageState-sft"), QStringLiteral("its process ended at step 3 of 4"),
                                  deadline_ms);
        QVERIFY(find<QPushButton>("stageGoOn-sft")->isVisible());
    }

    void groupsHaveRewardsAdvantagesAndVerdicts()
    {
        const QString project = trainContrastive(2);
        QVERIFY2(QFileInfo::exists(project), qPrintable(project));
        open();
        QTRY_COMPARE_WITH_TIMEOUT(label("stageState-contrastive"), QStringLiteral("finished: 2 steps"), deadline_ms);
        m_page->setTab(TrainingPage::Groups);
        QTRY_COMPARE_WITH_TIMEOUT(rows("trainingGroups"), 2, deadline_ms);
        QAbstractItemModelTester groups(find<QTableView>("trainingGroups")->model());
        QAbstractItemModelTester replies(find<QTableView>("trainingReplies")->model());
        QCOMPARE(cell("trainingGroups", 0, GroupsModel::Step), QStringLiteral("2"));
        QCOMPARE(cell("trainingGroups", 0, GroupsModel::Task), QStringLiteral("1/12"));
        QCOMPARE(cell("trainingGroups", 0, GroupsModel::Correct), QStringLiteral("2"));
        QCOMPARE(rows("trainingReplies"), 4);
        QCOMPARE(cell("trainingReplies", 0, RepliesModel::Reward), QStringLiteral("2.00"));
        QCOMPARE(cell("trainingReplies", 2, RepliesModel::Verdict), QStringLiteral("exploit"));
        QCOMPARE(cell("trainingReplies", 3, RepliesModel::Verdict), QStringLiteral("no program"));
        // Rewards 2, 1, 0, 0: mean 0.75, deviation √(2.75 / 3) = 0.957; (2 - 0.75) / 0.957 = 1.31
        QCOMPARE(cell("trainingReplies", 0, RepliesModel::Advantage), QStringLiteral("+1.31"));
        QCOMPARE(cell("trainingReplies", 3, RepliesModel::Advantage), QStringLiteral("-0.78"));
        auto* view = m_page->findChild<GroupsView*>();
        view->setVerdict(QStringLiteral("exploit"));
        QCOMPARE(rows("trainingReplies"), 1);
        QCOMPARE(cell("trainingReplies", 0, RepliesModel::Why), QStringLiteral("It keeps its result"));
        view->setVerdict({});
        QCOMPARE(rows("trainingReplies"), 4);
    }

    void curvesOfStageThreeHaveWhatTheStepsHave()
    {
        const QString project = trainContrastive(2);
        QVERIFY2(QFileInfo::exists(project), qPrintable(project));
        open();
        QTRY_VERIFY_WITH_TIMEOUT(chart(QStringLiteral("Success")), deadline_ms);
        for (const char* title : {"Loss", "Reward", "Success", "Above 1.01", "Exploits", "KL", "Entropy", "Length",
                                  "Clipped", "Without variance", "Tokens a second", "Time by phase"})
            QVERIFY2(chart(QLatin1String(title)), title);
        QCOMPARE(chart(QStringLiteral("Success"))->series.front().points.back().y, 0.5);
        QCOMPARE(chart(QStringLiteral("Exploits"))->series.front().points.back().y, 0.25);
        QCOMPARE(chart(QStringLiteral("Beyond the library"))->series.front().points.back().y, 0.25); // 2 is above 1.5
        QCOMPARE(chart(QStringLiteral("Reward"))->series.front().points.back().y, 0.75);
        QCOMPARE(chart(QStringLiteral("KL"))->series.front().points.back().y, 0.02);
    }

    void checkpointsAreComparedOnTasksThatAreLeftOut()
    {
        const QString file = trainContrastive(2);
        QVERIFY2(QFileInfo::exists(file), qPrintable(file));
        {
            const auto project = store::Project::open(file.toStdString());
            store::TaskRecord other;
            other.id = {"1/99"};
            other.level = 1;
            other.source = "class Model: pass\n";
            other.hash = base::sha256Hex(other.source);
            QVERIFY((*project)->putTask(other).ok());
            store::Sample sample;
            sample.task = other.id;
            sample.policy = "test";
            sample.policyVersion = m_trained->path("runs/contrastive/step-000002").toStdString();
            sample.prompt = "p";
            sample.reply = "no";
            sample.unusable = "It has no block of code.";
            QVERIFY((*project)->addSamples({sample}).ok());
        }
        open();
        m_page->setTab(TrainingPage::Checkpoints);
        QTRY_COMPARE_WITH_TIMEOUT(rows("trainingComparison"), 1, deadline_ms);
        QCOMPARE(cell("trainingComparison", 0, ComparisonModel::Policy), QStringLiteral("contrastive / step-000002"));
        QCOMPARE(cell("trainingComparison", 0, ComparisonModel::Success), QStringLiteral("0 %"));
        QCOMPARE(cell("trainingComparison", 0, ComparisonModel::SuccessInterval), QStringLiteral("0–79 %"));
    }

    void aNewTrainingIsForecastAndAskedFor()
    {
        QVERIFY(m_trained->supervised(4).message.empty());
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_page->view()->entry(), deadline_ms);
        QTest::mouseClick(find<QPushButton>("stageNew-self"), Qt::LeftButton);
        auto* form = m_page->findChild<TrainingForm*>();
        QTRY_VERIFY(form->isVisible());
        // It goes on from the newest checkpoint of the stage before, which has no config.json here.
        QVERIFY(form->options().model.ends_with("runs/sft/step-000004"));
        QVERIFY(form->options().out.ends_with("runs/self"));
        QVERIFY2(form->forecastText().contains("config.json"), qPrintable(form->forecastText()));
        find<QComboBox>("trainModel")->setEditText(m_trained->path("model"));
        find<QComboBox>("trainStage")->setCurrentIndex(0);
        find<QSpinBox>("trainSteps")->setValue(30);
        find<QSpinBox>("trainBatch")->setValue(2);
        // 500 * 64 + 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 2 * 64) + 64 = 106,048 numbers; 16 bytes each
        QVERIFY2(form->forecastText().replace(QChar(0xA0), u' ').contains("weights and optimizer 1.62 MiB"),
                 qPrintable(form->forecastText()));
        QVERIFY2(form->forecastText().contains("as measured in the steps that were made"),
                 qPrintable(form->forecastText()));
        // 10 tokens a sequence, two sequences, 100 tokens a second: 200 ms a step
        QVERIFY2(form->forecastText().contains("200 ms a step"), qPrintable(form->forecastText()));
        find<QLineEdit>("trainData")->setText(m_trained->path("data.jsonl"));
        QSignalSpy start(m_page.get(), &TrainingPage::startRequested);
        QTest::mouseClick(find<QPushButton>("trainStart"), Qt::LeftButton);
        QCOMPARE(start.count(), 1);
        QCOMPARE(start.front()[0].value<learning::StageOptions>().steps, 30);
    }

    void everySettingHasAFieldAndTheRareOnesAreFolded()
    {
        QVERIFY(m_trained->supervised(4).message.empty());
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_page->view()->entry(), deadline_ms);
        QTest::mouseClick(find<QPushButton>("stageNew-contrastive"), Qt::LeftButton);
        auto* form = m_page->findChild<TrainingForm*>();
        QTRY_VERIFY(form->isVisible());
        // Without a change of any field they are the usual ones.
        learning::StageOptions usual;
        usual.stage = Stage::Contrastive;
        usual.model = form->options().model;
        usual.out = form->options().out;
        QCOMPARE(QString::fromStdString(toJson(form->options()).dump()), QString::fromStdString(toJson(usual).dump()));
        // The rows of both columns lie equally close together, though one column has more of them.
        QList<int> gaps;
        const auto columns = form->widget()->findChildren<QFormLayout*>();
        for (const QFormLayout* column : columns) {
            int last = -1;
            for (int row = 0; row < column->rowCount(); ++row) {
                const QWidget* field = column->itemAt(row, QFormLayout::FieldRole)->widget();
                if (!field->isVisible())
                    continue;
                const int middle = field->mapTo(form->widget(), field->rect().center()).y();
                if (last >= 0)
                    gaps.append(middle - last);
                last = middle;
            }
        }
        QVERIFY(gaps.size() > 10);
        const auto [least, most] = std::minmax_element(gaps.begin(), gaps.end());
        QVERIFY2(*most - *least <= 8, qPrintable(QStringLiteral("%1 to %2 pixels").arg(*least).arg(*most)));
        auto* judgeTimeout = find<QDoubleSpinBox>("trainJudgeTimeout");
        QVERIFY(!judgeTimeout->isVisible() && find<QSpinBox>("trainGroup")->isVisible());
        QTest::mouseClick(find<QToolButton>("trainMore"), Qt::LeftButton);
        QTRY_VERIFY(judgeTimeout->isVisible());
        judgeTimeout->setValue(60);
        find<QComboBox>("trainBaseline")->setCurrentText("leave_one_out");
        find<QComboBox>("trainOverlap")->setCurrentText("on");
        find<QComboBox>("trainSharding")->setCurrentText("gradients");
        find<QComboBox>("trainNumbers")->setCurrentText("float32");
        find<QCheckBox>("trainOwnExemplars")->setChecked(true);
        find<QLineEdit>("trainLearningRate")->setText("3e-6");
        find<QSpinBox>("trainThreads")->setValue(3);
        const learning::StageOptions options = form->options();
        QVERIFY(options.judgeLimit_s == 60 && options.overlap == learning::Overlap::On && options.ownExemplars);
        QVERIFY(options.grpo.baseline == protocol::RewardBaseline::LeaveOneOut && options.numbers == "float32");
        QVERIFY(options.sharding == protocol::Sharding::Gradients && options.threads == 3);
        QCOMPARE(options.optimizer.learningRate, 3e-6);
        find<QComboBox>("trainStage")->setCurrentIndex(0); // which has no replies
        QVERIFY(!judgeTimeout->isVisible() && !find<QComboBox>("trainOverlap")->isVisible());
        QVERIFY(find<QSpinBox>("trainThreads")->isVisible());
        find<QComboBox>("trainModel")->setEditText(CUDAL1_SOURCE_DIR "/tests/decoder/data/llama.gguf");
        QVERIFY2(form->forecastText().contains("Memory of the trainer"), qPrintable(form->forecastText()));
    }

    void aModelIsAFileOrTheFolderOfAChosenFile()
    {
        QCOMPARE(modelOfFile("/models/qwen.GGUF"), QString("/models/qwen.GGUF"));
        QCOMPARE(modelOfFile("/models/qwen/config.json"), QString("/models/qwen"));
    }

    void theLogHasTheTrainingsMessages()
    {
        int steps = 0;
        m_trained->supervised(4, [&](learning::StageRun& run) {
            if (++steps == 2)
                run.stop();
        });
        QVERIFY(m_trained->supervised(4).message.empty());
        open();
        m_page->setTab(TrainingPage::Log);
        auto* log = m_page->findChild<TrainingLog*>();
        QTRY_VERIFY_WITH_TIMEOUT(log->isVisible() && !log->toPlainText().isEmpty(), deadline_ms);
        QStringList lines;
        for (const QString& line : log->toPlainText().split(u'\n'))
            lines << line.mid(QStringLiteral("2026-01-01 00:00:00  ").size());
        QCOMPARE(lines,
                 (QStringList{"begins: 7 parameters on cpu, float32", "trainer: scripted trainer is ready",
                              "step 2: checkpoint step-000002", "stopped: The training was stopped",
                              "goes on at step 3: 7 parameters on cpu, float32", "trainer: scripted trainer is ready",
                              "step 4: checkpoint step-000004", "finished"}));
    }

    void aJobOfTheWindowCanBeStopped()
    {
        QVERIFY(m_trained->supervised(4).message.empty());
        open();
        Job job;
        job.project = m_project.path();
        job.request = {{{{}, QStringLiteral("cpu"), QStringLiteral("cpu")}},
                       TrainJob{m_trained->options(Stage::Supervised, 8), {}, {}}};
        const quint64 id = m_jobs.add(job);
        m_jobs.setState(id, Job::State::Running);
        optimize::SearchProgress now;
        now.text = "step 5 of 8";
        m_jobs.setProgress(id, now);
        QTRY_COMPARE_WITH_TIMEOUT(label("stageState-sft"), QStringLiteral("step 5 of 8"), deadline_ms);
        QSignalSpy stopped(m_page.get(), &TrainingPage::stopRequested);
        QTest::mouseClick(find<QPushButton>("stageStop-sft"), Qt::LeftButton);
        QCOMPARE(stopped.count(), 1);
        QCOMPARE(stopped.front().front().toULongLong(), id);
        m_jobs.setState(id, Job::State::Stopped);
        m_jobs.clearEnded();
    }

    void theSampleHasATraining()
    {
        const auto sample = store::sampleProject({}, m_place->path().toStdString());
        QVERIFY2(sample.ok(), sample.ok() ? "" : sample.error().text().c_str());
        m_page = std::make_unique<TrainingPage>(m_project, m_selection, m_jobs);
        m_page->openFolder(QString::fromStdString(sample->parent_path().string()));
        m_page->resize(1200, 800);
        m_page->show();
        QTRY_VERIFY_WITH_TIMEOUT(m_page->view() && m_page->view()->entry(), deadline_ms);
        for (const Stage stage : {Stage::Supervised, Stage::SelfSupervised, Stage::Contrastive}) {
            const TrainingEntry* entry = m_page->view()->at(stage);
            QVERIFY(entry && entry->isFinished());
            QVERIFY2(!entry->options.model.starts_with("..") && entry->trouble.isEmpty(), qPrintable(entry->trouble));
        }
        QCOMPARE(m_page->view()->entry()->options.stage, Stage::Contrastive);
        QVERIFY(chart(QStringLiteral("Reward")) && chart(QStringLiteral("Loss")));
        QVERIFY(rows("trainingGroups") > 0 && rows("trainingComparison") > 0);
        QCOMPARE(label("stageOutputs-sft"), QStringLiteral("Out: its checkpoints are not here"));
        QVERIFY(!find<QPushButton>("stageGoOn-contrastive")->isVisible());
    }

    void whatMayNotBeWrittenSaysSo()
    {
        const QString copy = m_trained->path("read.cudal1");
        QVERIFY(m_project.project()->copyTo(copy.toStdString()).ok());
        const auto opens = [this](const QString& file) {
            QSignalSpy opened(&m_project, &ProjectModel::opened);
            m_project.open(file, {});
            QVERIFY(opened.count() > 0 || opened.wait(deadline_ms));
        };
        const store::FileUse reads(copy.toStdString(), true); // as where the file may not be written
        opens(copy);
        QVERIFY(m_project.isReadOnly());
        open(false);
        QTRY_VERIFY_WITH_TIMEOUT(m_page->isEmpty(), deadline_ms);
        QVERIFY(!find<QPushButton>("emptyAction")->isVisible());
        m_page.reset();
        QVERIFY(m_trained->supervised(4).message.empty());
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_page->view()->entry(), deadline_ms);
        QTest::mouseClick(find<QPushButton>("stageNew-self"), Qt::LeftButton);
        auto* start = find<QPushButton>("trainStart");
        QTRY_VERIFY(start->isVisible());
        QVERIFY2(!start->isEnabled() && start->toolTip().contains("may not be written"), qPrintable(start->toolTip()));
        find<QComboBox>("trainStage")->setCurrentIndex(0); // learns from a file, and stores nothing in the project
        QVERIFY(start->isEnabled() && !start->toolTip().contains("may not be written"));
        m_page.reset();
        opens(m_sample.file);
    }

    void thePaletteListsTrainings()
    {
        QVERIFY(m_trained->supervised(4).message.empty());
        open();
        QStringList names;
        for (const QAction* action : m_page->findChildren<QAction*>())
            names << action->text();
        QVERIFY2(names.contains("Training: runs/sft"), qPrintable(names.join(", ")));
    }
};

QTEST_MAIN(TestTrainingPage)
#include "tst_trainingpage.moc"
