// SPDX-License-Identifier: GPL-3.0-or-later
// The pages on a real project: what they show, what keys do, which intents come out.
#include "sampleproject.h"
#include "ui/charts/baselinesmodel.h"
#include "ui/charts/baselinesview.h"
#include "ui/charts/chartview.h"
#include "ui/charts/overviewpage.h"
#include "ui/charts/percentilesmodel.h"
#include "ui/compare/comparepage.h"
#include "ui/compare/diffview.h"
#include "ui/compare/sidepanel.h"
#include "ui/compare/stripmodel.h"
#include "ui/compare/variantstrip.h"
#include "ui/editor/codecolors.h"
#include "ui/editor/codeview.h"
#include "ui/shell/filterchips.h"
#include "ui/shell/jobsmodel.h"
#include "ui/shell/projectmodel.h"
#include "ui/shell/runchoice.h"
#include "ui/shell/selection.h"
#include "ui/shell/theme.h"
#include "ui/shell/setupview.h"
#include "ui/tasks/operatorsview.h"
#include "ui/tasks/taskbrowser.h"
#include "ui/tasks/taskpage.h"
#include "ui/variants/infoview.h"
#include "ui/variants/variantsmodel.h"
#include "ui/variants/variantstable.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace cudal1;
using namespace cudal1::ui;

class TestPages : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_sample = tests::makeSampleProject(m_folder.path());
        QVERIFY(!m_sample.file.isEmpty());
        QSignalSpy opened(&m_project, &ProjectModel::opened), tasks(&m_project, &ProjectModel::tasksChanged);
        m_project.open(m_sample.file, {});
        QVERIFY(opened.count() > 0 || opened.wait(10'000));
        QTRY_COMPARE_WITH_TIMEOUT(int(m_project.tasks()->size()), 2, 10'000);
        m_project.variants(m_sample.task);
        QTRY_VERIFY_WITH_TIMEOUT(m_project.variants(m_sample.task) != nullptr, 10'000);
        QCOMPARE(m_project.variants(m_sample.task)->size(), std::size_t(3));
    }

    void init()
    {
        m_selection.clear();
    }

    void compareWalksDifferencesByKeys()
    {
        ComparePage page(m_project, m_selection);
        page.resize(1200, 700);
        page.show();
        // Shortcuts belong to the active window.
        QVERIFY(QTest::qWaitForWindowActive(&page));
        QVERIFY(page.isEmpty());
        m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("compare"));
        QVERIFY(!page.isEmpty());
        DiffView* diff = page.diffView();
        QCOMPARE(diff->left()->code().toStdString() + "\n", tests::referenceSource());
        QCOMPARE(diff->right()->code().toStdString() + "\n", tests::bestSource());
        QVERIFY(diff->differenceCount() >= 3);
        QCOMPARE(diff->current(), -1);
        diff->right()->setFocus();
        QTest::keyClick(diff->right(), Qt::Key_BracketRight);
        QCOMPARE(diff->current(), 0);
        QVERIFY(page.counterText().startsWith(QStringLiteral("1 of %1").arg(diff->differenceCount())));
        QTest::keyClick(diff->right(), Qt::Key_BracketLeft);
        QCOMPARE(diff->current(), diff->differenceCount() - 1);
        QTest::keyClick(diff->right(), Qt::Key_BracketRight);
        QCOMPARE(diff->current(), 0);

        const Difference first = diff->diff().differences.front();
        QVERIFY(diff->right()->markersAtLine(first.firstRow) & (1u << CurrentSign));
        for (int row = 0; row < int(diff->diff().rows.size()); ++row) {
            const RowKind kind = diff->diff().rows[row].kind;
            QCOMPARE(bool(diff->left()->markersAtLine(row) & (1u << FillerMarker)), kind == RowKind::OnlyB);
            QCOMPARE(bool(diff->right()->markersAtLine(row) & (1u << AddedMarker)), kind == RowKind::OnlyB || kind == RowKind::Changed);
        }
    }

    void compareShowsEvidenceAndSwaps()
    {
        ComparePage page(m_project, m_selection);
        m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("compare"));
        // Read by the worker: this thread never unpacks samples.
        QTRY_VERIFY(page.analysis()->toPlainText().contains(QStringLiteral("19.8×")));
        const QString text = page.analysis()->toPlainText();
        QVERIFY2(text.contains(QStringLiteral("19.8×")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("19.5–20.1")));
        QVERIFY(text.contains(QStringLiteral("28.9×")));
        QVERIFY(page.side()->view(SidePanel::Analysis)->toPlainText().contains(QStringLiteral("reads zeros")));
        QVERIFY(text.contains(QStringLiteral("20 of 20")));
        m_selection.compare({}, m_sample.incorrect);
        QVERIFY(!page.analysis()->toPlainText().contains(QStringLiteral("19.8×"))); // not under another's name, not for a moment
        QTRY_VERIFY(page.analysis()->toPlainText().contains(QStringLiteral("7 of 20 trials differ")));
        QVERIFY(page.analysis()->toPlainText().contains(QStringLiteral("0.25 against 0.5")));
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        page.diffView()->left()->setFocus();
        QTest::keyClick(page.diffView()->left(), Qt::Key_X);
        QVERIFY(m_selection.left() == m_sample.incorrect);
        QVERIFY(!m_selection.right());
    }

    void compareShowsTheBestOnTheFirstVisit()
    {
        ProjectModel project;
        Selection selection;
        ComparePage page(project, selection);
        page.show();
        QSignalSpy opened(&project, &ProjectModel::opened);
        project.open(m_sample.file, {});
        QVERIFY(opened.count() > 0 || opened.wait(10'000));
        QTRY_COMPARE_WITH_TIMEOUT(int(project.tasks()->size()), 2, 10'000);
        selection.select(m_sample.task, {}, {}, QStringLiteral("compare")); // its variants are read from here on
        QTRY_VERIFY_WITH_TIMEOUT(selection.right() == m_sample.best, 10'000);
        selection.compare({}, m_sample.second); // and a choice is a choice
        QVERIFY(selection.right() == m_sample.second);
    }

    void compareSaysWhichOfTwoVariantsIsFaster()
    {
        ComparePage page(m_project, m_selection);
        page.resize(1440, 900);
        page.show();
        m_selection.select(m_sample.task, m_sample.second, m_sample.best, QStringLiteral("compare"));
        QTRY_VERIFY(page.analysis()->toPlainText().contains(QStringLiteral("against")));
        QVERIFY2(page.analysis()->toPlainText().contains(QStringLiteral("19.4×")), qPrintable(page.analysis()->toPlainText()));
        m_selection.compare(m_sample.incorrect, m_sample.best);
        QTRY_VERIFY(page.analysis()->toPlainText().contains(QStringLiteral("not correct")));
    }

    void compareHasRoomForTextAndCode()
    {
        for (const auto& [window, least, most] : {std::tuple(1170, 360, 400), std::tuple(930, 280, 320), std::tuple(1900, 400, 480)}) {
            ComparePage page(m_project, m_selection);
            page.resize(window, 700);
            page.show();
            m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("compare"));
            QTRY_VERIFY(page.side()->isVisible());
            QVERIFY2(page.side()->width() >= least && page.side()->width() <= most, qPrintable(QStringLiteral("%1 of %2").arg(page.side()->width()).arg(window)));
            QVERIFY(page.diffView()->left()->width() >= 290 && page.diffView()->right()->width() >= 290);
        }
    }

    void stripChoosesSides()
    {
        ComparePage page(m_project, m_selection);
        page.resize(1400, 700);
        page.show();
        m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("compare"));
        VariantStrip* strip = page.strip();
        QAbstractItemModelTester tester(strip->stripModel(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QModelIndex card = strip->stripModel()->index(strip->stripModel()->rowOf(m_sample.second));
        const QPoint at = strip->visualRect(card).center();
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, at);
        QVERIFY(m_selection.right() == m_sample.second);
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, Qt::ShiftModifier, at);
        QVERIFY(m_selection.left() == m_sample.second);
        QTest::keyClick(strip, Qt::Key_Home);
        QTest::keyClick(strip, Qt::Key_A);
        QVERIFY(!m_selection.left());
    }

    void scrollingIsLinked()
    {
        DiffView view;
        view.resize(800, 200);
        view.show();
        std::string a, b;
        for (int i = 0; i < 300; ++i) {
            a += "line " + std::to_string(i) + "\n";
            b += i % 50 == 7 ? "other " + std::to_string(i) + "\nmore\n" : "line " + std::to_string(i) + "\n";
        }
        view.setTexts(a, b);
        QCOMPARE(view.left()->lines(), view.right()->lines());
        view.right()->verticalScrollBar()->setValue(40);
        QCOMPARE(view.left()->firstVisibleLine(), view.right()->firstVisibleLine());
        QCOMPARE(view.left()->firstVisibleLine(), 40);
        view.left()->verticalScrollBar()->setValue(12);
        QCOMPARE(view.right()->firstVisibleLine(), 12);
        view.goTo(5);
        const int row = view.diff().differences[5].firstRow;
        QVERIFY(row >= view.left()->firstVisibleLine());
        QCOMPARE(view.left()->firstVisibleLine(), view.right()->firstVisibleLine());
    }

    void largeSourcesAreComparedOnAWorker()
    {
        DiffView view;
        std::string a, b;
        for (int i = 0; i < 4000; ++i) {
            a += "value = " + std::to_string(i) + "\n";
            b += "value = " + std::to_string(i + i % 7) + "\n";
        }
        QSignalSpy shown(&view, &DiffView::shown);
        view.setTexts(a, a + "old\n");
        view.setTexts(a, b);
        QCOMPARE(shown.count(), 0);
        QVERIFY(shown.wait(20'000));
        QCOMPARE(view.right()->code().toStdString() + "\n", b);
    }

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
        const auto share = [&](base::VariantId id) { return model->index(model->rowOf(id), VariantsModel::FloorShare).data().toString(); };
        QCOMPARE(share(m_sample.best), QStringLiteral("25 %"));
        QTRY_COMPARE_WITH_TIMEOUT(share(m_sample.second), QStringLiteral("1.3 %"), 10'000); // by the same floor, since its evaluation has none
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

        Job job;
        job.kind = QStringLiteral("Optimize");
        job.task = m_sample.task;
        const quint64 id = jobs.add(job);
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
        QTRY_COMPARE_WITH_TIMEOUT(int(project.tasks()->size()), 250, 20'000);
        JobsModel jobs;
        RunChoice choice;
        TaskPage page(project, selection, choice, jobs);
        page.resize(1200, 800);
        page.show();
        selection.selectTask({"3/41"});
        auto* view = page.operators()->view();
        QTRY_VERIFY_WITH_TIMEOUT(view->model()->rowCount() > 0, 20'000);
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
        QTRY_VERIFY_WITH_TIMEOUT(warning->isVisible(), 20'000);
        QVERIFY(warning->findChildren<QLabel*>().last()->text().contains(QStringLiteral("Small machine has 1.00 MB")));
        QVERIFY(!warning->findChildren<QLabel*>().first()->pixmap(Qt::ReturnByValue).isNull());

        // Another task's facts replace them.
        selection.selectTask({"2/12"});
        QTRY_VERIFY_WITH_TIMEOUT(page.findChild<InfoView*>()->toPlainText().contains(QStringLiteral("leaky ReLU")), 20'000);
        QVERIFY(!page.operators()->tools()->csv().contains(QStringLiteral("unsafe_split")));
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

    void browserSelectsAndSearches()
    {
        TaskBrowser browser(m_project, m_selection);
        browser.resize(300, 500);
        browser.show();
        auto* tree = browser.findChild<QTreeView*>(QStringLiteral("tasks"));
        QCOMPARE(tree->model()->rowCount(), 2);
        QVERIFY(m_selection.task().empty());
        const QModelIndex task = tree->model()->index(0, 0, tree->model()->index(1, 0));
        tree->setCurrentIndex(task);
        QVERIFY(m_selection.task() == m_sample.untried);
        m_selection.selectTask(m_sample.task);
        QVERIFY(tree->currentIndex().data().toString().startsWith(QStringLiteral("1/12")));
        QTest::keyClicks(browser.findChild<QLineEdit*>(), "scaling");
        QCOMPARE(tree->model()->rowCount(), 1);
        // A task that the search hides stays the selected one.
        QVERIFY(m_selection.task() == m_sample.task);
        QTest::keyClick(browser.findChild<QLineEdit*>(), Qt::Key_Return);
        QVERIFY(m_selection.task() == m_sample.untried);
        QCOMPARE(m_selection.page(), QStringLiteral("task"));
    }

    void browserMadeWhileAProjectFailsToOpen() // as at the start of the program with a wrong path
    {
        ProjectModel project;
        Selection selection;
        QSignalSpy failed(&project, &ProjectModel::failed);
        project.open(QStringLiteral("/nowhere/p.cudal1"), {});
        TaskBrowser browser(project, selection);
        const auto* count = browser.findChild<QLabel*>(QStringLiteral("count"));
        QVERIFY(count->text().startsWith(QStringLiteral("Loading")));
        QVERIFY(failed.wait(30'000));
        QVERIFY(count->text().startsWith(QStringLiteral("No tasks yet")));
    }

    /// The one selection filters numbers, levels and charts too; a chart goes on showing what else could be clicked in it.
    void aFilterFiltersEveryView()
    {
        OverviewPage page(m_project, m_selection);
        const auto tried = [&page] {
            const auto* levels = page.findChild<QTableView*>(QStringLiteral("percentiles"));
            return levels->model()->rowCount() > 0 ? levels->model()->index(0, 1).data().toInt() : 0;
        };
        const auto drawn = [&page] {
            std::set<base::TaskId> tasks;
            for (const charts::Mark& mark : page.findChild<ChartView*>()->chart().marks)
                tasks.insert(mark.tasks.begin(), mark.tasks.end());
            return tasks.size();
        };
        const int all = tried();
        const std::size_t marks = drawn();
        QVERIFY(all > 0 && marks > 0);
        SelectionFilter none{QStringLiteral("state"), QStringLiteral("none"), QStringLiteral("none"), {}, {}, {}, {}, {}};
        m_selection.setFilter(none);
        QCOMPARE(tried(), 0);
        QCOMPARE(drawn(), std::size_t(0));
        m_selection.removeFilter({});
        QCOMPARE(tried(), all);
        QCOMPARE(drawn(), marks);
        none.kind = QStringLiteral("range"); // the chart's own
        m_selection.setFilter(none);
        QCOMPARE(tried(), 0);
        QCOMPARE(drawn(), marks);
        m_selection.removeFilter({});
    }

    void statesAreRemovableChips()
    {
        TaskBrowser browser(m_project, m_selection);
        browser.resize(300, 500);
        browser.show();
        auto* tree = browser.findChild<QTreeView*>(QStringLiteral("tasks"));
        auto* chips = browser.findChild<FilterChips*>();
        QVERIFY(chips->isHidden());
        auto* improved = browser.findChild<QToolButton*>(QStringLiteral("state%1").arg(int(store::TaskRow::State::Improved)));
        QTest::mouseClick(improved, Qt::LeftButton);
        QCOMPARE(tree->model()->rowCount(), 1);
        QTest::keyClicks(browser.findChild<QLineEdit*>(), "diagonal");
        QCOMPARE(chips->texts(), QStringList({QStringLiteral("improved"), QStringLiteral("“diagonal” in this list")}));
        QVERIFY(chips->isVisible());
        // It is of the one selection that all views follow.
        OverviewPage page(m_project, m_selection);
        QCOMPARE(page.list()->parentWidget()->findChild<FilterChips*>()->texts(), QStringList(QStringLiteral("improved")));
        QVERIFY(m_selection.filter(QStringLiteral("state")) && m_selection.filter(QStringLiteral("state"))->tasks.size() == 1);
        QTest::mouseClick(chips->findChild<QToolButton*>(QStringLiteral("chip-selection-state")), Qt::LeftButton);
        QVERIFY(!improved->isChecked() && m_selection.filters().empty());
        QTest::mouseClick(improved, Qt::LeftButton);
        m_selection.removeFilter({}); // elsewhere
        QVERIFY(!improved->isChecked());
        QCOMPARE(chips->texts(), QStringList(QStringLiteral("“diagonal” in this list")));
        QTest::keyClick(chips->findChild<QToolButton*>(QStringLiteral("chip-search")), Qt::Key_Delete);
        QVERIFY(browser.findChild<QLineEdit*>()->text().isEmpty());
        QCOMPARE(tree->model()->rowCount(), 2);
        QVERIFY(chips->isHidden());
    }

    void aSearchBecomesAFilterOfAllViews()
    {
        TaskBrowser browser(m_project, m_selection);
        browser.resize(300, 500);
        browser.show();
        auto* field = browser.findChild<QLineEdit*>();
        const auto* action = browser.findChild<QAction*>(QStringLiteral("filterAllViews"));
        QVERIFY(!action->isVisible());
        QTest::keyClicks(field, "SCALING");
        QVERIFY(action->isVisible());
        m_selection.setFilter({QStringLiteral("level"), QStringLiteral("level:1"), QStringLiteral("Level 1"), {m_sample.task}, {}, {}, {}, {}});
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        m_selection.removeFilter(QStringLiteral("level")); // the search is of all tasks, not of those that another filter left
        QCOMPARE(m_selection.filter(QStringLiteral("search"))->tasks, std::set<base::TaskId>{m_sample.untried});
        m_selection.removeFilter({});
        QTest::keyClicks(field, "SCALING");
        QVERIFY(m_selection.filters().empty()); // it is for one task to go to, until a person says more
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(field->text().isEmpty());
        QCOMPARE(m_selection.filters().size(), std::size_t(1));
        QCOMPARE(m_selection.filters().front().tasks, std::set<base::TaskId>{m_sample.untried});
        auto* chips = browser.findChild<FilterChips*>();
        QCOMPARE(chips->texts(), QStringList(QStringLiteral("“SCALING”")));
        OverviewPage page(m_project, m_selection);
        QCOMPARE(page.list()->model()->rowCount(), 0); // the other task alone was tried
        QTest::mouseClick(chips->findChild<QToolButton*>(QStringLiteral("chip-selection-search")), Qt::LeftButton);
        QVERIFY(m_selection.filters().empty());
        QCOMPARE(page.list()->model()->rowCount(), 1);
    }

    void overviewHasPercentilesByLevelThatFilter()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 700);
        page.show();
        auto* model = page.percentiles()->model();
        QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model->rowCount(), 2); // all, and level 1: nothing of level 2 was tried
        QCOMPARE(model->index(0, PercentilesModel::Level).data().toString(), QStringLiteral("All"));
        QCOMPARE(model->index(1, PercentilesModel::Level).data().toString(), QStringLiteral("Level 1"));
        QCOMPARE(model->index(1, PercentilesModel::Tried).data().toString(), QStringLiteral("1"));
        QCOMPARE(model->index(1, PercentilesModel::Gains).data().toString(), QStringLiteral("1"));
        QCOMPARE(model->index(1, PercentilesModel::P50).data().toString(), QStringLiteral("19.8×"));
        auto* chips = page.list()->parentWidget()->findChild<FilterChips*>();
        page.percentiles()->setCurrentIndex(model->index(1, 0));
        QTest::keyClick(page.percentiles(), Qt::Key_Return);
        QCOMPARE(chips->texts(), QStringList(QStringLiteral("level 1")));
        QCOMPARE(page.list()->model()->rowCount(), 1);
        QTest::mouseClick(chips->findChild<QToolButton*>(QStringLiteral("chip-level")), Qt::LeftButton);
        QCOMPARE(chips->count(), 0);
        QVERIFY(page.percentiles()->selectionModel()->selectedRows().isEmpty());
    }

    void percentilesCountTasksWithoutACorrectVariantAsOne()
    {
        const auto entry = [](int number, int level, store::TaskRow::State state, double best) {
            TaskEntry task;
            task.id = {std::to_string(level) + "/" + std::to_string(number)};
            task.level = task.row.level = level;
            task.row.id = task.id;
            task.row.state = state;
            if (best > 0) {
                task.row.best = {best, best * 0.99, best * 1.01};
                task.row.bestVariant = {number};
            }
            return task;
        };
        using State = store::TaskRow::State;
        std::vector<store::TaskRow> rows;
        for (const TaskEntry& task : {entry(1, 1, State::Improved, 2), entry(2, 1, State::Failed, 0), entry(3, 1, State::Improved, 4),
                                      entry(1, 2, State::NotTried, 0), entry(1, 0, State::NoGain, 0.5)})
            rows.push_back(task.row);
        PercentilesModel model;
        model.setLines(charts::levelLines(rows, charts::Failures::One), charts::Failures::One);
        QCOMPARE(model.rowCount(), 3);
        // Level 1 has 1, 2, 4: quartiles half way between neighbours.
        QCOMPARE(model.index(1, PercentilesModel::P25).data().toString(), QStringLiteral("1.50×"));
        QCOMPARE(model.index(1, PercentilesModel::P50).data().toString(), QStringLiteral("2.00×"));
        QCOMPARE(model.index(1, PercentilesModel::P75).data().toString(), QStringLiteral("3.00×"));
        QCOMPARE(model.index(1, PercentilesModel::Best).data().toString(), QStringLiteral("4.00×"));
        QCOMPARE(model.index(1, PercentilesModel::GeometricMean).data().toString(), QStringLiteral("2.00×"));
        QCOMPARE(model.index(2, PercentilesModel::Level).data().toString(), QStringLiteral("Files"));
        // All four: 0.5, 1, 2, 4.
        QCOMPARE(model.index(0, PercentilesModel::P50).data().toString(), QStringLiteral("1.50×"));
        QCOMPARE(model.index(0, PercentilesModel::Gains).data().toString(), QStringLiteral("2"));
        QCOMPARE(model.index(0, PercentilesModel::Correct).data().toString(), QStringLiteral("3"));
    }

    void overviewOpensATaskFromTheList()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 700);
        page.show();
        QVERIFY(!page.isEmpty());
        QCOMPARE(page.list()->model()->rowCount(), 1);
        const QString before = m_selection.page();
        QTest::mouseClick(page.list()->viewport(), Qt::LeftButton, {}, page.list()->visualRect(page.list()->model()->index(0, 0)).center());
        QVERIFY(m_selection.task() == m_sample.task); // a click selects, as in the list of tasks
        QCOMPARE(m_selection.page(), before);
        page.list()->setCurrentIndex(page.list()->model()->index(0, 0));
        QTest::keyClick(page.list(), Qt::Key_Return);
        QVERIFY(m_selection.task() == m_sample.task);
        QCOMPARE(m_selection.page(), QStringLiteral("task"));
    }

    void overviewShowsBaselinesWhileThereIsNothingElse()
    {
        const QString file = m_folder.filePath(QStringLiteral("baselines.cudal1"));
        auto store = store::Project::open(file.toStdString());
        QVERIFY(store.ok());
        const auto add = [&store](const base::TaskId& task, const char* kind, const protocol::Evaluation& evaluation) {
            store::VariantRecord variant;
            variant.task = task;
            variant.taskHash = "hash " + task.value;
            variant.source = task.value + kind + std::to_string(evaluation.speedup.wall.speedup.estimate);
            variant.baseline = kind;
            const auto id = (*store)->addVariant(variant);
            return id && (*store)->addEvaluation(*id, evaluation);
        };
        const base::TaskId first{"1/3"}, second{"2/7"};
        QVERIFY((*store)->putTask({first, "Softmax", "sample-suite", 1, tests::referenceSource(), "hash 1/3"}).ok());
        QVERIFY((*store)->putTask({second, "Linear", "sample-suite", 2, tests::referenceSource(), "hash 2/7"}).ok());
        using protocol::Verdict;
        QVERIFY(add(first, "compile", tests::judged(Verdict::Correct, 1.5, 1.4, 1.6))); // an earlier text of the same baseline
        QVERIFY(add(first, "compile", tests::judged(Verdict::Correct, 2, 1.9, 2.1)));
        QVERIFY(add(second, "compile", tests::judged(Verdict::Correct, 8, 7.9, 8.1)));
        QVERIFY(add(second, "eager", tests::judged(Verdict::Correct, 1, 0.99, 1.01)));
        QVERIFY(add(first, "tf32", tests::judged(Verdict::Incorrect, 0, 0, 0)));

        ProjectModel project;
        Selection selection;
        OverviewPage page(project, selection);
        page.resize(1100, 700);
        page.show();
        QVERIFY(page.isEmpty());
        project.open(file, {});
        QTRY_VERIFY_WITH_TIMEOUT(!page.isEmpty() && page.baselines()->isVisible(), 10'000);
        QVERIFY(!page.list()->isVisible());
        QCOMPARE(page.findChild<QLabel*>(QStringLiteral("baselinesTitle"))->text(), QStringLiteral("Baselines of 2 tasks"));
        const QString text = page.findChild<QLabel*>(QStringLiteral("baselinesText"))->text();
        QVERIFY2(text.contains(QStringLiteral("3 kinds")) && text.contains(QStringLiteral("Sample CPU")), qPrintable(text));

        QTableView* table = page.baselines()->table();
        const QAbstractItemModel* cells = table->model();
        QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto word = [cells](int row, int column) { return cells->index(row, column).data().toString(); };
        const auto header = [cells](int column) { return cells->headerData(column, Qt::Horizontal).toString(); };
        QCOMPARE(cells->rowCount(), 2);
        QCOMPARE(cells->columnCount(), 4);
        QCOMPARE(header(1), QStringLiteral("eager\n1.00×"));
        QCOMPARE(header(2), QStringLiteral("torch.compile\n4.00×")); // of 2 and 8
        QCOMPARE(header(3), QStringLiteral("TF32\n–"));
        QCOMPARE(word(0, 0), QStringLiteral("1/3  Softmax"));
        QCOMPARE(word(0, 1), QStringLiteral("–"));
        QCOMPARE(word(0, 2), QStringLiteral("2.00×"));
        QCOMPARE(word(0, 3), QStringLiteral("incorrect"));
        QCOMPARE(word(1, 2), QStringLiteral("8.00×"));
        QVERIFY(page.table()->csv().contains(QStringLiteral("torch.compile")));
        table->sortByColumn(2, Qt::DescendingOrder);
        QCOMPARE(word(0, 0), QStringLiteral("2/7  Linear"));

        table->selectRow(1);
        QVERIFY(add(second, "compile", tests::judged(Verdict::Correct, 18, 17.9, 18.1)));
        project.changedHere();
        QTRY_COMPARE_WITH_TIMEOUT(header(2), QStringLiteral("torch.compile\n6.00×"), 10'000);
        QCOMPARE(table->selectionModel()->selectedRows().size(), 1); // a new number takes no place away

        QSignalSpy wanted(&page, &OverviewPage::optimizeRequested);
        auto* button = page.findChild<QPushButton*>(QStringLiteral("baselinesOptimize"));
        QCOMPARE(button->text(), QStringLiteral("Optimize 1/3"));
        selection.select(second, {}, {}, QStringLiteral("overview"));
        QCOMPARE(button->text(), QStringLiteral("Optimize 2/7"));
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
        QVERIFY(wanted.front().front().value<base::TaskId>() == second);
        table->setCurrentIndex(cells->index(1, 0));
        QTest::keyClick(table, Qt::Key_Return);
        QVERIFY(selection.task() == first);
        QCOMPARE(selection.page(), QStringLiteral("task"));

        // The first judged variant brings the gains.
        store::VariantRecord variant;
        variant.task = first;
        variant.taskHash = "hash 1/3";
        variant.source = tests::bestSource();
        const auto id = (*store)->addVariant(variant);
        QVERIFY(id && (*store)->addEvaluation(*id, tests::judged(Verdict::Correct, 3, 2.9, 3.1)));
        project.changedHere();
        QTRY_VERIFY_WITH_TIMEOUT(page.list()->isVisible(), 10'000);
        QVERIFY(!page.baselines()->isVisible());
        QCOMPARE(page.list()->model()->rowCount(), 1);
        QVERIFY(project.loneBaselines()->empty());
    }

private:
    QTemporaryDir m_folder;
    tests::SampleProject m_sample;
    ProjectModel m_project;
    Selection m_selection;
};

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    Theme::instance().install(application);
    // Layouts that a person keeps must not decide what a test sees.
    application.setOrganizationName(QStringLiteral("cudal1-test"));
    TestPages test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_pages.moc"
