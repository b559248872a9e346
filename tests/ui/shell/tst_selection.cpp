// SPDX-License-Identifier: GPL-3.0-or-later
// The selection's signals and its history.
#include "ui/work/selection.h"

#include <QSignalSpy>
#include <QTest>

using namespace cudal1;
using ui::Selection;

class TestSelection : public QObject {
    Q_OBJECT
private slots:
    void anotherTaskForgetsTheVariants()
    {
        Selection selection;
        selection.selectTask({"1/1"});
        selection.compare({}, {7});
        QSignalSpy task(&selection, &Selection::taskChanged);
        QSignalSpy variants(&selection, &Selection::variantsChanged);
        selection.selectTask({"1/2"});
        QCOMPARE(task.size(), 1);
        QCOMPARE(variants.size(), 1);
        QVERIFY(!selection.right());
        selection.selectTask({"1/2"});
        QCOMPARE(task.size(), 1);
    }

    void theSameTaskKeepsWhatIsCompared()
    {
        Selection selection;
        selection.select({"1/1"}, {}, {3}, "compare");
        selection.open({"1/1"}, "task");
        QCOMPARE(selection.page(), QString("task"));
        QCOMPARE(selection.right(), base::VariantId{3});
        selection.open({"1/2"}, "task");
        QVERIFY(selection.task() == base::TaskId{"1/2"} && !selection.right());
    }

    void backAndForwardWalkTheSteps()
    {
        Selection selection;
        QVERIFY(!selection.canGoBack());
        selection.select({"1/1"}, {}, {}, "task");
        selection.select({"1/1"}, {}, {3}, "compare");
        selection.selectTask({"2/5"});
        QVERIFY(selection.canGoBack() && !selection.canGoForward());
        selection.goBack();
        QCOMPARE(selection.task().value, std::string("1/1"));
        QCOMPARE(selection.right().value, 3);
        QCOMPARE(selection.page(), QString("compare"));
        selection.goBack();
        QCOMPARE(selection.page(), QString("task"));
        QVERIFY(!selection.canGoBack());
        selection.goForward();
        QCOMPARE(selection.right().value, 3);
        // A new step from here drops what was ahead.
        selection.selectPage("overview");
        QVERIFY(!selection.canGoForward());
        selection.goBack();
        QCOMPARE(selection.page(), QString("compare"));
    }

    void theSameStepTwiceIsOne()
    {
        Selection selection;
        selection.select({"1/1"}, {}, {}, "task");
        selection.select({"1/1"}, {}, {}, "task");
        QVERIFY(!selection.canGoBack());
    }

    void historyIsBounded()
    {
        Selection selection;
        for (int i = 0; i < 1000; ++i)
            selection.selectTask({"1/" + std::to_string(i)});
        int steps = 0;
        for (; selection.canGoBack(); ++steps)
            selection.goBack();
        QCOMPARE(steps, 199);
        QCOMPARE(selection.task().value, std::string("1/800"));
    }

    void clearKeepsThePage()
    {
        Selection selection;
        selection.select({"1/1"}, {}, {2}, "compare");
        QSignalSpy page(&selection, &Selection::pageChanged);
        selection.clear();
        QVERIFY(selection.task().empty());
        QVERIFY(!selection.canGoBack());
        QCOMPARE(selection.page(), QString("compare"));
        QCOMPARE(page.size(), 0);
    }
};

QTEST_GUILESS_MAIN(TestSelection)
#include "tst_selection.moc"
