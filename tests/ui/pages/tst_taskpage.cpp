// SPDX-License-Identifier: GPL-3.0-or-later
// The task page: what it shows of a task before and after runs, the intents of its buttons and keys.
#include "pagetest.h"
#include "tests/ui/jobs.h"
#include "ui/editor/codeview.h"
#include "ui/kit/setupview.h"
#include "ui/tasks/operatorsview.h"
#include "ui/tasks/taskpage.h"
#include "ui/variants/badge.h"
#include "ui/variants/infoview.h"
#include "ui/variants/variantsmodel.h"
#include "ui/variants/variantstable.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"
#include "ui/work/selection.h"

#include <QAction>
#include <QApplication>
#include <QFrame>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace cudal1;
using namespace cudal1::ui;

namespace {
constexpr int patience_ms = 120'000; // for all tasks to be read: a sanitizer takes its time
}

class TestTaskPage : public PageTest {
    Q_OBJECT
private slots:
    void taskPageShowsTaskAndEmitsIntents()
    {
        RunChoice choice;
        JobsModel jobs;
        TaskPage page(m_project, m_selection, choice, jobs);
        page.resize(1200, 800);
        page.show();
        QVERIFY(page.isEmpty());
        m_selection.selectTask(m_sample.task);
        QVERIFY(!page.isEmpty());
        QCOMPARE(page.findChild<CodeView*>()->text().toStdString(), tests::referenceSource());
        QCOMPARE(page.variants()->model()->rowCount(), 3);

        // The task's floor is worked out on a worker; a task without a floor has no column for its share.
        const QTableView* table = page.variants()->view();
        QTRY_VERIFY_WITH_TIMEOUT(!table->isColumnHidden(VariantsModel::FloorShare), 10'000);
        const VariantsModel* model = page.variants()->model();
        const auto share = [&](base::VariantId id) {
            return model->index(model->rowOf(id), VariantsModel::FloorShare).data().toString();
        };
        QCOMPARE(share(m_sample.best), QStringLiteral("25 %"));
        QTRY_COMPARE_WITH_TIMEOUT(share(m_sample.second), QStringLiteral("1.3 %"),
                                  10'000); // by the same floor, since its evaluation has none
        QCOMPARE(share(m_sample.incorrect), QString());
        m_selection.selectTask(m_sample.untried);
        QVERIFY(table->isColumnHidden(VariantsModel::FloorShare));
        m_selection.selectTask(m_sample.task);
        QTRY_VERIFY_WITH_TIMEOUT(!table->isColumnHidden(VariantsModel::FloorShare), 10'000);

        QSignalSpy optimize(&page, &TaskPage::optimizeRequested), stop(&page, &TaskPage::stopRequested);
        auto* start = page.findChild<QPushButton*>(QStringLiteral("optimize"));
        auto* end = page.findChild<QPushButton*>(QStringLiteral("stop"));
        QVERIFY(!end->isEnabled());
        QTest::mouseClick(start, Qt::LeftButton);
        QCOMPARE(optimize.count(), 1);
        QVERIFY(optimize.front().front().value<base::TaskId>() == m_sample.task);

        const quint64 id = jobs.add(tests::optimizing(m_sample.task.value.c_str()));
        jobs.setState(id, Job::State::Running);
        jobs.addLog(id, QStringLiteral("round 1: four proposals"));
        QVERIFY(!start->isEnabled());
        QVERIFY(end->isEnabled());
        QCOMPARE(page.findChild<QPlainTextEdit*>()->toPlainText(), QStringLiteral("round 1: four proposals"));
        QTest::mouseClick(end, Qt::LeftButton);
        QCOMPARE(stop.count(), 1);
        QCOMPARE(stop.front().front().toULongLong(), id);
        jobs.setState(id, Job::State::Finished);
        QVERIFY(start->isEnabled());
    }

    void taskPageKnowsABundledTaskBeforeItRuns()
    {
        QTemporaryDir folder;
        ProjectModel project;
        Selection selection;
        QSignalSpy tasks(&project, &ProjectModel::tasksChanged);
        project.open(folder.filePath("empty.cudal1"), QStringLiteral(CUDAL1_SOURCE_DIR "/kernelbench"));
        QTRY_COMPARE_WITH_TIMEOUT(int(project.tasks()->size()), 250, patience_ms);
        JobsModel jobs;
        RunChoice choice;
        TaskPage page(project, selection, choice, jobs);
        page.resize(1200, 800);
        page.show();
        selection.selectTask({"3/41"});
        auto* view = page.operators()->view();
        QTRY_VERIFY_WITH_TIMEOUT(view->model()->rowCount() > 0, patience_ms);
        const QString facts = page.findChild<InfoView*>()->toPlainText();
        QVERIFY(facts.contains(QStringLiteral("66.4 GFLOP")));
        QVERIFY(facts.contains(QStringLiteral("x  512 × 10 × 128 float32")));
        QVERIFY(facts.contains(QStringLiteral("bidirectional gated recurrent units")));
        QVERIFY(page.operators()->tools()->csv().contains(QStringLiteral("addmm")));

        // The warning stands beside Optimize, with a sign, before anything runs.
        auto* warning = page.findChild<QWidget*>(QStringLiteral("runWarning"));
        QVERIFY(!warning->isVisible());
        protocol::DeviceInfo small;
        small.name = "cpu";
        small.model = "Small machine";
        small.memory_bytes = 1'000'000;
        choice.setDevices({small});
        QTRY_VERIFY_WITH_TIMEOUT(warning->isVisible(), patience_ms);
        QVERIFY(warning->findChildren<QLabel*>().last()->text().contains(QStringLiteral("Small machine has 977 KiB")));
        QVERIFY(!warning->findChildren<QLabel*>().first()->pixmap(Qt::ReturnByValue).isNull());

        // Another task's facts replace them.
        selection.selectTask({"2/12"});
        QTRY_VERIFY_WITH_TIMEOUT(page.findChild<InfoView*>()->toPlainText().contains(QStringLiteral("leaky ReLU")),
                                 patience_ms);
        QVERIFY(!page.operators()->tools()->csv().contains(QStringLiteral("unsafe_split")));
    }

    void variantsHaveTheRoomAndForwardIsInSight()
    {
        RunChoice choice;
        JobsModel jobs;
        TaskPage page(m_project, m_selection, choice, jobs);
        page.resize(1200, 460); // so low that the file's beginning would fill the view
        m_selection.selectTask(m_sample.task);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        auto* code = page.findChild<CodeView*>();
        const auto inSight = [code] {
            const auto [first, count] = code->window();
            for (int row = first; row < first + count; ++row)
                if (code->text(row).contains(QStringLiteral("def forward")))
                    return true;
            return false;
        };
        QTRY_VERIFY(code->firstVisibleLine() > 0 && inSight()); // with what it does, for which the beginning makes room

        QVERIFY(!page.operators()->isVisible()); // the two share a place
        page.findChild<QTabBar*>("referenceTabs")->setCurrentIndex(1);
        QVERIFY(page.operators()->isVisible() && !code->isVisible());
        page.findChild<QTabBar*>("referenceTabs")->setCurrentIndex(0);
    }

    void factsFoldAndTheLogHasThePagesHeight()
    {
        RunChoice choice;
        JobsModel jobs;
        TaskPage page(m_project, m_selection, choice, jobs);
        page.resize(1200, 800);
        m_selection.selectTask(m_sample.task);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QVERIFY2(page.variants()->height() > 380, qPrintable(QString::number(page.variants()->height()))); // of 800
        auto* facts = page.findChild<QTabBar*>("factTabs")->parentWidget()->parentWidget()->findChild<InfoView*>();
        auto* fold = page.findChild<QAction*>("foldFacts");
        QVERIFY(facts->isVisible());
        fold->trigger();
        QVERIFY(!facts->isVisible() && page.findChild<QTabBar*>("factTabs")->isVisible());
        fold->trigger();
        QVERIFY(facts->isVisible());

        auto* tall = page.findChild<QToolButton*>("tallLog");
        QVERIFY(!tall->isVisible()); // there is no log yet
        const quint64 id = jobs.add(tests::optimizing(m_sample.task.value.c_str()));
        jobs.setState(id, Job::State::Running);
        jobs.addLog(id, QStringLiteral("round 1: four proposals"));
        auto* log = page.findChild<QPlainTextEdit*>();
        QTRY_VERIFY(tall->isVisible() && log->isVisible());
        const int before = log->height();
        tall->click();
        QTRY_VERIFY(log->height() > 2 * before && log->height() > page.height() / 2);
        QVERIFY(!page.variants()->isVisible() && !facts->isVisible());
        tall->click();
        QVERIFY(page.variants()->isVisible() && facts->isVisible());

        page.setRoomy(true); // the variants alone
        QVERIFY(page.variants()->isVisible() && !page.findChild<CodeView*>()->isVisible());
        page.setRoomy(false);
        QVERIFY(page.findChild<CodeView*>()->isVisible());
    }

    void enterOnAVariantComparesIt()
    {
        RunChoice choice;
        JobsModel jobs;
        TaskPage page(m_project, m_selection, choice, jobs);
        page.show();
        m_selection.selectTask(m_sample.task);
        QTableView* view = page.variants()->view();
        view->setCurrentIndex(view->model()->index(0, 0));
        QVERIFY(page.variants()->current() == m_sample.best);
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(m_selection.page(), QStringLiteral("compare"));
        QVERIFY(m_selection.right() == m_sample.best);
        QVERIFY(!m_selection.left());
    }

    /// A badge names the setting, and its reason is one click or key away, in the table and in the heading.
    void aBadgeSaysWhy()
    {
        const base::TaskId task{"1/9"};
        base::VariantId variant;
        {
            const auto project = store::Project::open(m_sample.file.toStdString());
            QVERIFY(
                (*project)
                    ->putTask({task, "Tall_skinny", "sample-suite", 1, tests::referenceSource() + "# 9", "hash-1-9"})
                    .ok());
            store::VariantRecord record;
            record.task = task;
            record.taskHash = "hash-1-9";
            record.source = "class ModelNew: # tf32";
            const auto id = (*project)->addVariant(record);
            protocol::Evaluation marked = tests::judged(protocol::Verdict::Correct, 3, 2.9, 3.1);
            marked.precision.matched = false;
            marked.precision.candidate = "products tf32, convolutions tf32";
            marked.precision.reference = "products fp32, convolutions tf32";
            QVERIFY(id.ok() && (*project)->addEvaluation(*id, marked).ok());
            variant = *id;
        }
        RunChoice choice;
        JobsModel jobs;
        TaskPage page(m_project, m_selection, choice, jobs);
        page.resize(1200, 800);
        page.show();
        m_project.changedHere();
        QTRY_VERIFY_WITH_TIMEOUT(m_project.entry(task) && m_project.entry(task)->row.bestVariant == variant, 10'000);
        m_selection.selectTask(task);
        QTableView* view = page.variants()->view();
        QTRY_COMPARE_WITH_TIMEOUT(view->model()->rowCount(), 1, 10'000);
        const auto panel = [] { return qobject_cast<QFrame*>(QApplication::activePopupWidget()); };
        const auto says = [&](const char* text) {
            return panel() && panel()->objectName() == QStringLiteral("whyMarked") &&
                   panel()->findChild<InfoView*>()->toPlainText().contains(QString::fromUtf8(text));
        };
        const QModelIndex cell = view->model()->index(0, VariantsModel::Wall);
        const auto* delegate = qobject_cast<BadgedDelegate*>(view->itemDelegateForIndex(cell));
        QVERIFY(delegate);
        const QRect badge = delegate->badgeRect(view->visualRect(cell), cell);
        QVERIFY(!badge.isEmpty() && view->visualRect(cell).contains(badge));
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, badge.center());
        QTRY_VERIFY_WITH_TIMEOUT(says("The candidate computes with products tf32"), 10'000);
        QVERIFY(says("3.00×"));
        QVERIFY(!view->currentIndex().isValid()); // it was no click on the row
        QTest::keyClick(panel()->findChild<InfoView*>(), Qt::Key_Escape);
        QVERIFY(!panel());
        view->setCurrentIndex(cell);
        view->setFocus();
        QTest::keyClick(view, Qt::Key_I, Qt::ControlModifier);
        QVERIFY(says("The candidate computes with products tf32"));
        panel()->close();
        auto* best = page.findChild<QLabel*>(QStringLiteral("taskBest"));
        QVERIFY(best->text().contains(QStringLiteral(">TF32</a>")));
        emit best->linkActivated(QStringLiteral("why"));
        QVERIFY(says("The candidate computes with products tf32"));
        panel()->close();
        // Where nothing is marked there is nothing to open.
        m_selection.selectTask(m_sample.task);
        view->setCurrentIndex(view->model()->index(0, VariantsModel::Wall));
        QTest::keyClick(view, Qt::Key_I, Qt::ControlModifier);
        QVERIFY(!panel());
    }

    /// A variant that is slower is not called the best. The last function, since it changes the project.
    void theReferenceIsBestWhereNothingIsFaster()
    {
        RunChoice choice;
        JobsModel jobs;
        TaskPage page(m_project, m_selection, choice, jobs);
        page.resize(1200, 800);
        page.show();
        m_selection.selectTask(m_sample.task);
        const auto* best = page.findChild<QLabel*>(QStringLiteral("taskBest"));
        QVERIFY(best->isVisible() && best->text().contains(QStringLiteral("19.8×")) &&
                !best->text().contains(QStringLiteral("the reference is best")));
        const std::string device = m_project.entry(m_sample.task)->row.deviceModel;
        QVERIFY(!device.empty() && best->text().contains(QStringLiteral("on ") + QString::fromStdString(device)));
        {
            const auto project = store::Project::open(m_sample.file.toStdString());
            store::VariantRecord slow;
            slow.task = m_sample.untried;
            slow.source = "class ModelNew: # slow";
            const auto id = (*project)->addVariant(slow);
            QVERIFY(id.ok() &&
                    (*project)->addEvaluation(*id, tests::judged(protocol::Verdict::Correct, 0.61, 0.6, 0.62)).ok());
        }
        m_selection.selectTask(m_sample.untried);
        QTRY_VERIFY_WITH_TIMEOUT(best->isVisible() && best->text().contains(QStringLiteral("the reference is best")),
                                 10'000);
        QVERIFY(best->text().contains(QStringLiteral("fastest variant 0.61×")));
    }
};

QTEST_MAIN(TestTaskPage)
#include "tst_taskpage.moc"
