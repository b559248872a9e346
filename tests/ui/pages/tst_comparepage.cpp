// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page on the sample project: differences by keys, evidence beside the code, the strip of variants, linked
// scrolling.
#include "pagetest.h"
#include "ui/compare/comparebar.h"
#include "ui/compare/comparepage.h"
#include "ui/compare/diffview.h"
#include "ui/compare/drafteditor.h"
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
#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

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

    void oneColumnHasBothTextsBelowEachOther()
    {
        DiffView view;
        view.resize(800, 400);
        view.show();
        view.setTexts("same\nx = 1\nlast\n", "same\nx = 2\nlast\n");
        QVERIFY(view.right()->isVisible());
        view.setInline(true);
        QVERIFY(!view.right()->isVisible());
        QCOMPARE(view.left()->text().split(u'\n').mid(0, 4), (QStringList{"same", "x = 1", "x = 2", "last"}));
        QVERIFY(view.left()->markersAtLine(1) & (1u << RemovedMarker));
        QVERIFY(view.left()->markersAtLine(2) & (1u << AddedMarker));
        QCOMPARE(view.differenceCount(), 1);
        view.nextDifference();
        QVERIFY(view.left()->markersAtLine(2) & (1u << CurrentSign));
        view.setUnrelated("a\n", "b\n"); // which have no common column
        QVERIFY(view.right()->isVisible());
        view.setTexts("a\n", "b\n");
        QVERIFY(!view.right()->isVisible());
        view.setInline(false);
        QVERIFY(view.right()->isVisible());
        QCOMPARE(view.left()->lines(), 1);
    }

    void aNarrowPageHasOneColumnUntilTheUserSaysOtherwise()
    {
        QWidget page;
        auto* view = new DiffView;
        CompareBar bar(page, *view);
        auto* layout = new QVBoxLayout(&page);
        layout->addWidget(view);
        page.resize(1400, 400);
        page.show();
        view->setTexts("same\nx = 1\n", "same\nx = 2\n");
        auto* column = page.findChild<QAction*>(QStringLiteral("oneColumn"));
        QVERIFY(column && !column->isChecked() && view->right()->isVisible());
        page.resize(600, 400);
        QVERIFY(QTest::qWaitFor([&] { return view->isNarrow(); }));
        QVERIFY(column->isChecked() && !view->right()->isVisible());
        page.resize(1400, 400);
        QVERIFY(QTest::qWaitFor([&] { return !view->isNarrow(); }));
        QVERIFY(!column->isChecked() && view->right()->isVisible());
        page.resize(600, 400);
        QVERIFY(QTest::qWaitFor([&] { return view->isNarrow(); }));
        column->setChecked(false); // which is the user's choice
        QVERIFY(view->right()->isVisible());
        page.resize(1400, 400);
        page.resize(600, 400);
        QVERIFY(QTest::qWaitFor([&] { return view->isNarrow(); }));
        QVERIFY(!column->isChecked() && view->right()->isVisible());
    }

    void wrappedRowsStayBesideEachOther()
    {
        DiffView view;
        view.resize(500, 300);
        view.show();
        const std::string words = "value = first + second + third + fourth + fifth + sixth + seventh + eighth\n";
        view.setTexts("a = 1\n" + words + "b = 2\n" + words + "end\n", "a = 1\nshort = 1\nb = 2\nc = 3\nend\n");
        const auto placeOf = [](CodeView* one, const QString& text) {
            for (int row = 0; row < one->lines(); ++row)
                if (one->text(row).trimmed() == text)
                    return int(one->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, row));
            return -1;
        };
        const int before = placeOf(view.left(), "end");
        view.setWrapped(true);
        QTRY_VERIFY(placeOf(view.left(), "end") > before); // it takes more lines now
        QTRY_COMPARE(placeOf(view.right(), "end"), placeOf(view.left(), "end"));
        QCOMPARE(placeOf(view.right(), "b = 2"), placeOf(view.left(), "b = 2"));
        const int narrow = placeOf(view.left(), "end");
        view.resize(1800, 300);
        QTRY_VERIFY(placeOf(view.left(), "end") < narrow);
        QTRY_COMPARE(placeOf(view.right(), "end"), placeOf(view.left(), "end"));
        view.setWrapped(false);
        QTRY_COMPARE(placeOf(view.left(), "end"), before);
        QTRY_COMPARE(placeOf(view.right(), "end"), before);
    }

    void whiteSpaceIsIgnoredOrShown()
    {
        DiffView view;
        view.setTexts("a = 1\nb = 2\n", "a  =  1\nb = 3\n");
        QCOMPARE(view.diff().changed, 2);
        view.setSpaceIgnored(true);
        QCOMPARE(view.diff().changed, 1);
        QVERIFY(!(view.right()->markersAtLine(0) & (1u << AddedMarker)));
        view.setSpaceIgnored(false);
        QCOMPARE(view.diff().changed, 2);
        view.setSpaceShown(true);
        QCOMPARE(view.left()->whitespaceVisibility(), QsciScintilla::WsVisible);
    }

    void roomIsForTheCode()
    {
        ComparePage page(m_project, m_selection);
        page.resize(1440, 700);
        page.show();
        m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("compare"));
        QTRY_VERIFY(page.side()->isVisible());
        page.setRoomy(true);
        QVERIFY(!page.side()->isVisible());
        for (CodeView* view : {page.diffView()->left(), page.diffView()->right()}) {
            // What the margins, and the scroll bar of the right side, leave.
            QTRY_VERIFY(view->viewport()->width() > 600);
            int margins = 6;
            for (int margin = 0; margin < 3; ++margin)
                margins += view->marginWidth(margin);
            const int columns = (view->viewport()->width() - margins) / view->widthOf(1);
            QVERIFY2(columns >= 80, qPrintable(QString::number(columns)));
        }
        page.setRoomy(false);
        QVERIFY(page.side()->isVisible());
    }

    void manyVariantsAreFilteredAndListed()
    {
        ComparePage page(m_project, m_selection);
        page.resize(1400, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("compare"));
        StripModel* model = page.strip()->stripModel();
        QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model->rowCount(), 4); // the reference and three variants
        page.strip()->setFocus();
        QTest::keyClick(page.strip(), Qt::Key_Slash);
        auto* filter = page.findChild<QLineEdit*>("variantFilter");
        QTRY_VERIFY(filter->hasFocus());
        QTest::keyClicks(filter, "incorrect");
        QCOMPARE(model->rowCount(), 2); // the reference always stays
        QCOMPARE(model->variant(1)->id.value, m_sample.incorrect.value);
        QCOMPARE(page.findChild<QLabel*>("variantCount")->text(), QStringLiteral("1 of 3"));
        QTest::keyClick(filter, Qt::Key_Return);
        QVERIFY(m_selection.right() == m_sample.incorrect);
        filter->clear();
        QCOMPARE(model->rowCount(), 4);

        const QRect card = page.strip()->visualRect(model->index(1));
        page.findChild<QAction*>("variantList")->trigger();
        QTRY_VERIFY(page.strip()->visualRect(model->index(1)).height() < card.height());
        QTRY_COMPARE(page.strip()->visualRect(model->index(2)).left(),
                     page.strip()->visualRect(model->index(1)).left());
        const QRect line = page.strip()->visualRect(model->index(model->rowOf(m_sample.best)));
        QTest::mouseClick(page.strip()->viewport(), Qt::LeftButton, {}, line.center());
        QVERIFY(m_selection.right() == m_sample.best);
        page.findChild<QAction*>("variantList")->trigger();
    }

    void changesAreMarkedWhileTheyAreWritten()
    {
        DraftEditor draft;
        draft.resize(900, 400);
        draft.show();
        draft.edit({m_sample.file, m_sample.best, "import torch\nx = 1\ny = 2\n"});
        CodeView* editor = draft.editor();
        const auto marks = [editor](int row) { return editor->markersAtLine(row); };
        QVERIFY(!(marks(1) & (1u << AddedMarker)));
        editor->setCursorPosition(1, 5);
        editor->insertAt(QStringLiteral("00\nnew = 3"), 1, 5);
        QTRY_VERIFY(marks(1) & (1u << AddedMarker));
        QVERIFY(marks(1) & (1u << AddedSign));
        QVERIFY(marks(2) & (1u << AddedMarker));
        QVERIFY(!(marks(3) & (1u << AddedMarker)));
        // The old side leaves room for the new line.
        CodeView* original = nullptr;
        for (CodeView* one : draft.findChildren<CodeView*>())
            if (one != editor)
                original = one;
        QVERIFY(original->markersAtLine(1) & (1u << RemovedMarker));
        QTRY_COMPARE(int(original->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, 2)), 3);
        draft.discard();
        QTRY_VERIFY(!(marks(1) & (1u << AddedMarker)));
        QTRY_COMPARE(int(original->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, 2)), 2);
        draft.forget();
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
