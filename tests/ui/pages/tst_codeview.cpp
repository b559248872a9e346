// SPDX-License-Identifier: GPL-3.0-or-later
// The code view: read-only, aligned rows with markers, copying without filler, search.
#include "ui/editor/codecolors.h"
#include "ui/editor/codefindbar.h"
#include "ui/editor/codeview.h"
#include "ui/kit/theme.h"

#include <Qsci/qscilexer.h>

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QTest>

using namespace cudal1::ui;

class TestCodeView : public QObject {
    Q_OBJECT
private slots:
    void showsTextAndRefusesTyping()
    {
        CodeView view;
        view.setCode("x = 1\ny = 2\n");
        QTest::keyClicks(&view, "abc");
        QTest::keyClick(&view, Qt::Key_Delete);
        QCOMPARE(view.text(), QStringLiteral("x = 1\ny = 2\n"));
    }

    void rowsCarryMarkersAndWords()
    {
        CodeView view;
        view.setRows({{"def f():", 1, CodeRow::Mark::None, {}},
                      {"    return 1", 2, CodeRow::Mark::Removed, {{11, 1}}},
                      {"", 0, CodeRow::Mark::Filler, {}},
                      {"    # end", 3, CodeRow::Mark::None, {}}});
        QCOMPARE(view.lines(), 4);
        QCOMPARE(int(view.markersAtLine(0)), 0);
        QCOMPARE(int(view.markersAtLine(1)), 1 << RemovedMarker);
        QCOMPARE(int(view.markersAtLine(2)), 1 << FillerMarker);
        const long start = view.SendScintilla(CodeView::SCI_POSITIONFROMLINE, 1);
        QCOMPARE(view.SendScintilla(CodeView::SCI_INDICATORVALUEAT, RemovedWordIndicator, start + 11), 1L);
        QCOMPARE(view.SendScintilla(CodeView::SCI_INDICATORVALUEAT, RemovedWordIndicator, start + 10), 0L);
        const auto margin = [&](int row) {
            QByteArray text(int(view.SendScintilla(CodeView::SCI_MARGINGETTEXT, row)), 0);
            view.SendScintilla(CodeView::SCI_MARGINGETTEXT, row, static_cast<void*>(text.data()));
            return text;
        };
        QCOMPARE(margin(0), QByteArray("1  "));
        QCOMPARE(margin(1), QByteArray("2 -"));
        QCOMPARE(margin(2), QByteArray());
        QVERIFY(view.isFiller(2));
        QVERIFY(!view.isFiller(3));

        // Two texts in one column: a line has its number in each.
        view.setRows({{"same", 9, CodeRow::Mark::None, {}, 8},
                      {"old", 0, CodeRow::Mark::Removed, {}, 9},
                      {"new", 10, CodeRow::Mark::Added, {}, 0}});
        QCOMPARE(margin(0), QByteArray("  8   9  "));
        QCOMPARE(margin(1), QByteArray("  9     -"));
        QCOMPARE(margin(2), QByteArray("     10 +"));
    }

    void copyingLeavesFillerOut()
    {
        CodeView view;
        view.setRows({{"a", 1, CodeRow::Mark::None, {}},
                      {"", 0, CodeRow::Mark::Filler, {}},
                      {"b", 2, CodeRow::Mark::Added, {}}});
        view.selectAll();
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("a\nb"));
        QCOMPARE(view.code(), QStringLiteral("a\nb"));
    }

    void findWalksMatchesAndWraps()
    {
        CodeView view;
        view.resize(500, 300);
        view.setCode("alpha\nbeta\nAlpha\ngamma\n");
        view.show();
        view.find();
        CodeFindBar* bar = view.findBar();
        QVERIFY(!bar->isHidden());
        QTest::keyClicks(bar->findChild<QLineEdit*>(), "alpha");
        QCOMPARE(bar->matchCount(), 2);
        QCOMPARE(bar->current(), 0);
        QTest::keyClick(bar->findChild<QLineEdit*>(), Qt::Key_Return);
        QCOMPARE(bar->current(), 1);
        QTest::keyClick(bar->findChild<QLineEdit*>(), Qt::Key_Return);
        QCOMPARE(bar->current(), 0);
        bar->findChild<QLineEdit*>()->setText(QStringLiteral("Alpha"));
        QCOMPARE(bar->matchCount(), 1);
        QTest::keyClick(bar->findChild<QLineEdit*>(), Qt::Key_Escape);
        QVERIFY(bar->isHidden());
    }

    void findWithoutAMatchStaysWhereItIs()
    {
        CodeView view;
        view.resize(500, 200);
        QString code;
        for (int line = 0; line < 200; ++line)
            code += line == 150 ? QStringLiteral("zebra\n") : QStringLiteral("line %1\n").arg(line);
        view.setCode(code.toStdString());
        view.show();
        view.setFirstVisibleLine(20);
        view.find();
        auto* field = view.findBar()->findChild<QLineEdit*>();
        QTest::keyClicks(field, "zeb");
        QCOMPARE(view.findBar()->matchCount(), 1);
        QVERIFY(view.firstVisibleLine() > 100);
        QTest::keyClicks(field, "u");
        QCOMPARE(view.findBar()->matchCount(), 0);
        QCOMPARE(view.firstVisibleLine(), 20);
        // What was gone to, by Enter or by scrolling, is where it stays.
        field->setText(QStringLiteral("zebra"));
        QTest::keyClick(field, Qt::Key_Return);
        const int at = view.firstVisibleLine();
        QVERIFY(at > 100);
        QTest::keyClicks(field, "x");
        QCOMPARE(view.firstVisibleLine(), at);
        view.setFirstVisibleLine(50);
        QTest::keyClicks(field, "y");
        QCOMPARE(view.firstVisibleLine(), 50);
    }

    void coloursFollowTheTheme()
    {
        CodeView view;
        view.setCode("import torch\n");
        Theme::instance().setMode(Theme::Mode::Dark);
        const QColor dark = view.lexer()->paper(0);
        Theme::instance().setMode(Theme::Mode::Light);
        QCOMPARE(dark, Theme::color(Role::CodeBackground, true));
        QCOMPARE(view.lexer()->paper(0), Theme::color(Role::CodeBackground, false));
        QVERIFY(dark != view.lexer()->paper(0));
    }
};

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    Theme::instance().install(application);
    TestCodeView test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_codeview.moc"
