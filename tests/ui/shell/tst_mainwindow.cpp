// SPDX-License-Identifier: GPL-3.0-or-later
// The window with nothing, with a damaged project, small, by keyboard, and its layout put back.
#include "tests/ui/shell/windowtest.h"

#include "core/learning/trainingstart.h"
#include "tests/ui/jobs.h"
#include "ui/kit/page.h"
#include "ui/kit/settings.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"
#include "ui/shell/commandpalette.h"
#include "ui/shell/helpdialog.h"
#include "ui/shell/helptexts.h"
#include "ui/shell/settingsdialog.h"
#include "ui/shell/statusline.h"
#include "ui/shell/welcomepage.h"
#include "ui/work/choicemenu.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/projectmodel.h"
#include "ui/work/runchoice.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <QWidgetAction>

using namespace cudal1;

class TestMainWindow : public WindowTest {
    Q_OBJECT
    QString shownPage() const
    {
        return m_window->findChild<QStackedWidget*>(QString(), Qt::FindChildrenRecursively)
            ->currentWidget()
            ->objectName();
    }
    ui::MessageBar& messages() const { return *m_window->findChild<ui::MessageBar*>(); }

private slots:
    void init()
    {
        WindowTest::init();
        makeWindow();
    }

    void opensWithNothing()
    {
        QVERIFY(!m_window->project().isOpen());
        QVERIFY(!m_window->findChild<QAction*>("optimize")->isEnabled());
        openProject();
        QTRY_COMPARE(shownPage(), QString("welcome"));
        QTest::mouseClick(m_window->findChild<QAbstractButton*>("welcomePrimary"), Qt::LeftButton);
        QCOMPARE(shownPage(), QString("task"));
        QCOMPARE(m_window->selection().task().value, std::string("1/1"));
        QVERIFY(m_window->findChild<QAction*>("optimize")->isEnabled());
    }

    void aProjectOfBaselinesOpensWithThem()
    {
        {
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            samples::addVariant(**project, "# compiled\n", 1.4, "compile");
        }
        openProject();
        QTRY_COMPARE(shownPage(), QString("overview"));
        QTRY_VERIFY(m_window->findChild<QTableView*>("baselines")->isVisible());
        QCOMPARE(m_window->findChild<QTableView*>("baselines")->model()->rowCount(), 1);
        auto* button = m_window->findChild<QAbstractButton*>("baselinesOptimize");
        QCOMPARE(button->text(), QString("Optimize 1/1"));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(m_window->jobs().jobOf({"1/1"}));
    }

    void theSampleProjectIsCopiedAndOpened()
    {
        openProject();
        QTRY_COMPARE(shownPage(), QString("welcome"));
        const QString recording = path("recording");
        QVERIFY(QDir().mkpath(recording));
        QVERIFY(store::Project::open((recording + "/sample.cudal1").toStdString()).ok());
        qputenv("CUDAL1_SAMPLE", recording.toUtf8());
        QSignalSpy opened(&m_window->project(), &ui::ProjectModel::opened);
        auto* button = m_window->findChild<QAbstractButton*>("welcomeSample");
        QVERIFY(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(opened.wait(deadline_ms));
        QVERIFY2(m_window->project().path().contains("sample-"), qPrintable(m_window->project().path()));
        qputenv("CUDAL1_SAMPLE", "/no/such/file");
        m_window->findChild<QAction*>("openSample")->trigger();
        QVERIFY(messages().isVisible());
        QVERIFY(messages().text().contains("CUDAL1_SAMPLE"));
        qunsetenv("CUDAL1_SAMPLE");
    }

    void aDamagedProjectIsToldAndLeftAlone()
    {
        const QString file = path("p.cudal1");
        const QByteArray damaged = "not a database at all, but long enough to be looked at by somebody";
        samples::write(file, damaged);
        QSignalSpy failed(&m_window->project(), &ui::ProjectModel::failed);
        m_window->openProject(file, samples::suite(path("suite")));
        QVERIFY(failed.wait(deadline_ms));
        QVERIFY(messages().isVisible());
        QVERIFY(!messages().text().isEmpty());
        QStringList buttons;
        for (const auto* button : messages().findChildren<QAbstractButton*>())
            buttons << button->text();
        QVERIFY2(buttons.contains("Open another…"), qPrintable(buttons.join('|')));
        QCOMPARE(shownPage(), QString("welcome"));
        QFile kept(file);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), damaged);
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QVERIFY(!messages().isVisible());
    }

    void theStatusLineSaysWhatHasTheDevice()
    {
        ui::JobsModel jobs;
        ui::ProjectModel project;
        ui::StatusLine line(jobs, project);
        line.show();
        const auto* device = line.findChild<QLabel*>("deviceState");
        QVERIFY(!device->isVisible());
        const ui::Job job = tests::optimizing("3/41", "cuda:1");
        const quint64 first = jobs.add(job);
        jobs.setState(first, ui::Job::State::Running);
        QVERIFY(device->isVisible());
        QCOMPARE(device->text(), QStringLiteral("cuda:1 busy"));
        QVERIFY(device->toolTip().contains("Optimize of 3/41"));
        const quint64 second = jobs.add(job);
        QCOMPARE(device->text(), QStringLiteral("cuda:1 busy, 1 waiting"));
        jobs.setState(first, ui::Job::State::Finished);
        jobs.setState(second, ui::Job::State::Running);
        QCOMPARE(device->text(), QStringLiteral("cuda:1 busy"));
        jobs.setState(second, ui::Job::State::Stopped);
        QVERIFY(!device->isVisible());
    }

    void aTipDoesNotHideWhatRuns()
    {
        ui::JobsModel jobs;
        ui::ProjectModel project;
        ui::StatusLine line(jobs, project);
        line.show();
        const auto* text = line.findChild<QWidget*>("statusJob");
        line.showMessage("what a button does");
        QVERIFY(!text->isVisible());
        const quint64 job = jobs.add(tests::optimizing("3/41", "cuda:1"));
        jobs.setState(job, ui::Job::State::Running);
        QVERIFY(text->isVisible());
        line.showMessage("what another button does");
        QVERIFY(text->isVisible() && line.currentMessage().isEmpty());
        jobs.setState(job, ui::Job::State::Stopped);
        QVERIFY(text->isVisible());
    }

    void thePaletteSaysThatNothingFits()
    {
        openProject();
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        auto* palette = m_window->findChild<ui::CommandPalette*>();
        auto* edit = palette->findChild<QLineEdit*>();
        const auto* nothing = palette->findChild<QLabel*>();
        QVERIFY(!nothing->isVisible());
        QTest::keyClicks(edit, "zzqq");
        QVERIFY(nothing->isVisible());
        edit->clear();
        QVERIFY(!nothing->isVisible());
        QTest::keyClick(edit, Qt::Key_Escape);
    }

    void thePaletteRunsAnAction()
    {
        openProject();
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        auto* palette = m_window->findChild<ui::CommandPalette*>();
        QVERIFY(palette->isVisible());
        auto* edit = palette->findChild<QLineEdit*>();
        QTest::keyClicks(edit, "compare");
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QCOMPARE(shownPage(), QString("compare"));
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier);
        QTest::keyClicks(edit, "chain");
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(m_window->selection().task().value, std::string("2/1"));
    }

    void scoresPreferStartsOfWords()
    {
        QVERIFY(ui::paletteScore("Reset Layout", "rl") > ui::paletteScore("Curl", "rl"));
        QVERIFY(ui::paletteScore("Optimize", "xyz") < 0);
        QVERIFY(ui::paletteScore("Find", "find") > ui::paletteScore("Find a Task", "find"));
    }

    void keysShowPagesAndBackReturns()
    {
        openProject();
        QTest::keyClick(m_window.get(), Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(shownPage(), QString("task"));
        QTest::keyClick(m_window.get(), Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(shownPage(), QString("compare"));
        m_window->selection().goBack();
        QCOMPARE(shownPage(), QString("task"));
        auto* tabs = m_window->findChild<QTabBar*>("pageTabs");
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
        QCOMPARE(shownPage(), QString("overview"));
    }

    void theEditMenuActsOnTheTableWithTheFocus()
    {
        {
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            samples::addVariant(**project, "a", 2.0);
        }
        openProject();
        m_window->selection().select({"1/1"}, {}, {}, "task");
        auto* table = m_window->findChild<QTableView*>("variants");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        auto* tree = m_window->findChild<QTreeView*>("tasks");
        const auto action = [this](const QString& name) {
            for (QAction* each : m_window->findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly))
                if (each->text().section('\t', 0, 0) == name)
                    return each;
            return static_cast<QAction*>(nullptr);
        };
        tree->setFocus();
        QVERIFY(action("Copy as CSV"));
        action("Copy as CSV")->trigger();
        QVERIFY2(
            QApplication::clipboard()->text().startsWith("Id,Name,State,Best,Split\n1/1,Relu,improved,2.00×,train\n"),
            qPrintable(QApplication::clipboard()->text()));
        table->setFocus();
        action("Copy as CSV")->trigger();
        QVERIFY2(QApplication::clipboard()->text().startsWith("Id,Verdict,"),
                 qPrintable(QApplication::clipboard()->text()));
        // By the keys that the menu shows, in the real window where another action has the same key.
        QTest::keyClick(table, Qt::Key_F, Qt::ControlModifier);
        auto* field = table->findChild<QLineEdit*>();
        QTRY_VERIFY(field->hasFocus());
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(table->hasFocus());
        QTest::keyClick(tree, Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(tree->findChild<QLineEdit*>()->hasFocus());
        QTest::keyClicks(tree->findChild<QLineEdit*>(), "improved");
        action("Filter Rows…")->trigger();
        QCOMPARE(tree->model()->rowCount(), 1);
        QCOMPARE(tree->model()->rowCount(tree->model()->index(0, 0)), 1);
    }

    /// What was closed before a filter is closed again after it; while it holds, all that is left shows.
    void aFilterLeavesClosedLevelsClosed()
    {
        openProject();
        auto* tree = m_window->findChild<QTreeView*>("tasks");
        QTRY_VERIFY(tree->model()->rowCount() > 0);
        const auto level = [tree] { return tree->model()->index(0, 0); };
        tree->setFocus();
        tree->setCurrentIndex(level());
        QTest::keyClick(tree, Qt::Key_Left);
        QVERIFY(!tree->isExpanded(level()));
        auto* heldOut = m_window->findChild<QToolButton*>("heldOut");
        auto* search = m_window->findChild<QWidget*>("taskBrowser")->findChild<QLineEdit*>();
        QCOMPARE(search->accessibleName(), QString("Search tasks"));
        QTest::keyClicks(search, "e");
        QVERIFY(tree->isExpanded(level()));
        QTest::keyClicks(search, "l");
        search->clear();
        QVERIFY(!tree->isExpanded(level()));
        QTest::mouseClick(heldOut, Qt::LeftButton);
        QTest::mouseClick(heldOut, Qt::LeftButton);
        QVERIFY(!tree->isExpanded(level()));
    }

    void theChosenTaskIsInViewWhenAFilterGoes()
    {
        openProject("1/90", "task", QStringLiteral(CUDAL1_SOURCE_DIR "/kernelbench"));
        auto* tree = m_window->findChild<QTreeView*>("tasks");
        const auto inView = [tree] {
            const QRect row = tree->visualRect(tree->currentIndex());
            return row.isValid() && tree->viewport()->rect().intersects(row);
        };
        QTRY_VERIFY(inView());
        auto* search = m_window->findChild<QWidget*>("taskBrowser")->findChild<QLineEdit*>();
        search->setText("cum");
        QVERIFY(inView());
        search->clear();
        QTRY_VERIFY(tree->model()->rowCount(tree->model()->index(0, 0)) == 100);
        QVERIFY(inView());
    }

    /// Tab goes through all that can be reached on each page and comes back: nothing holds the focus for good.
    void tabWalksEveryPage()
    {
        {
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            samples::addVariant(**project, "a", 2.0);
        }
        openProject();
        const std::pair<const char*, QStringList> pages[] = {
            {"overview", {"ranked", "percentiles"}},
            {"task", {"variants", "optimize", "runChoice", "evaluateFile"}},
            {"compare", {"variantStrip"}}};
        for (const auto& [page, wanted] : pages) {
            m_window->selection().select({"1/1"}, {}, {}, page);
            QTRY_VERIFY(!m_window->project().isLoading());
            auto* first = m_window->findChild<QTreeView*>("tasks");
            first->setFocus();
            QSet<QString> seen;
            QWidget* now = first;
            int steps = 0;
            for (; steps < 100; ++steps) {
                QTest::keyClick(now, Qt::Key_Tab);
                QWidget* next = QApplication::focusWidget();
                QVERIFY2(next && next != now,
                         qPrintable(QStringLiteral("%1: %2 %3 keeps the focus")
                                        .arg(page, now->metaObject()->className(), now->objectName())));
                now = next;
                seen.insert(now->objectName());
                if (now == first)
                    break;
            }
            QVERIFY2(now == first, page);
            for (const QString& name : wanted)
                QVERIFY2(seen.contains(name), qPrintable(QStringLiteral("%1: %2 is not reached").arg(page, name)));
        }
    }

    void everyActionSaysWhatItDoesAndItsShortcut()
    {
        int seen = 0;
        for (const QAction* action : m_window->findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (action->isSeparator() || action->menu())
                continue;
            ++seen;
            QVERIFY2(action->toolTip().size() > 3, qPrintable(action->text()));
            if (!action->shortcut().isEmpty())
                QVERIFY2(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)),
                         qPrintable(action->text()));
        }
        QVERIFY(seen > 20);
        for (const auto* button : m_window->findChildren<QToolButton*>())
            if (button->isVisible() &&
                !qobject_cast<QLineEdit*>(button->parent())) // a mark inside a field is the field's
                QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty() ||
                             !button->toolTip().isEmpty(),
                         qPrintable(button->objectName() + ' ' + button->parent()->objectName()));
    }

    void nothingOverflowsASmallWindow()
    {
        openProject();
        m_window->resize(1024, 640);
        for (const char* page : {"overview", "task", "compare"}) {
            m_window->selection().select({"1/1"}, {}, {}, page);
            QApplication::processEvents();
            QCOMPARE(m_window->size(), QSize(1024, 640));
            const auto* stack = m_window->findChild<QStackedWidget*>();
            QVERIFY2(stack->currentWidget()->minimumSizeHint().width() <= stack->width(), page);
            QVERIFY2(stack->currentWidget()->minimumSizeHint().height() <= stack->height(), page);
            const QRect inside = m_window->rect();
            for (const char* name : {"optimizeButton", "stopButton", "taskChooser"}) {
                const auto* button = m_window->findChild<QToolButton*>(name);
                QVERIFY2(button->isVisible() &&
                             inside.contains(QRect(button->mapTo(m_window.get(), QPoint()), button->size())),
                         name);
            }
        }
    }

    void choosersOfARunAreNamedInASmallWindow()
    {
        openProject();
        m_window->resize(1024, 700);
        QApplication::processEvents();
        for (const auto& [name, label] :
             {std::pair{"deviceChooser", "Device: "}, {"precisionChooser", "Precision: "}}) {
            const auto* button = m_window->findChild<QToolButton*>(name);
            QVERIFY2(button->text().contains(QLatin1String(label)), qPrintable(button->text()));
            QVERIFY2(button->isVisible() && button->width() >= button->sizeHint().width(), name);
        }
    }

    void tabsGoWithoutIconsWhereTheyDoNotFit()
    {
        makeWindow({1440, 900});
        openProject();
        auto* tabs = find<QTabBar>("pageTabs");
        const auto drawn = [tabs] {
            int icons = 0;
            for (int tab = 0; tab < tabs->count(); ++tab)
                icons += !tabs->tabIcon(tab).isNull();
            return icons;
        };
        QTRY_COMPARE(drawn(), tabs->count());
        m_window->resize(1024, 700);
        QTRY_COMPARE(drawn(), 0);
        QVERIFY(tabs->tabRect(tabs->count() - 1).right() <= tabs->width()); // and the last one is seen whole
        m_window->resize(1440, 900);
        QTRY_COMPARE(drawn(), tabs->count());
    }

    void layoutIsKeptAndCanBeReset()
    {
        auto* dock = m_window->findChild<QDockWidget*>("jobsDock");
        QVERIFY(dock->isVisible());
        dock->hide();
        m_window->close();
        m_window.reset();
        makeWindow();
        dock = m_window->findChild<QDockWidget*>("jobsDock");
        QVERIFY(!dock->isVisible());
        m_window->findChild<QAction*>("resetLayout")->trigger();
        m_window->resize(1320, 800); // it fits the screen, on which docks may be folded
        QVERIFY(dock->isVisible());
        m_window->close();
        m_window.reset();
        makeWindow();
        QVERIFY(m_window->findChild<QDockWidget*>("jobsDock")->isVisible());
    }

    void aPageHasTheWholeWindowAndRemembersIt()
    {
        openProject("1/1", "compare");
        auto* tasks = m_window->findChild<QDockWidget*>("tasksDock");
        auto* room = find<QAction>("pageRoom");
        QVERIFY(tasks->isVisible() && room->isEnabled());
        QTest::keyClick(m_window.get(), Qt::Key_F9);
        QTRY_VERIFY(!tasks->isVisible());
        QVERIFY(room->isChecked());
        QTest::keyClick(m_window.get(), Qt::Key_2, Qt::ControlModifier); // another page is as it was
        QTRY_VERIFY(tasks->isVisible());
        QVERIFY(!room->isChecked());
        QTest::keyClick(m_window.get(), Qt::Key_3, Qt::ControlModifier);
        QTRY_VERIFY(!tasks->isVisible());
        m_window->close();
        m_window.reset();
        makeWindow();
        QVERIFY(m_window->findChild<QDockWidget*>("tasksDock")->isVisible());
        openProject("1/1", "compare");
        QTRY_VERIFY(!m_window->findChild<QDockWidget*>("tasksDock")->isVisible());
        find<QAction>("resetLayout")->trigger();
        m_window->resize(1320, 800);
        QTRY_VERIFY(m_window->findChild<QDockWidget*>("tasksDock")->isVisible());
    }

    void docksFitTheWindow()
    {
        // Names of tasks have room where the window has it.
        m_window.reset();
        makeWindow({1440, 900});
        const ui::Theme& theme = ui::Theme::instance();
        auto* dock = m_window->findChild<QDockWidget*>("tasksDock");
        QTRY_VERIFY2(dock->width() >= theme.unit(62), qPrintable(QString::number(dock->width())));
        m_window.reset();
        makeWindow({1130, 700});
        dock = m_window->findChild<QDockWidget*>("tasksDock");
        QTRY_VERIFY2(dock->width() <= theme.unit(58), qPrintable(QString::number(dock->width())));
    }

    void docksFoldWhereTheWindowIsNarrow()
    {
        m_window.reset();
        makeWindow({1024, 700});
        const auto dock = [this](const char* name) { return find<QDockWidget>(name); };
        QVERIFY(!dock("tasksDock")->isVisible() && !dock("jobsDock")->isVisible());
        QVERIFY(find<QToolBar>("dockStrip")->isVisible());
        QCOMPARE(m_window->width(), 1024);
        // A wider one brings them back, as wide as they would have been.
        m_window->resize(1440, 900);
        QTRY_VERIFY(dock("tasksDock")->isVisible() && dock("jobsDock")->isVisible());
        QVERIFY(!find<QToolBar>("dockStrip")->isVisible());
        QTRY_VERIFY(dock("tasksDock")->width() >= ui::Theme::instance().unit(62));
        m_window->resize(1024, 700);
        QTRY_VERIFY(!dock("tasksDock")->isVisible());
        // What is opened by hand stays, whatever the size, also in the next window.
        dock("tasksDock")->toggleViewAction()->trigger();
        QVERIFY(dock("tasksDock")->isVisible());
        m_window->resize(1030, 700);
        m_window->resize(1440, 900);
        QTRY_VERIFY(dock("jobsDock")->isVisible());
        m_window->resize(1024, 700);
        QTRY_VERIFY(!dock("jobsDock")->isVisible());
        QVERIFY(dock("tasksDock")->isVisible());
        m_window->close();
        m_window.reset();
        makeWindow({1024, 700});
        QVERIFY(dock("tasksDock")->isVisible() && !dock("jobsDock")->isVisible());
        // Closed again, it is folded like the other one, and a wide window has both.
        dock("tasksDock")->toggleViewAction()->trigger();
        QVERIFY(!dock("tasksDock")->isVisible());
        m_window->resize(1440, 900);
        QTRY_VERIFY(dock("tasksDock")->isVisible() && dock("jobsDock")->isVisible());
    }

    void roomAndANarrowWindowGoTogether()
    {
        m_window.reset();
        makeWindow({1440, 900});
        openProject("1/1", "compare");
        auto* tasks = find<QDockWidget>("tasksDock");
        QTest::keyClick(m_window.get(), Qt::Key_F9);
        QTRY_VERIFY(!tasks->isVisible());
        m_window->resize(1024, 700);
        m_window->resize(1440, 900);
        QTest::qWait(50);
        QVERIFY(!tasks->isVisible()); // the page has the room still
        QTest::keyClick(m_window.get(), Qt::Key_F9);
        QTRY_VERIFY(tasks->isVisible());
    }

    void helpIsOfThePageItsKeysAndWords()
    {
        openProject("1/1", "compare");
        QTest::keyClick(m_window.get(), Qt::Key_F1);
        QTRY_VERIFY(m_window->findChild<ui::HelpDialog*>());
        auto* help = m_window->findChild<ui::HelpDialog*>();
        QVERIFY(help->isVisible());
        QVERIFY2(help->text().contains("side by side") && help->text().contains("One column"),
                 qPrintable(help->text()));
        m_window->selection().selectPage("timeline");
        QTRY_VERIFY(help->text().contains("What ran when"));
        help->close();
        find<QAction>("shortcuts")->trigger();
        for (const char* text : {"Ctrl+K", "Command Palette", "Swap sides", "Zoom in and out"})
            QVERIFY2(help->text().contains(text), text);
        find<QAction>("words")->trigger();
        QVERIFY(help->text().contains("wall clock"));
        help->findChild<QLineEdit*>()->setText("true gain");
        QVERIFY(help->text().contains("at the reference's precision") && !help->text().contains("checkpoint"));
    }

    void everyPageHasHelp()
    {
        QStringList pages{"welcome"};
        for (const ui::Page* page : m_window->findChildren<ui::Page*>())
            pages << page->objectName();
        QVERIFY(pages.size() > 9);
        for (const QString& page : pages)
            QVERIFY2(ui::pageHelp(page).size() > 80, qPrintable(page));
        QStringList words;
        for (const auto& [word, meaning] : ui::glossary())
            words << word.toLower();
        QStringList sorted = words;
        sorted.sort();
        QCOMPARE(words, sorted);
    }

    void theTextSizeActsAtOnce()
    {
        openProject("1/1", "task");
        auto* header = m_window->findChild<QTableView*>("variants")->horizontalHeader();
        const int before = header->sectionSize(0);
        const double points = QApplication::font().pointSizeF();
        ui::Settings::instance().set("textSize", 14.0);
        QCOMPARE(QApplication::font().pointSizeF(), 14.0);
        QCOMPARE(m_window->font().pointSizeF(), 14.0);
        QVERIFY(std::abs(header->sectionSize(0) - before * 14.0 / points) <= 1); // as many characters as before
        ui::Settings::instance().set("textSize", points);
        QVERIFY(std::abs(header->sectionSize(0) - before) <= 1);
        find<QAction>("largerText")->trigger();
        QCOMPARE(QApplication::font().pointSizeF(), points + 1);
        find<QAction>("smallerText")->trigger();
        QCOMPARE(QApplication::font().pointSizeF(), points);
    }

    void closingAsksOnceWhileAJobIsAtWork()
    {
        openProject("1/1", "task");
        ui::Job job;
        job.request.what = ui::OptimizeJob{};
        const quint64 id = m_window->jobs().add(std::move(job));
        m_window->jobs().setState(id, ui::Job::State::Running);
        QVERIFY(!m_window->close());
        QVERIFY(m_window->isVisible());
        QVERIFY(m_window->findChild<ui::MessageBar*>()->text().contains("1 job is at work"));
        QVERIFY(m_window->close()); // a second time is an answer
        m_window->show();
        m_window->jobs().setState(id, ui::Job::State::Finished);
    }

    void theDeviceMenuSaysWhyThereIsNoGpu()
    {
        const auto texts = [](QMenu& menu) {
            QStringList out;
            for (const QAction* action : menu.actions()) {
                out << action->text();
                if (const auto* widget = qobject_cast<const QWidgetAction*>(action))
                    out << static_cast<const QLabel*>(widget->defaultWidget())->text();
            }
            return out.join(u'\n');
        };
        ui::RunChoice& choice = m_window->choice();
        choice.setMissing({{"no_nvcc", "No nvcc", ""}, {"no_gpu", "No CUDA device", "install a driver"}});
        QMenu menu;
        ui::addDevices(&menu, choice);
        QVERIFY2(texts(menu).contains("No CUDA device\ninstall a driver"), qPrintable(texts(menu)));
        for (QAction* action : menu.actions())
            if (action->text().startsWith("Use Another Machine"))
                action->trigger();
        auto* settings = m_window->findChild<ui::SettingsDialog*>();
        QVERIFY(settings && settings->isVisible());
        QTRY_COMPARE(settings->focusWidget()->objectName(), QString("evaluators"));
        settings->close();
    }

    void whatCannotBeWrittenIsOnlyLookedAt()
    {
        openProject("1/1", "task");
        auto* optimize = find<QAction>("optimize");
        auto* button = m_window->findChild<QPushButton*>("optimize");
        QVERIFY(optimize->isEnabled() && button->isEnabled());
        m_window->choice().setStartable(false); // as for a file that may not be written
        for (const char* name : {"optimize", "optimizeManyAction", "measureBaselinesAction"})
            QVERIFY2(!find<QAction>(name)->isEnabled(), name);
        QVERIFY(!button->isEnabled() && !m_window->findChild<QToolButton*>("optimizeButton")->isEnabled());
        QVERIFY(find<QAction>("saveCopy")->isEnabled());
        // Trainings stay beside the original, and the copy knows where.
        QVERIFY(QDir(path("sft")).mkpath(".") && QDir(path("elsewhere")).mkpath("."));
        QFile record(path("sft/training.json"));
        QVERIFY(record.open(QIODevice::WriteOnly));
        record.close();
        QSignalSpy opened(&m_window->project(), &ui::ProjectModel::opened);
        m_window->files().saveCopyTo(path("elsewhere/copy.cudal1"));
        QVERIFY(opened.wait(deadline_ms));
        QCOMPARE(QFileInfo(m_window->project().path()).fileName(), QString("copy.cudal1"));
        const auto trainings = learning::knownTrainings(*m_window->project().project());
        QVERIFY(trainings.ok() && trainings->size() == 1 && QString::fromStdString((*trainings)[0]).endsWith("/sft"));
        m_window->selection().select({"1/1"}, {}, {}, "task");
        QTRY_VERIFY(optimize->isEnabled());
    }

    void anInterruptedRunIsOffered()
    {
        {
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            samples::addVariant(**project, "a", 2.0);
            store::RunRecord run;
            run.kind = "optimize";
            run.task = {"1/1"};
            QVERIFY((*project)->startRun(run).ok());
        }
        openProject();
        QVERIFY2(messages().text().contains("1/1"), qPrintable(messages().text()));
        bool offered = false;
        for (const auto* button : messages().findChildren<QAbstractButton*>())
            offered = offered || button->text() == "Resume";
        QVERIFY(offered);
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
