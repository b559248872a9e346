// SPDX-License-Identifier: GPL-3.0-or-later
// The overview: percentiles by level, the ranked list, and the baselines that stand there before a variant is judged.
#include "core/protocol/marks.h"
#include "pagetest.h"
#include "ui/charts/baselinesview.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartsview.h"
#include "ui/charts/chartview.h"
#include "ui/charts/claimsmodel.h"
#include "ui/charts/claimsview.h"
#include "ui/charts/overviewpage.h"
#include "ui/charts/percentilesmodel.h"
#include "ui/charts/rankedmodel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/setupview.h"
#include "ui/variants/badge.h"
#include "ui/variants/infoview.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace cudal1;
using namespace cudal1::ui;

class TestOverview : public PageTest {
    Q_OBJECT
private slots:
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
        for (const TaskEntry& task :
             {entry(1, 1, State::Improved, 2), entry(2, 1, State::Failed, 0), entry(3, 1, State::Improved, 4),
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
        // All four: 1, 1, 2, 4, since the file keeps its reference.
        QCOMPARE(model.index(0, PercentilesModel::P25).data().toString(), QStringLiteral("1.00×"));
        QVERIFY(model.headerData(PercentilesModel::Mean, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .contains(QString::fromStdString(protocol::countedInMeansText())));
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
        QTest::mouseClick(page.list()->viewport(), Qt::LeftButton, {},
                          page.list()->visualRect(page.list()->model()->index(0, 0)).center());
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
        QVERIFY(add(first, "compile",
                    tests::judged(Verdict::Correct, 1.5, 1.4, 1.6))); // an earlier text of the same baseline
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
        QCOMPARE(page.findChild<QLabel*>(QStringLiteral("baselinesTitle"))->text(),
                 QStringLiteral("Baselines of 2 tasks"));
        const QString text = page.findChild<QLabel*>(QStringLiteral("baselinesText"))->text();
        QVERIFY2(text.contains(QStringLiteral("3 kinds")) && text.contains(QStringLiteral("Sample CPU")),
                 qPrintable(text));

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

    /// A segment of the first card leaves the tasks that it counts, and the badge of each says why.
    void segmentsFilterAndBadgesExplain()
    {
        const QString file = m_folder.filePath(QStringLiteral("marked.cudal1"));
        {
            auto store = store::Project::open(file.toStdString());
            QVERIFY(store.ok());
            for (const int number : {3, 4}) {
                const std::string id = "1/" + std::to_string(number);
                QVERIFY(
                    (*store)->putTask({{id}, "Task", "sample-suite", 1, "class Model: # " + id, "hash " + id}).ok());
                store::VariantRecord variant;
                variant.task = {id};
                variant.taskHash = "hash " + id;
                variant.source = "class ModelNew: # " + id;
                const auto added = (*store)->addVariant(variant);
                protocol::Evaluation evaluation = tests::judged(protocol::Verdict::Correct, number, number - .1,
                                                                number + .1);
                if (number == 3)
                    evaluation.labels.push_back({"degenerate_task", "Zeros pass it as well.", "all zeros"});
                QVERIFY(added.ok() && (*store)->addEvaluation(*added, evaluation).ok());
            }
        }
        ProjectModel project;
        Selection selection;
        OverviewPage page(project, selection);
        page.resize(1200, 700);
        page.show();
        project.open(file, QString());
        QTRY_COMPARE_WITH_TIMEOUT(page.list()->model()->rowCount(), 2, 10'000);
        QLabel* segment = nullptr;
        for (QLabel* label : page.findChildren<QLabel*>())
            if (label->text().contains(QStringLiteral(">questioned</a>")))
                segment = label;
        QVERIFY(segment && segment->text().contains(QStringLiteral("+1")));
        emit segment->linkActivated(QStringLiteral("gain:!"));
        QCOMPARE(page.list()->model()->rowCount(), 1);
        const QModelIndex cell = page.list()->model()->index(0, RankedModel::Best);
        QVERIFY(cell.siblingAtColumn(0).data().toString().startsWith(QStringLiteral("1/3")));
        const auto* delegate = qobject_cast<BadgedDelegate*>(page.list()->itemDelegateForIndex(cell));
        QTest::mouseClick(page.list()->viewport(), Qt::LeftButton, {},
                          delegate->badgeRect(page.list()->visualRect(cell), cell).center());
        const auto says = [](const char* text) {
            const QWidget* panel = QApplication::activePopupWidget();
            return panel && panel->findChild<InfoView*>()->toPlainText().contains(QLatin1String(text));
        };
        QTRY_VERIFY_WITH_TIMEOUT(says("Zeros pass it as well."), 10'000);
        QVERIFY(says("all zeros") && selection.task().empty()); // with its evidence; it was no click on the row
        QApplication::activePopupWidget()->close();
    }

    void claimsStandThereBeforeAnythingIsJudged()
    {
        const QString file = m_folder.filePath(QStringLiteral("claims.cudal1"));
        auto store = store::Project::open(file.toStdString());
        QVERIFY(store.ok());
        store::ImportRow row;
        row.task.id = {"1/3"};
        row.task.name = "Softmax";
        row.task.level = 1;
        row.task.source = "class Model: pass";
        row.task.hash = "hash 1/3";
        row.claim.source = "cuda-l1: a100.json";
        row.claim.key = "1/3";
        row.claim.speedup = 4;
        QVERIFY((*store)->importRows({row}).ok());
        ProjectModel project;
        Selection selection;
        OverviewPage page(project, selection);
        page.resize(1200, 700);
        page.show();
        project.open(file, QString());
        QTRY_VERIFY_WITH_TIMEOUT(!page.isEmpty() && page.charts()->isVisible(), 10'000);
        QVERIFY(page.charts()->kind() == charts::ChartKind::Claims);
        const ChartView* view = page.charts()->panel()->view();
        QTRY_VERIFY_WITH_TIMEOUT(!view->chart().isEmpty(), 10'000);
        QCOMPARE(view->chart().y.words, QStringList(QStringLiteral("A100, all")));
        // Beside it the claims stand in the place of gains; a row opens the code before and after.
        QTableView* list = page.claims()->view();
        QTRY_VERIFY_WITH_TIMEOUT(list->isVisible() && list->model()->rowCount() == 1, 10'000);
        QVERIFY(!page.list()->isVisible());
        const auto cell = [&](int column) { return list->model()->index(0, column).data().toString(); };
        QCOMPARE(cell(ClaimsModel::Task), QStringLiteral("1/3  Softmax"));
        QCOMPARE(cell(ClaimsModel::Claimed), QStringLiteral("4.00×"));
        QCOMPARE(cell(ClaimsModel::Found), QStringLiteral("not judged"));
        QCOMPARE(cell(ClaimsModel::Device), QStringLiteral("(A100)")); // by the file's name
        emit list->activated(list->model()->index(0, 0));
        QCOMPARE(selection.page(), QStringLiteral("task")); // it came without code
        row.variant.emplace();
        row.variant->task = row.task.id;
        row.variant->taskHash = row.task.hash;
        row.variant->source = "class ModelNew: pass";
        row.claim.source = "cuda-l1: h100.json";
        row.claim.speedup = 9;
        QVERIFY((*store)->importRows({row}).ok());
        project.changedHere();
        page.charts()->setKind(charts::ChartKind::ClaimedMeans);
        QTRY_COMPARE_WITH_TIMEOUT(cell(ClaimsModel::Claimed), QStringLiteral("9.00×"), 10'000);
        emit list->activated(list->model()->index(0, 0));
        QCOMPARE(selection.page(), QStringLiteral("compare"));
        QVERIFY(selection.task().value == "1/3" && !selection.left() && selection.right());
        page.charts()->setKind(charts::ChartKind::Distribution);
        QVERIFY(page.list()->isVisible());
    }
};

QTEST_MAIN(TestOverview)
#include "tst_overview.moc"
