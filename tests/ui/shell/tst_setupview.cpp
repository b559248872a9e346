// SPDX-License-Identifier: GPL-3.0-or-later
// Copy, CSV, find and filter on a table.
#include "ui/kit/filterchips.h"
#include "ui/kit/setupview.h"

#include "ui/kit/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QStandardPaths>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace cudal1::ui;

class TestSetupView : public QObject {
    Q_OBJECT
    QStandardItemModel m_model;
    QSortFilterProxyModel m_proxy;

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("cudal1-test-setupview"));
        Theme::instance().install(*qApp);
        m_model.setHorizontalHeaderLabels({"Name", "Note"});
        for (const auto& [name, note] :
             {std::pair("alpha", "plain"), std::pair("beta", "with, comma"), std::pair("gamma", "a \"quote\"")})
            m_model.appendRow({new QStandardItem(name), new QStandardItem(note)});
        auto* painted = new QStandardItem("delta");
        auto* note = new QStandardItem("2×");
        note->setData("2.0471", CopyRole);
        m_model.appendRow({painted, note});
        m_proxy.setSourceModel(&m_model);
    }

    void csvIsQuotedAndTakesTheCopyText()
    {
        QTableView view;
        view.setModel(&m_proxy);
        const ViewTools* tools = setupView(&view, "t1");
        QCOMPARE(const_cast<ViewTools*>(tools)->csv(),
                 QString("Name,Note\nalpha,plain\nbeta,\"with, comma\"\ngamma,\"a \"\"quote\"\"\"\ndelta,2.0471\n"));
    }

    void hiddenColumnsAreExportedAndNotCopied()
    {
        QTableView view;
        view.setModel(&m_proxy);
        ViewTools* tools = setupView(&view, "t6");
        view.horizontalHeader()->hideSection(1);
        QVERIFY(tools->csv().startsWith(QStringLiteral("Name,Note\nalpha,plain\n")));
        view.selectRow(0);
        tools->copyCsv();
        QCOMPARE(QApplication::clipboard()->text(), QString("Name\nalpha\n"));
    }

    void keysCopyTheSelectedRows()
    {
        QTableView view;
        view.setModel(&m_proxy);
        view.setSelectionBehavior(QAbstractItemView::SelectRows);
        setupView(&view, "t2");
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.selectRow(1);
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QString("beta\twith, comma\n"));
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QApplication::clipboard()->text(), QString("Name,Note\nbeta,\"with, comma\"\n"));
    }

    void findWalksAndFilterHides()
    {
        QTableView view;
        view.setModel(&m_proxy);
        ViewTools* tools = setupView(&view, "t3");
        QSignalSpy filtered(tools, &ViewTools::filterChanged);
        view.resize(500, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_F, Qt::ControlModifier);
        auto* edit = view.findChild<QLineEdit*>();
        QVERIFY(edit && edit->isVisible());
        QTRY_VERIFY(edit->hasFocus());
        QTest::keyClicks(edit, "^.(e|l)");
        QCOMPARE(view.currentIndex().data().toString(), QString("alpha"));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(view.currentIndex().data().toString(), QString("beta"));
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(view.currentIndex().data().toString(), QString("alpha"));

        tools->setFilter("comma");
        QCOMPARE(m_proxy.rowCount(), 1);
        QCOMPARE(filtered.last().first().toString(), QString("comma"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isVisible());
        QVERIFY(view.hasFocus());
        QCOMPARE(m_proxy.rowCount(), 1); // a hidden bar hides no filter: its chip stays
        tools->setFilter({});
        QCOMPARE(m_proxy.rowCount(), 4);
        QCOMPARE(filtered.last().first().toString(), QString());
    }

    void aFilterIsAChipThatRemovesIt()
    {
        QTableView view;
        view.setModel(&m_proxy);
        ViewTools* tools = setupView(&view, "t4");
        const std::unique_ptr<FilterChips> chips(tools->makeChips());
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setFocus();
        QVERIFY(chips->isHidden());
        QTest::keyClick(&view, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        auto* edit = view.findChild<QLineEdit*>();
        QTRY_VERIFY(edit->hasFocus());
        QTest::keyClicks(edit, "ALPHA|delta");
        QCOMPARE(m_proxy.rowCount(), 2);
        QCOMPARE(chips->texts(), QStringList("/ALPHA|delta/"));
        QTest::keyClick(chips->findChild<QToolButton*>("chip-pattern"), Qt::Key_Delete);
        QCOMPARE(m_proxy.rowCount(), 4);
        QCOMPARE(chips->count(), 0);
        QVERIFY(chips->isHidden());
    }

    void aCellWithTabsIsSeveralColumnsOfCsvAndHeadingsAreLeftOut()
    {
        QStandardItemModel model;
        model.setHorizontalHeaderLabels({"Task"});
        model.setHeaderData(0, Qt::Horizontal, "Id\tName", CopyRole);
        auto* level = new QStandardItem("Level 1");
        auto* task = new QStandardItem("1 Relu");
        task->setData("1/1\tRelu", CopyRole);
        level->appendRow(task);
        model.appendRow(level);
        QTreeView view;
        view.setModel(&model);
        QCOMPARE(setupView(&view, "t5")->csv(), QString("Id,Name\n1/1,Relu\n"));
    }
};

QTEST_MAIN(TestSetupView)
#include "tst_setupview.moc"
