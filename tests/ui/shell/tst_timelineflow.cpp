// SPDX-License-Identifier: GPL-3.0-or-later
// Recording timelines from the page: a click, the job with its progress, what is stored and shown, and Stop.
#include "app/workbench/pages.h"
#include "tests/timeline/samples.h"
#include "tests/ui/shell/samples.h"
#include "ui/shell/mainwindow.h"
#include "ui/shell/settings.h"
#include "ui/shell/theme.h"
#include "ui/timeline/timelinepage.h"

#include <QApplication>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <nlohmann/json.hpp>

using namespace cudal1;
using ui::Job;
using ui::MainWindow;

namespace {

constexpr int deadline_ms = 30'000;

QByteArray recorded(int delay_ms)
{
    protocol::TimelineAnswer answer = timeline::samples::answer();
    answer.task = "1/1";
    return "{\"on\":\"timeline\",\"delay_ms\":" + QByteArray::number(delay_ms) + ",\"progress\":[{\"phase\":\"record\",\"fraction\":0.5,\"text\":\"call 2 of 3\"}],\"reply\":"
        + QByteArray::fromStdString(nlohmann::json(answer).dump()) + "}\n";
}

} // namespace

class TestTimelineFlow : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;
    base::VariantId m_first, m_second;

    void make(const QByteArray& recording)
    {
        samples::write(m_folder->filePath("recording.jsonl"), recording);
        qunsetenv("CUDAL1_EVALUATOR");
        ui::Settings::instance().set("evaluator", QStringLiteral("%1/tests/replay_evaluator %2").arg(QStringLiteral(CUDAL1_BINARY_DIR), m_folder->filePath("recording.jsonl")));
        {
            auto project = store::Project::open(m_folder->filePath("p.cudal1").toStdString());
            QVERIFY(project.ok());
            m_first = samples::addVariant(**project, "# first\n", 2.0);
            m_second = samples::addVariant(**project, "# second\n", 1.5);
        }
        m_window = std::make_unique<MainWindow>([] { return std::unique_ptr<policy::Policy>(); });
        workbench::addPages(*m_window);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QSignalSpy opened(&m_window->project(), &ui::ProjectModel::opened);
        m_window->selectWhenOpen(QStringLiteral("1/1"), QStringLiteral("task"));
        m_window->openProject(m_folder->filePath("p.cudal1"), samples::suite(m_folder->filePath("suite")));
        QVERIFY(opened.wait(deadline_ms));
        m_window->project().variants({"1/1"});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->project().variants({"1/1"}) != nullptr, deadline_ms);
    }
    ui::TimelinePage* page() { return m_window->findChild<ui::TimelinePage*>(); }
    const Job* job() { return m_window->jobs().jobOf({"1/1"}); }

private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("cudal1-test-timelineflow"));
        ui::Theme::instance().install(*qApp);
    }
    void init()
    {
        QSettings().clear();
        m_folder = std::make_unique<QTemporaryDir>();
    }
    void cleanup() { m_window.reset(); }
    void cleanupTestCase() { QSettings().clear(); }

    void aClickRecordsAndShows()
    {
        make(recorded(50));
        // The page is reached by its tab, behind Compare.
        auto* tabs = m_window->findChild<QTabBar*>("pageTabs");
        int index = -1;
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->tabText(i) == QStringLiteral("Timeline"))
                index = i;
        QVERIFY(index > 0 && tabs->tabText(index - 1) == QStringLiteral("Compare"));
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(index).center());
        QVERIFY(page()->isVisible() && page()->isEmpty());
        page()->choose({m_first, m_second});
        QSignalSpy wanted(page(), &ui::TimelinePage::recordRequested);
        for (QAction* action : page()->actions())
            if (action->text() == QStringLiteral("Record"))
                action->trigger();
        QCOMPARE(wanted.count(), 1);
        QVERIFY(job() && job()->kind == QStringLiteral("Timeline"));
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message));
        QCOMPARE(job()->log.size(), 2);
        QCOMPARE(m_window->project().project()->timelines({"1/1"})->size(), std::size_t(2));
        QTRY_COMPARE_WITH_TIMEOUT(page()->view()->sides().size(), std::size_t(3), deadline_ms);
        QVERIFY(!page()->isEmpty());
    }

    void stopEndsTheJob()
    {
        make(recorded(60'000));
        page()->choose({m_first});
        m_window->controller().recordTimelines({"1/1"}, {m_first});
        QTRY_VERIFY_WITH_TIMEOUT(job() && job()->state == Job::State::Running, deadline_ms);
        m_window->controller().stop(job()->id);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY(job()->state == Job::State::Stopped);
        QVERIFY(m_window->project().project()->timelines()->empty());
    }

    void whatTheEvaluatorSaysIsShown()
    {
        make("{\"on\":\"timeline\",\"act\":\"error\",\"reply\":{\"code\":\"unavailable\",\"message\":\"This machine records no timelines\",\"hint\":\"Try another\"}}\n");
        m_window->controller().recordTimelines({"1/1"}, {});
        QTRY_VERIFY_WITH_TIMEOUT(job() && !job()->isActive(), deadline_ms);
        QVERIFY(job()->state == Job::State::Failed);
        QVERIFY(job()->message.contains(QStringLiteral("records no timelines")));
    }
};

QTEST_MAIN(TestTimelineFlow)
#include "tst_timelineflow.moc"
