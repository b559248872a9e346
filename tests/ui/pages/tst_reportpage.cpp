// SPDX-License-Identifier: GPL-3.0-or-later
// The report page: what it previews, what it saves and copies, what keys do.
#include "core/charts/numbertext.h"
#include "pageproject.h"
#include "ui/report/pageview.h"
#include "ui/report/reportpage.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;

class TestReportPage : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_sample = tests::makeSampleProject(m_folder->path());
        m_project = std::make_unique<ProjectModel>();
        m_selection = std::make_unique<Selection>();
        m_page = std::make_unique<ReportPage>(*m_project, *m_selection);
        m_page->resize(1100, 800);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    void cleanup()
    {
        m_page.reset();
        m_project.reset();
    }

    void withoutAProjectItIsEmpty() { QTRY_VERIFY(m_page->isEmpty()); }

    void previewsPagesOfTheProject()
    {
        open();
        QCOMPARE(m_page->pages()->pageCount(), int(m_page->built()->paged.sheets.size()));
        QVERIFY(m_page->pages()->pageCount() >= 2);
        QVERIFY(m_page->built()->document.title.startsWith("Speed-ups of "));
        // Paper with ink on it.
        const QImage image = m_page->pages()->viewport()->grab().toImage();
        int dark = 0, white = 0;
        for (int y = 0; y < image.height(); y += 3)
            for (int x = 0; x < image.width(); x += 3) {
                dark += image.pixelColor(x, y).lightness() < 100;
                white += image.pixelColor(x, y) == QColor(Qt::white);
            }
        QVERIFY(dark > 100 && white > 10'000);
    }

    void followsTheSelectedTask()
    {
        open();
        auto* scope = m_page->findChild<QComboBox*>("reportScope");
        QCOMPARE(scope->count(), 1);
        m_selection->select(m_sample.task, m_sample.second, m_sample.best, "report");
        QCOMPARE(scope->count(), 3);
        choose("reportScope", 1);
        QVERIFY(m_page->built()->document.title.contains("1/12"));
        choose("reportScope", 2);
        QVERIFY(m_page->built()->document.scope.startsWith("compare "));
        m_selection->selectTask(m_sample.untried); // the choice is gone with the variants
        QCOMPARE(scope->currentIndex(), 0);
        QTRY_VERIFY(!m_page->isBuilding() && m_page->built()->document.scope == "project");
    }

    void anUntriedTaskHasNoReport()
    {
        open();
        m_selection->select(m_sample.task, {}, m_sample.best, "report");
        choose("reportScope", 1);
        QVERIFY(m_page->built());
        m_selection->selectTask({"3/50"}); // of the suite alone; the scope is the task, whichever it is
        QTRY_VERIFY_WITH_TIMEOUT(!m_page->isBuilding() && !m_page->built(), 20'000);
        QVERIFY(!m_page->findChild<QPushButton*>("copyReport")->isEnabled());
        auto* text = m_page->findChild<QPlainTextEdit*>();
        QVERIFY(text->isVisible() && text->toPlainText().contains("no results of 3/50 yet"));
        m_selection->selectTask(m_sample.task);
        QTRY_VERIFY_WITH_TIMEOUT(
            !m_page->isBuilding() && m_page->built() && m_page->built()->document.title.contains("1/12"), 20'000);
    }

    void showsTextFormatsAsText()
    {
        open();
        auto* text = m_page->findChild<QPlainTextEdit*>();
        QVERIFY(!text->isVisible());
        choose("reportFormat", 3);
        QVERIFY(text->isVisible());
        QVERIFY(text->toPlainText().startsWith("task,level,name"));
        QCOMPARE(text->toPlainText().trimmed().count('\n'), 3); // three variants below the names
    }

    void savesWhatItShows()
    {
        open();
        const char* begins[] = {"<!DOCTYPE html>", "%PDF", "# Speed-ups", "task,level", "{"};
        for (int format = 0; format < 5; ++format) {
            choose("reportFormat", format);
            const QString path = m_folder->filePath("out." + endingOf(ReportFormat(format)));
            QSignalSpy saved(m_page.get(), &ReportPage::saved);
            m_page->saveTo(path);
            QVERIFY(saved.wait(20'000));
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY(file.readAll().startsWith(begins[format]));
        }
        QSignalSpy failed(m_page.get(), &ReportPage::errorRaised);
        m_page->saveTo("/proc/none/x.html");
        QVERIFY(failed.wait(20'000));
    }

    void copiesMarkdown()
    {
        open();
        QSignalSpy copied(m_page.get(), &ReportPage::copied);
        QTest::mouseClick(m_page->findChild<QPushButton*>("copyReport"), Qt::LeftButton);
        QVERIFY(copied.wait(20'000));
        QVERIFY(QApplication::clipboard()->text().startsWith("# Speed-ups of "));
        QVERIFY(QApplication::clipboard()->text().contains("19.8×"));
    }

    void templatesDiffer()
    {
        open();
        QCOMPARE(m_page->built()->document.templateName, QString("summary")); // many pages are a choice
        const int summary = m_page->pages()->pageCount();
        choose("reportTemplate", 1);
        QVERIFY(m_page->pages()->pageCount() > summary);
        choose("reportTemplate", 2);
        QCOMPARE(m_page->built()->document.templateName, QString("paper"));
    }

    void keysScrollAndZoom()
    {
        open();
        PageView* view = m_page->pages();
        QTest::keyClick(view, Qt::Key_End);
        QCOMPARE(view->verticalScrollBar()->value(), view->verticalScrollBar()->maximum());
        QCOMPARE(view->currentPage(), view->pageCount() - 1);
        QTest::keyClick(view, Qt::Key_Home);
        QCOMPARE(view->currentPage(), 0);
        const int before = view->verticalScrollBar()->maximum();
        QTest::keyClick(view, Qt::Key_Plus, Qt::ControlModifier);
        QVERIFY(view->zoom() > 1 && view->verticalScrollBar()->maximum() > before);
        QTest::keyClick(view, Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(view->verticalScrollBar()->maximum(), before);
        view->goToPage(1);
        QCOMPARE(view->currentPage(), 1);
    }

private:
    void open()
    {
        m_project->open(m_sample.file, {});
        QTRY_VERIFY_WITH_TIMEOUT(m_page->built() && !m_page->isBuilding() && m_project->tasks()->size() == 2, 20'000);
    }
    void choose(const char* box, int index)
    {
        const auto before = m_page->built();
        auto* combo = m_page->findChild<QComboBox*>(box);
        if (combo->currentIndex() == index)
            return;
        combo->setCurrentIndex(index);
        QTRY_VERIFY_WITH_TIMEOUT(m_page->built() != before && !m_page->isBuilding(), 20'000);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    tests::SampleProject m_sample;
    std::unique_ptr<ProjectModel> m_project;
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<ReportPage> m_page;
};

QTEST_MAIN(TestReportPage)
#include "tst_reportpage.moc"
