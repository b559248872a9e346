// SPDX-License-Identifier: GPL-3.0-or-later
// The task browser, and the filters that it and the overview share through the one selection.
#include "pagetest.h"
#include "ui/charts/chartview.h"
#include "ui/charts/overviewpage.h"
#include "ui/kit/filterchips.h"
#include "ui/tasks/taskbrowser.h"
#include "ui/tasks/tasksmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <set>

using namespace cudal1;
using namespace cudal1::ui;

class TestPages : public PageTest {
    Q_OBJECT
private slots:
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

    /// The one selection filters numbers, levels and charts too; a chart goes on showing what else could be clicked in
    /// it.
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
        SelectionFilter none{
            QStringLiteral("state"), QStringLiteral("none"), QStringLiteral("none"), {}, {}, {}, {}, {}};
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
        auto* improved = browser.findChild<QToolButton*>(QStringLiteral("group%1").arg(int(TaskGroup::Gain)));
        QTest::mouseClick(improved, Qt::LeftButton);
        QCOMPARE(tree->model()->rowCount(), 1);
        QTest::keyClicks(browser.findChild<QLineEdit*>(), "diagonal");
        QCOMPARE(chips->texts(), QStringList({QStringLiteral("improved"), QStringLiteral("“diagonal” in this list")}));
        QVERIFY(chips->isVisible());
        // It is of the one selection that all views follow.
        OverviewPage page(m_project, m_selection);
        QCOMPARE(page.list()->parentWidget()->findChild<FilterChips*>()->texts(),
                 QStringList(QStringLiteral("improved")));
        QVERIFY(m_selection.filter(QStringLiteral("state")) &&
                m_selection.filter(QStringLiteral("state"))->tasks.size() == 1);
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

    void chipsHaveWordsWhereTheyFit()
    {
        TaskBrowser browser(m_project, m_selection);
        browser.resize(900, 500);
        browser.show();
        const auto* improved = browser.findChild<QToolButton*>(QStringLiteral("group%1").arg(int(TaskGroup::Gain)));
        QCOMPARE(improved->text(), QStringLiteral("1 improved"));
        const int narrow = browser.minimumSizeHint().width();
        QVERIFY(narrow < 300); // words keep nobody from making it narrow
        // A state that no task has gets its chip by being asked for; two chips alone have room for words anywhere.
        const auto chips = browser.findChildren<QToolButton*>(QRegularExpression(QStringLiteral("^group")));
        for (QToolButton* chip : chips)
            chip->setChecked(true);
        for (const int width : {200, 900}) {
            browser.resize(width, 500);
            QTRY_COMPARE(browser.width(), width);
            QTRY_VERIFY(std::all_of(chips.begin(), chips.end(), [](const auto* chip) { return chip->isVisible(); }));
            const auto rows = [&chips] {
                std::set<int> out;
                for (const QToolButton* chip : chips)
                    out.insert(chip->y());
                return out.size();
            };
            QTRY_VERIFY2(rows() <= 3, qPrintable(QString::number(rows())));
            for (const QToolButton* chip : chips) {
                QVERIFY(chip->toolTip().contains(QStringLiteral(": ")) && !chip->icon().isNull());
                QVERIFY2(chip->text().contains(u' ') == (width == 900), qPrintable(chip->text()));
            }
            QCOMPARE(improved->text(), width == 900 ? QStringLiteral("1 improved") : QStringLiteral("1"));
        }
        m_selection.removeFilter({});
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
        m_selection.setFilter({QStringLiteral("level"),
                               QStringLiteral("level:1"),
                               QStringLiteral("Level 1"),
                               {m_sample.task},
                               {},
                               {},
                               {},
                               {}});
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        m_selection.removeFilter(
            QStringLiteral("level")); // the search is of all tasks, not of those that another filter left
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
};

QTEST_MAIN(TestPages)
#include "tst_pages.moc"
