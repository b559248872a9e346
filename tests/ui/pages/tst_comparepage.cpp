// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page on the sample project: differences by keys, evidence beside the code, the strip of variants, linked
// scrolling.
#include "pagetest.h"
#include "ui/compare/comparepage.h"
#include "ui/compare/diffview.h"
#include "ui/compare/sidepanel.h"
#include "ui/compare/stripmodel.h"
#include "ui/compare/varianthtml.h"
#include "ui/compare/variantstrip.h"
#include "ui/editor/codecolors.h"
#include "ui/editor/codeview.h"
#include "ui/variants/infoview.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QAbstractItemModelTester>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;

class TestComparePage : public PageTest {
    Q_OBJECT
private slots:
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

        const base::TextDifference first = diff->diff().differences.front();
        QVERIFY(diff->right()->markersAtLine(first.firstRow) & (1u << CurrentSign));
        for (int row = 0; row < int(diff->diff().rows.size()); ++row) {
            const base::RowKind kind = diff->diff().rows[row].kind;
            QCOMPARE(bool(diff->left()->markersAtLine(row) & (1u << FillerMarker)), kind == base::RowKind::OnlyB);
            QCOMPARE(bool(diff->right()->markersAtLine(row) & (1u << AddedMarker)),
                     kind == base::RowKind::OnlyB || kind == base::RowKind::Changed);
        }
    }

    void evidenceNamesWhatStandsBehindAGain()
    {
        protocol::Evaluation evaluation;
        evaluation.verdict = protocol::Verdict::Correct;
        evaluation.speedup.wall = {{2, 1.9, 2.1}, 2000, 1000};
        QVERIFY(evidenceHtml(evaluation).contains(QStringLiteral("<span class='big gain'>2.00×</span>")));
        evaluation.labels.push_back({"degenerate_task", "tells little", ""});
        const QString questioned = evidenceHtml(evaluation);
        QVERIFY2(questioned.contains(QStringLiteral("<span class='big warn'>2.00×</span>")), qPrintable(questioned));
        QVERIFY(questioned.contains(QStringLiteral(" · <span class=warn>questioned</span>")));
        QVERIFY(!questioned.contains(QStringLiteral("<span class=gain>2.00×")));
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
        QVERIFY(!page.analysis()->toPlainText().contains(
            QStringLiteral("19.8×"))); // not under another's name, not for a moment
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
        QVERIFY2(page.analysis()->toPlainText().contains(QStringLiteral("19.4×")),
                 qPrintable(page.analysis()->toPlainText()));
        m_selection.compare(m_sample.incorrect, m_sample.best);
        QTRY_VERIFY(page.analysis()->toPlainText().contains(QStringLiteral("not correct")));
    }

    void compareHasRoomForTextAndCode()
    {
        for (const auto& [window, least, most] :
             {std::tuple(1170, 360, 400), std::tuple(930, 280, 320), std::tuple(1900, 400, 480)}) {
            ComparePage page(m_project, m_selection);
            page.resize(window, 700);
            page.show();
            m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("compare"));
            QTRY_VERIFY(page.side()->isVisible());
            QVERIFY2(page.side()->width() >= least && page.side()->width() <= most,
                     qPrintable(QStringLiteral("%1 of %2").arg(page.side()->width()).arg(window)));
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
};

QTEST_MAIN(TestComparePage)
#include "tst_comparepage.moc"
