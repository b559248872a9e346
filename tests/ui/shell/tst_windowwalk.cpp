// SPDX-License-Identifier: GPL-3.0-or-later
// A walk over all pages: the focus is seen at every stop, and everything has its place in a small window and with every
// size of text.
#include "tests/ui/shell/windowtest.h"
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QSet>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>

using namespace cudal1;

namespace {

constexpr const char* pageNames[] = {"welcome",  "overview", "task",       "compare",  "timeline",
                                     "ablation", "samples",  "experiment", "training", "report"};

QString described(const QWidget* widget)
{
    QStringList path;
    for (; widget && path.size() < 4; widget = widget->parentWidget())
        path.prepend(QString::fromLatin1(widget->metaObject()->className()) +
                     (widget->objectName().isEmpty() ? QString() : QLatin1Char('#') + widget->objectName()));
    return path.join(QStringLiteral(" > "));
}

/// Of a widget's place in the window, with a little around it.
QRect placeOf(const QWidget& window, const QWidget& widget)
{
    return QRect(widget.mapTo(&window, QPoint()), widget.size()).adjusted(-3, -3, 3, 3).intersected(window.rect());
}

int differing(const QImage& a, const QImage& b)
{
    int count = 0;
    for (int y = 0; y < std::min(a.height(), b.height()); ++y)
        for (int x = 0; x < std::min(a.width(), b.width()); ++x)
            count += a.pixel(x, y) != b.pixel(x, y);
    return count;
}

/// What has too little room for six letters of its text, or leaves the window.
QStringList squeezed(const QWidget& window)
{
    QStringList out;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &window || widget->visibleRegion().isEmpty())
            continue;
        QString text;
        const auto* tool = qobject_cast<const QToolButton*>(widget);
        if (tool && (tool->toolButtonStyle() == Qt::ToolButtonIconOnly || tool->parentWidget()->inherits("QLineEdit")))
            continue; // its text is for the palette
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
            text = button->text();
        else if (const auto* label = qobject_cast<const QLabel*>(widget))
            text = label->textFormat() == Qt::PlainText || !Qt::mightBeRichText(label->text()) ? label->text()
                                                                                               : QString();
        else if (const auto* box = qobject_cast<const QComboBox*>(widget))
            text = box->currentText();
        const QString beginning = text.section(u'\n', 0, 0).remove(u'&').simplified().left(6);
        if (!beginning.isEmpty() && widget->width() < widget->fontMetrics().horizontalAdvance(beginning))
            out << QStringLiteral("%1 has %2 pixels for “%3”").arg(described(widget)).arg(widget->width()).arg(text);
    }
    return out;
}

} // namespace

class TestWindowWalk : public WindowTest {
    Q_OBJECT

    void addPages(const std::vector<const char*>& ways)
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("way");
        for (const char* way : ways)
            for (const char* page : pageNames)
                QTest::addRow("%s %s", page, way) << QString::fromLatin1(page) << QString::fromLatin1(way);
    }

    /// A project without results opens with the page of welcome, any other with the overview.
    void openWindow(bool results, QSize size)
    {
        {
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            if (results)
                samples::addVariant(**project, "USE_GRAPH = True\nclass ModelNew: pass\n", 2);
        }
        makeWindow(size);
        openProject();
        m_read.clear();
    }

    void showPage(const QString& page)
    {
        if (page != QLatin1String("welcome"))
            m_window->selection().select({"1/1"}, {}, {}, page);
        QTRY_COMPARE(m_window->findChild<QStackedWidget*>()->currentWidget()->objectName(), page);
        QTRY_VERIFY(!m_window->project().isLoading());
        if (m_read.contains(page))
            return;
        m_read.insert(page);
        QTest::qWait(200); // what is read on a worker
    }

    void showPage(const QString& page, QSize size)
    {
        openWindow(page != QLatin1String("welcome"), size);
        showPage(page);
    }

    QSet<QString> m_read; // pages of the window that have been shown

private slots:
    void initTestCase()
    {
        WindowTest::initTestCase();
        QApplication::setCursorFlashTime(0); // a caret that blinks would be a difference
    }

    void theFocusIsSeenAtEveryStop_data() { addPages({"light", "dark"}); }

    void theFocusIsSeenAtEveryStop()
    {
        QFETCH(QString, page);
        QFETCH(QString, way);
        ui::Theme::instance().setMode(way == QLatin1String("dark") ? ui::Theme::Mode::Dark : ui::Theme::Mode::Light);
        showPage(page, {1440, 900});
        QWidget* const window = m_window.get();
        window->setFocus();
        QTest::keyClick(window, Qt::Key_Tab);
        QWidget* const first = QApplication::focusWidget();
        QVERIFY(first);
        QStringList unseen;
        QWidget* now = first;
        int steps = 0;
        for (; steps < 150; ++steps) {
            QVERIFY(now->isVisible() && now->isEnabled());
            const QRect place = placeOf(*window, *now);
            QApplication::processEvents();
            const QImage with = window->grab(place).toImage();
            now->clearFocus();
            QApplication::processEvents();
            const QImage without = window->grab(place).toImage();
            if (differing(with, without) < 8)
                unseen << described(now);
            now->setFocus(Qt::TabFocusReason);
            QTest::keyClick(now, Qt::Key_Tab);
            QWidget* const next = QApplication::focusWidget();
            QVERIFY2(next && next != now, qPrintable(described(now) + " keeps the focus"));
            now = next;
            if (now == first)
                break;
        }
        QVERIFY2(steps > 8 && now == first, qPrintable(QString::number(steps)));
        QVERIFY2(unseen.isEmpty(), qPrintable(QStringLiteral("no difference:\n") + unseen.join(u'\n')));
    }

    void everythingHasItsPlaceInASmallWindow_data() { addPages({"small"}); }

    void everythingHasItsPlaceInASmallWindow()
    {
        QFETCH(QString, page);
        showPage(page, {1024, 700});
        QCOMPARE(m_window->size(), QSize(1024, 700));
        const auto* stack = m_window->findChild<QStackedWidget*>();
        QVERIFY2(stack->geometry().right() <= m_window->width() && stack->currentWidget()->width() <= stack->width(),
                 "the page is wider than its place");
        const QStringList found = squeezed(*m_window);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
        for (const QTabBar* bar : m_window->findChildren<QTabBar*>())
            if (bar->isVisible())
                QVERIFY2(bar->tabRect(bar->count() - 1).right() <= bar->width(), qPrintable(described(bar)));
        // The widest page holds all of them: none may be wider than beside the docks of a small window.
        const QWidget* shown = stack->currentWidget();
        QVERIFY2(shown->minimumSizeHint().width() <= 820,
                 qPrintable(QString::number(shown->minimumSizeHint().width())));
    }

    /// One window for all pages with results: what takes the time is to style it anew.
    void everySizeOfTextHasItsPlace_data()
    {
        QTest::addColumn<bool>("results");
        QTest::addRow("welcome") << false;
        QTest::addRow("the others") << true;
    }

    void everySizeOfTextHasItsPlace()
    {
        QFETCH(bool, results);
        openWindow(results, {1440, 900});
        QStringList found;
        int shown = 0;
        for (const double points : {9., 12., 15., 18.}) {
            ui::Settings::instance().set("textSize", points); // acts on a window that is open
            QApplication::processEvents();
            QCOMPARE(QApplication::font().pointSizeF(), points);
            for (const char* page : pageNames) {
                if ((qstrcmp(page, "welcome") == 0) == results)
                    continue;
                showPage(QString::fromLatin1(page));
                ++shown;
                QTRY_VERIFY(find<QToolButton>("stopButton")->isVisible()); // it has not fallen off the tool bar's end
                for (const QString& one : squeezed(*m_window))
                    found << QStringLiteral("%1, %2 points: %3").arg(QLatin1String(page)).arg(points).arg(one);
                if (m_window->size() != QSize(1440, 900))
                    found << QStringLiteral("%1, %2 points: the window has been pushed wider or higher")
                                 .arg(QLatin1String(page))
                                 .arg(points);
            }
        }
        QCOMPARE(shown, results ? 4 * 9 : 4);
        m_window.reset();
        ui::Settings::instance().set("textSize", 10.0);
        ui::Theme::instance().setPoints(10);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(u'\n')));
    }
};

QTEST_MAIN(TestWindowWalk)
#include "tst_windowwalk.moc"
