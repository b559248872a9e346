// SPDX-License-Identifier: GPL-3.0-or-later
// The page of experiments: rows, curves, states, and what it asks for.
#include "core/base/ratiotext.h"
#include "core/experiment/experimentrecord.h"
#include "core/models/spending.h"
#include "core/optimize/owner.h"
#include "core/store/fileuse.h"
#include "pagetest.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartview.h"
#include "ui/experiment/experimentmodel.h"
#include "ui/experiment/experimentpage.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/setupview.h"
#include "ui/work/jobsmodel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;
using Column = ExperimentModel::Column;

namespace {

constexpr int deadline_ms = 20'000;

}

class TestExperimentPage : public PageTest {
    Q_OBJECT
    JobsModel m_jobs;
    std::unique_ptr<ExperimentPage> m_page;
    experiment::ExperimentRecord m_record;

    void open()
    {
        m_page = std::make_unique<ExperimentPage>(m_project, m_selection, m_jobs);
        m_page->resize(1200, 800);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    /// A run of one cell of the experiment, with these replies.
    void addRun(store::Project& project, std::size_t cell, store::RunState state, std::vector<base::VariantId> replies)
    {
        const auto one = m_record.cells()[cell];
        store::RunRecord run;
        run.kind = "optimize";
        run.task = m_sample.task;
        run.parameters = optimize::toJson(m_record.optionsOf(one), m_record.policyOf(one));
        run.state = state;
        run.message = state == store::RunState::Failed ? "The server refused" : "";
        const auto id = *project.startRun(run);
        for (const base::VariantId variant : replies) {
            store::Sample sample;
            sample.run = id;
            sample.task = m_sample.task;
            sample.policy = "endpoint: qwen3";
            sample.variant = variant;
            sample.prompt = "p";
            sample.promptTokens = 1000;
            sample.replyTokens = 200;
            sample.cost = 0.5;
            sample.costUnit = "USD";
            QVERIFY(project.addSamples({sample}).ok());
        }
    }
    /// Three ways to ask, a task, two seeds; the first way has both runs, the second has one that failed.
    void addExperiment()
    {
        const auto project = store::Project::open(m_sample.file.toStdString());
        const auto plan = experiment::ExperimentPlan::read(
            R"({"policies":["endpoint:qwen3","library"],"methods":["vanilla","contrastive"],"tasks":["1/12"],"seeds":[1,2],
                "limits":{"tokens":9000}})");
        const auto task = (*project)->task(m_sample.task);
        auto record = experiment::recordOf(*plan, "paper", {*task});
        const auto evaluations = (*project)->evaluations(m_sample.best);
        record->device = evaluations->front().device;
        record->deviceModel = evaluations->front().deviceModel;
        QVERIFY(experiment::keep(**project, *record).ok());
        m_record = *record;
        addRun(**project, 0, store::RunState::Finished, {m_sample.incorrect, m_sample.best});
        addRun(**project, 1, store::RunState::Finished, {m_sample.second});
        addRun(**project, 2, store::RunState::Failed, {});
        models::Ledger::Totals spent;
        spent.requests = 3;
        spent.promptTokens = 3000;
        spent.replyTokens = 600;
        QVERIFY((*project)->putCache(models::spendingKey(m_record.id), models::toJson(spent)).ok());
    }
    void openExperiment()
    {
        if (!m_record.id)
            addExperiment();
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_page->view() && m_page->view()->shown.id, deadline_ms);
    }
    QTableView& rows() const { return *m_page->findChild<QTableView*>("experimentRows"); }
    QString shown(int row, int column) const { return rows().model()->index(row, column).data().toString(); }
    QPushButton* button(const char* name) const { return m_page->findChild<QPushButton*>(QLatin1String(name)); }
    QString label(const char* name) const { return m_page->findChild<ElidedLabel*>(QLatin1String(name))->fullText(); }

private slots:
    void cleanup() { m_page.reset(); }

    void withoutExperimentsOneActionFillsThePage()
    {
        open();
        const auto offered = [this] {
            for (QPushButton* one : m_page->findChildren<QPushButton*>())
                if (one->isVisible() && one->text() == QStringLiteral("Open Experiment…"))
                    return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(m_page->view() && m_page->isEmpty() && offered(), deadline_ms);
    }

    void theTableHasAWayToAskARow()
    {
        openExperiment();
        QAbstractItemModelTester tester(rows().model());
        QVERIFY(!m_page->isEmpty());
        QCOMPARE(rows().model()->rowCount(), 3);
        QCOMPARE(shown(0, Column::Policy), QStringLiteral("endpoint:qwen3"));
        QCOMPARE(shown(0, Column::Method), QStringLiteral("vanilla"));
        QCOMPARE(shown(0, Column::Runs), QStringLiteral("2 of 2"));
        QCOMPARE(shown(0, Column::Success), QStringLiteral("2"));
        QCOMPARE(shown(0, Column::Replies), QStringLiteral("3"));
        QCOMPARE(shown(0, Column::Tokens), QStringLiteral("3,600"));
        QCOMPARE(shown(0, Column::Cost), QStringLiteral("1.5 USD"));
        QVERIFY(shown(0, Column::BySeed).contains(QStringLiteral("–")));
        QCOMPARE(shown(1, Column::Runs), QStringLiteral("0 of 2"));
        QCOMPARE(shown(1, Column::Mean), QString());
        QCOMPARE(shown(2, Column::Policy), QStringLiteral("library"));
        QVERIFY2(label("experimentRule").contains("counts as 1×"), qPrintable(label("experimentRule")));
        rows().sortByColumn(Column::Success, Qt::DescendingOrder);
        QCOMPARE(shown(0, Column::Success), QStringLiteral("2"));
        rows().sortByColumn(Column::Mean, Qt::AscendingOrder);
        QCOMPARE(shown(2, Column::Success), QStringLiteral("2"));
        m_page->table()->copyCsv();
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.startsWith("Policy,Method,Level,Runs") && copied.contains("2 of 2"), qPrintable(copied));
    }

    void theBarSaysHowFarItIs()
    {
        openExperiment();
        QVERIFY2(label("experimentState").startsWith("2 of 6 runs, 1 failed"), qPrintable(label("experimentState")));
        QVERIFY2(label("experimentConditions").contains("3 ways to ask, 1 task, 2 seeds") &&
                     label("experimentConditions").contains("limits: 9,000 tokens") &&
                     label("experimentConditions").contains("taken: 3,600 tokens"),
                 qPrintable(label("experimentConditions")));
        QVERIFY(button("goOnWithExperiment")->isVisible() && !button("stopExperiment")->isVisible());
        QSignalSpy wanted(m_page.get(), &ExperimentPage::goOnRequested);
        QTest::mouseClick(button("goOnWithExperiment"), Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
        QVERIFY(wanted.front().front().value<experiment::ExperimentRecord>().id == m_record.id);
    }

    void aJobOfTheWindowIsFollowed()
    {
        openExperiment();
        Job job;
        job.project = m_project.path();
        job.request.places = {{{}, QStringLiteral("cpu"), QStringLiteral("cpu")}};
        job.request.what = ExperimentJob{m_record, {}};
        const quint64 id = m_jobs.add(job);
        m_jobs.setState(id, Job::State::Running);
        optimize::SearchProgress progress;
        progress.done = 2;
        progress.planned = 6;
        progress.fraction = 0.4;
        progress.text = "endpoint:qwen3, contrastive: 1/12, seed 1";
        m_jobs.setProgress(id, progress);
        QVERIFY(button("stopExperiment")->isVisible() && !button("goOnWithExperiment")->isVisible());
        QVERIFY2(label("experimentState").contains("contrastive: 1/12, seed 1"), qPrintable(label("experimentState")));
        QSignalSpy stopped(m_page.get(), &ExperimentPage::stopRequested);
        QTest::mouseClick(button("stopExperiment"), Qt::LeftButton);
        QVERIFY(stopped.count() == 1 && stopped.front().front().toULongLong() == id);
        m_jobs.setState(id, Job::State::Stopped);
        QVERIFY(button("goOnWithExperiment")->isVisible());
    }

    void curvesFollowTheChoice()
    {
        openExperiment();
        auto* along = m_page->findChild<QComboBox*>("experimentAlong");
        QCOMPARE(along->count(), 3);
        QCOMPARE(along->itemText(2), QStringLiteral("cost in USD"));
        const auto words = [this] { return m_page->curves()->view()->accessibleDescription(); };
        QVERIFY2(words().contains("Over 2 of 6 runs"), qPrintable(words()));
        along->setCurrentIndex(2);
        emit along->activated(2);
        QVERIFY(m_page->curves()->exportTo(m_folder.filePath("c.csv")).ok());
        QFile csv(m_folder.filePath("c.csv"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QVERIFY(csv.readLine().startsWith("policy,method,USD,speed-up"));
        QVERIFY(csv.readAll().contains("endpoint:qwen3,vanilla,1,")); // two replies for half a dollar each
    }

    void whatAnotherProcessStoresShows()
    {
        openExperiment();
        const auto project = store::Project::open(m_sample.file.toStdString());
        optimize::RunNotes notes;
        notes.owner = optimize::ownProcess();
        QVERIFY(optimize::writeNotes(**project, m_record.id, notes).ok());
        QVERIFY((*project)->setRunState(m_record.id, store::RunState::Running).ok());
        QTRY_VERIFY_WITH_TIMEOUT(label("experimentState").contains("another process"), deadline_ms);
        QVERIFY(!button("goOnWithExperiment")->isVisible());
        QVERIFY((*project)->setRunState(m_record.id, store::RunState::Stopped, "a limit was reached").ok());
        QTRY_VERIFY_WITH_TIMEOUT(label("experimentState").contains("a limit was reached"), deadline_ms);
    }

    void aFileIsDropped()
    {
        openExperiment();
        QSignalSpy wanted(m_page.get(), &ExperimentPage::fileRequested);
        const auto drop = [this](const QString& file) {
            QMimeData data;
            data.setUrls({QUrl::fromLocalFile(file)});
            QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(m_page.get(), &enter);
            if (!enter.isAccepted())
                return false;
            QDropEvent event(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(m_page.get(), &event);
            return true;
        };
        QVERIFY(!drop("/tmp/picture.png"));
        QVERIFY(drop("/tmp/plan.json"));
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().toString(), QStringLiteral("/tmp/plan.json"));
    }

    void whatMayNotBeWrittenSaysSo()
    {
        if (!m_record.id)
            addExperiment();
        const QString copy = m_folder.filePath("read.cudal1");
        QVERIFY(m_project.project()->copyTo(copy.toStdString()).ok());
        const auto opens = [this](const QString& file) {
            QSignalSpy opened(&m_project, &ProjectModel::opened);
            m_project.open(file, {});
            QVERIFY(opened.count() > 0 || opened.wait(deadline_ms));
        };
        {
            const store::FileUse reads(copy.toStdString(), true); // as where the file may not be written
            opens(copy);
            QVERIFY(m_project.isReadOnly());
            openExperiment();
            for (const char* name : {"openExperiment", "goOnWithExperiment"}) {
                QTRY_VERIFY_WITH_TIMEOUT(!button(name)->isEnabled(), deadline_ms);
                QVERIFY2(button(name)->toolTip().contains("may not be written"), qPrintable(button(name)->toolTip()));
            }
            for (const QAction* action : m_page->findChildren<QAction*>())
                if (action->text().startsWith("Open an experiment") || action->text().startsWith("Go on with"))
                    QVERIFY2(!action->isEnabled() && action->toolTip().contains("may not be written"),
                             qPrintable(action->text()));
            m_page.reset();
            opens(m_sample.file);
        }
        openExperiment(); // and is on again where it may
        QTRY_VERIFY_WITH_TIMEOUT(button("openExperiment")->isEnabled(), deadline_ms);
        QVERIFY(button("goOnWithExperiment")->isEnabled() &&
                !button("goOnWithExperiment")->toolTip().contains("may not be written"));
    }

    /// Changes what the experiment took.
    void numbersAreWholeInTheirColumns()
    {
        openExperiment();
        {
            const auto project = store::Project::open(m_sample.file.toStdString());
            const auto runs = (*project)->runs();
            const auto run = std::find_if(runs->begin(), runs->end(), [](const auto& one) {
                return one.kind == "optimize" && one.state == store::RunState::Finished;
            });
            QVERIFY(run != runs->end());
            store::Sample sample;
            sample.run = run->id;
            sample.task = m_sample.task;
            sample.policy = "endpoint: qwen3";
            sample.prompt = "p";
            sample.promptTokens = 123'456'789;
            sample.cost = 1234;
            sample.costUnit = "GPU s";
            sample.variant = m_sample.second;
            QVERIFY((*project)->addSamples({sample}).ok());
        }
        m_page.reset();
        openExperiment();
        const auto costs = [this] {
            QStringList out;
            for (int row = 0; row < rows().model()->rowCount(); ++row)
                out << shown(row, Column::Cost);
            return out.join('|');
        };
        QTRY_VERIFY2_WITH_TIMEOUT(costs().contains("1234 GPU s + "), qPrintable(costs()), deadline_ms);
        for (int column = Column::Level; column < ExperimentModel::ColumnCount; ++column)
            QVERIFY2(rows().columnWidth(column) >= static_cast<QAbstractItemView&>(rows()).sizeHintForColumn(column),
                     qPrintable(rows().model()->headerData(column, Qt::Horizontal).toString()));
        // The last one is whole within the view once it is scrolled to.
        rows().horizontalScrollBar()->setValue(rows().horizontalScrollBar()->maximum());
        const QRect last = rows().visualRect(rows().model()->index(0, Column::Cost));
        QVERIFY(last.left() >= 0 && last.right() <= rows().viewport()->width());
    }

    /// Adds a run.
    void aRunWithoutACorrectReplyCountsAsOne()
    {
        openExperiment();
        const auto ofLibrary = [this](int column) {
            for (int row = 0; row < rows().model()->rowCount(); ++row)
                if (shown(row, Column::Policy) == QStringLiteral("library"))
                    return shown(row, column);
            return QStringLiteral("no row");
        };
        QCOMPARE(ofLibrary(Column::Mean), QString());
        addRun(**store::Project::open(m_sample.file.toStdString()), 4, store::RunState::Finished, {m_sample.incorrect});
        m_page.reset();
        openExperiment();
        QTRY_COMPARE_WITH_TIMEOUT(ofLibrary(Column::Runs), QStringLiteral("1 of 2"), deadline_ms);
        QCOMPARE(ofLibrary(Column::Success), QStringLiteral("0"));
        for (const int column : {Column::Mean, Column::Geometric, Column::Maximum, Column::Median})
            QCOMPARE(ofLibrary(column), QString::fromStdString(base::ratioText(1)));
    }

    void damagedNotesAreThoseOfAProcessThatHasEnded()
    {
        openExperiment();
        const auto project = store::Project::open(m_sample.file.toStdString());
        const std::string notes = "run/" + std::to_string(m_record.id.value) + "/notes";
        QVERIFY((*project)->putCache(notes, R"({"owner": 5})").ok()); // a text is read there
        QVERIFY((*project)->setRunState(m_record.id, store::RunState::Running).ok());
        QTRY_VERIFY_WITH_TIMEOUT(label("experimentState").contains("its process ended"), deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(button("goOnWithExperiment")->isVisible(), deadline_ms);
    }
};

QTEST_MAIN(TestExperimentPage)
#include "tst_experimentpage.moc"
