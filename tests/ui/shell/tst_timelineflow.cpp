// SPDX-License-Identifier: GPL-3.0-or-later
// Recording timelines from the page: a click, the job with its progress, what is stored, shown and folded, and Stop.
#include "tests/timeline/timelinesamples.h"
#include "tests/ui/shell/windowtest.h"
#include "ui/timeline/timelinepage.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>

#include <nlohmann/json.hpp>

using namespace cudal1;
using ui::Job;

namespace {

QByteArray recorded(int delay_ms)
{
    protocol::TimelineAnswer answer = timeline::samples::answer();
    answer.task = "1/1";
    return "{\"on\":\"timeline\",\"delay_ms\":" + QByteArray::number(delay_ms) +
           ",\"progress\":[{\"phase\":\"record\",\"fraction\":0.5,\"text\":\"call 2 of 3\"}],\"reply\":" +
           QByteArray::fromStdString(nlohmann::json(answer).dump()) + "}\n";
}

} // namespace

class TestTimelineFlow : public WindowTest {
    Q_OBJECT
    base::VariantId m_first, m_second;

    void make(const QByteArray& recording)
    {
        record(recording);
        {
            auto project = store::Project::open(path("p.cudal1").toStdString());
            QVERIFY(project.ok());
            m_first = samples::addVariant(**project, "# first\n", 2.0);
            m_second = samples::addVariant(**project, "# second\n", 1.5);
        }
        makeWindow();
        openProject("1/1", "task");
        m_window->project().variants({"1/1"});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->project().variants({"1/1"}) != nullptr, deadline_ms);
    }
    /// The page is reached by its tab, behind Compare.
    void showTimeline()
    {
        auto* tabs = m_window->findChild<QTabBar*>("pageTabs");
        int index = -1;
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->tabText(i) == QStringLiteral("Timeline"))
                index = i;
        QVERIFY(index > 0 && tabs->tabText(index - 1) == QStringLiteral("Compare"));
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(index).center());
    }
    ui::TimelinePage* page() { return m_window->findChild<ui::TimelinePage*>(); }

private slots:
    void aClickRecordsAndShows()
    {
        make(recorded(50));
        showTimeline();
        QVERIFY(page()->isVisible() && page()->isEmpty());
        page()->choose({m_first, m_second});
        QSignalSpy wanted(page(), &ui::TimelinePage::recordRequested);
        for (QAction* action : page()->actions())
            if (action->text() == QStringLiteral("Record"))
                action->trigger();
        QCOMPARE(wanted.count(), 1);
        QVERIFY(job() && job()->kind() == ui::JobKind::Timeline);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message));
        QCOMPARE(job()->log.size(), 2);
        QCOMPARE(m_window->project().project()->timelines({"1/1"})->size(), std::size_t(2));
        QTRY_COMPARE_WITH_TIMEOUT(page()->view()->sides().size(), std::size_t(3), deadline_ms);
        QVERIFY(!page()->isEmpty());
    }

    void tracksFoldInTheWindow()
    {
        make(recorded(50));
        showTimeline();
        page()->choose({m_first});
        m_window->controller().recordTimelines({"1/1"}, {m_first});
        QTRY_COMPARE_WITH_TIMEOUT(page()->view()->sides().size(), std::size_t(2), deadline_ms);
        ui::TimelineView* view = page()->view();
        view->setFocus();
        const auto top = [&] { return view->rectOf({1, 0, -1}).top(); };
        const int open = top();
        QTest::keyClick(view, Qt::Key_Right);
        QVERIFY(view->picked());
        QTest::keyClick(view, Qt::Key_C); // no key of the window's
        const int one = top();
        QVERIFY(one < open);
        QTest::keyClick(view, Qt::Key_C, Qt::ShiftModifier);
        QVERIFY(top() < one);
        const QPoint name(view->nameWidth() / 2, view->rectOf(view->picked()).center().y());
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, name);
        QTest::keyClick(view, Qt::Key_C, Qt::ShiftModifier); // folds the one that is open
        QTest::keyClick(view, Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(top(), open);
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
        make("{\"on\":\"timeline\",\"act\":\"error\",\"reply\":{\"code\":\"unavailable\",\"message\":\"This machine "
             "records no timelines\",\"hint\":\"Try another\"}}\n");
        m_window->controller().recordTimelines({"1/1"}, {});
        QTRY_VERIFY_WITH_TIMEOUT(job() && !job()->isActive(), deadline_ms);
        QVERIFY(job()->state == Job::State::Failed);
        QVERIFY(job()->message.contains(QStringLiteral("records no timelines")));
    }
};

QTEST_MAIN(TestTimelineFlow)
#include "tst_timelineflow.moc"
