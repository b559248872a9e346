// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline page on a real project, by keys and pointer: what it shows, walks, folds, measures, finds, opens and
// writes.
#include "core/timeline/chrometrace.h"
#include "pageproject.h"
#include "tests/timeline/timelinesamples.h"
#include "ui/kit/theme.h"
#include "ui/timeline/gapsmodel.h"
#include "ui/timeline/gaptotals.h"
#include "ui/timeline/namedelegate.h"
#include "ui/timeline/timelinebar.h"
#include "ui/timeline/timelinepage.h"
#include "ui/timeline/workmodel.h"
#include "ui/variants/infoview.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

using namespace cudal1;
using namespace cudal1::ui;
using Picked = TimelineView::Picked;

namespace {

constexpr int deadline_ms = 10'000;

timeline::EventIndex named(const timeline::Model& model, const char* name)
{
    for (timeline::EventIndex i = 0; i < model.size(); ++i)
        if (model.nameOf(i) == name)
            return i;
    return timeline::noEvent;
}

} // namespace

class TestTimelinePage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        Theme::instance().install(*qApp);
        QVERIFY(m_folder.isValid());
        m_sample = tests::makeSampleProject(m_folder.path());
        QVERIFY(!m_sample.file.isEmpty());
        {
            auto project = store::Project::open(m_sample.file.toStdString());
            protocol::TimelineAnswer answer = timeline::samples::answer();
            answer.precision = protocol::Precision::Kernelbench;
            QVERIFY((*project)->addTimeline(m_sample.task, m_sample.best, answer).ok());
            answer.candidate = timeline::samples::gpu();
            QVERIFY((*project)->addTimeline(m_sample.task, m_sample.second, answer).ok());
        }
        QSignalSpy opened(&m_project, &ProjectModel::opened);
        m_project.open(m_sample.file, {});
        QVERIFY(opened.count() > 0 || opened.wait(deadline_ms));
        m_project.variants(m_sample.task);
        QTRY_VERIFY_WITH_TIMEOUT(m_project.variants(m_sample.task) != nullptr, deadline_ms);
    }

    void init()
    {
        m_selection.clear();
        m_page = std::make_unique<TimelinePage>(m_project, m_selection);
        m_page->resize(1300, 900);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    void cleanup() { m_page.reset(); }

    void emptyStatesOfferOneAction()
    {
        QVERIFY(m_page->isEmpty());
        QSignalSpy wanted(m_page.get(), &TimelinePage::recordRequested);
        m_selection.select(m_sample.untried, {}, {}, QStringLiteral("timeline"));
        QVERIFY(m_page->isEmpty());
        QPushButton* record = nullptr;
        for (QPushButton* button : m_page->findChildren<QPushButton*>())
            if (button->isVisible() && button->text().startsWith(QStringLiteral("Record")))
                record = button;
        QVERIFY(record);
        QTest::mouseClick(record, Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted[0][0].value<base::TaskId>().value, std::string("2/40"));
        QVERIFY(wanted[0][1].value<std::vector<base::VariantId>>().empty());
    }

    void stacksReferenceAndChosenVariants()
    {
        showTask();
        QCOMPARE(view().sides().size(), std::size_t(2)); // the selected variant's
        QVERIFY(
            QString::fromStdString(view().sides()[0].title).startsWith(QStringLiteral("Reference 1/12 · NVIDIA H200")));
        QVERIFY(
            QString::fromStdString(view().sides()[1].title).startsWith(QStringLiteral("#%1").arg(m_sample.best.value)));
        QVERIFY(m_page->chosen() == std::set{m_sample.best});
        auto* choice = m_page->findChild<QToolButton*>("timelineChoice");
        emit choice->menu()->aboutToShow();
        QCOMPARE(choice->menu()->actions().size(), 3);
        for (QAction* action : choice->menu()->actions())
            QCOMPARE(action->text().contains(QStringLiteral("not recorded")),
                     action->text().startsWith(QStringLiteral("#%1 ").arg(m_sample.incorrect.value)));
        for (QAction* action : choice->menu()->actions())
            if (action->text().startsWith(QStringLiteral("#%1 ").arg(m_sample.second.value)))
                action->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(view().sides().size(), std::size_t(3), deadline_ms);
        // One ruler: the same time is at the same place on every side.
        const Picked a{0, named(*view().sides()[0].model, "gemm"), -1},
            b{2, named(*view().sides()[2].model, "gemm"), -1};
        QVERIFY(a.event != timeline::noEvent && b.event != timeline::noEvent);
        QCOMPARE(view().rectOf(a).left(), view().rectOf(b).left());
        QVERIFY(view().rectOf(a).top() != view().rectOf(b).top());
        // Only what is not recorded yet is recorded.
        QSignalSpy wanted(m_page.get(), &TimelinePage::recordRequested);
        m_page->choose({m_sample.best, m_sample.incorrect});
        QTest::mouseClick(m_page->findChild<QToolButton*>("timelineRecord"), Qt::LeftButton);
        QVERIFY(wanted.count() == 1 &&
                wanted[0][1].value<std::vector<base::VariantId>>() == std::vector{m_sample.incorrect});
    }

    void aHiddenPageReadsNothingUntilItIsShown()
    {
        m_page->hide();
        auto* loader = m_page->findChild<TimelineLoader*>();
        QSignalSpy loaded(loader, &TimelineLoader::loaded);
        m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("timeline"));
        emit m_project.tasksChanged();
        emit m_project.variantsChanged(m_sample.task);
        QVERIFY(m_page->chosen().empty()); // not even which recordings there are
        loader->load(m_sample.file, {1});  // answers come in the order of the questions
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 1, deadline_ms);
        QVERIFY(loaded[0][0].value<base::TimelineId>() == base::TimelineId{1} && view().sides().empty());

        QSignalSpy wanted(m_page.get(), &TimelinePage::recordRequested);
        m_page->choose({m_sample.best, m_sample.incorrect}); // is kept, and Record knows what is recorded
        emit m_page->findChild<TimelineBar*>()->recordClicked();
        QVERIFY(wanted.count() == 1 && wanted[0][0].value<base::TaskId>() == m_sample.task &&
                wanted[0][1].value<std::vector<base::VariantId>>() == std::vector{m_sample.incorrect});
        const QString file = m_folder.filePath("hidden.json");
        m_page->exportTrace(m_sample.best, file);
        QTRY_VERIFY_WITH_TIMEOUT(loader->busy() == 0 && timeline::loadTrace(file.toStdString()).ok(), deadline_ms);
        QVERIFY(loaded.count() == 1 && view().sides().empty());

        m_page->show();
        QTRY_COMPARE_WITH_TIMEOUT(view().sides().size(), std::size_t(2), deadline_ms);
        QVERIFY(!m_page->isEmpty() && m_page->chosen() == (std::set{m_sample.best, m_sample.incorrect}));
        m_page->hide(); // what was read is not read again
        m_page->show();
        loader->load(m_sample.file, {1});
        QTRY_VERIFY_WITH_TIMEOUT(loaded.count() >= 3, deadline_ms);
        QCOMPARE(loaded.count(), 3);
    }

    void aTraceOpenedBehindAnotherPageIsThereWhenItIsShown()
    {
        showTask();
        const QString file = m_folder.filePath("behind.json");
        m_page->exportTrace(m_sample.best, file);
        auto* loader = m_page->findChild<TimelineLoader*>();
        QTRY_VERIFY_WITH_TIMEOUT(loader->busy() == 0, deadline_ms);
        m_page->hide();
        QSignalSpy opened(loader, &TimelineLoader::opened);
        m_page->openTrace(file);
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, deadline_ms);
        m_selection.select(m_sample.untried, {}, {}, QStringLiteral("timeline")); // the trace stays
        m_page->show();
        QTRY_COMPARE_WITH_TIMEOUT(view().sides()[0].title, std::string("reference 3/41"), deadline_ms);
        QTest::mouseClick(m_page->findChild<QToolButton*>("timelineClose"), Qt::LeftButton);
        QVERIFY(m_page->isEmpty()); // of the task that is selected now, nothing is recorded
    }

    void theUnrecordedIsNamedBesideTheBestThatWas()
    {
        m_selection.select(m_sample.task, {}, m_sample.incorrect, QStringLiteral("timeline"));
        QTRY_COMPARE_WITH_TIMEOUT(view().sides().size(), std::size_t(2), deadline_ms);
        QVERIFY((m_page->chosen() == std::set{m_sample.best, m_sample.incorrect}));
        QVERIFY(m_page->findChild<InfoView*>()->toPlainText().contains(
            QStringLiteral("#%1 has no recording yet").arg(m_sample.incorrect.value)));
    }

    void keysZoomMoveAndFit()
    {
        showTask();
        const ViewRange all = view().range();
        QVERIFY(all == view().limits());
        QTest::keyClick(&view(), Qt::Key_W);
        QVERIFY(view().range().length_ns() < all.length_ns() * 0.8);
        const ViewRange zoomedIn = view().range();
        QTest::keyClick(&view(), Qt::Key_D);
        QVERIFY(view().range().from_ns > zoomedIn.from_ns);
        QTest::keyClick(&view(), Qt::Key_A);
        QVERIFY(std::abs(view().range().from_ns - zoomedIn.from_ns) < 1);
        QTest::keyClick(&view(), Qt::Key_S);
        QVERIFY(std::abs(view().range().length_ns() - all.length_ns()) < 1);
        QTest::keyClick(&view(), Qt::Key_W);
        QTest::keyClick(&view(), Qt::Key_F);
        QVERIFY(view().range() == all);
    }

    void wheelZoomsAtThePointer()
    {
        showTask();
        const QPointF at(view().nameWidth() + 300, 200);
        const auto timeAt = [&](double x) {
            return view().range().from_ns + (x - view().nameWidth()) * view().range().length_ns() /
                                                (view().viewport()->width() - view().nameWidth());
        };
        const double before = timeAt(at.x());
        const ViewRange all = view().range();
        const auto wheel = [&](int up, Qt::KeyboardModifiers keys) {
            QWheelEvent event(at, view().viewport()->mapToGlobal(at), {}, {0, up}, Qt::NoButton, keys,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(view().viewport(), &event);
        };
        wheel(360, Qt::ControlModifier);
        QVERIFY(view().range().length_ns() < all.length_ns() / 2);
        QVERIFY(std::abs(timeAt(at.x()) - before) < view().range().length_ns() * 1e-6);
        const ViewRange now = view().range();
        wheel(-120, Qt::ShiftModifier);
        QVERIFY(view().range().from_ns > now.from_ns);
        QCOMPARE(view().range().length_ns(), now.length_ns());
    }

    void clickArrowsAndDoubleClick()
    {
        showTask();
        const timeline::Model& model = *view().sides()[0].model;
        const Picked gemm{0, named(model, "gemm"), -1};
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, view().rectOf(gemm).center());
        QVERIFY(view().picked() == gemm);
        auto* details = m_page->findChild<InfoView*>();
        const QString text = details->toPlainText();
        for (const char* part : {"gemm", "30 µs", "16×4", "128", "40", "48.0 KiB dynamic", "stream 7", "11"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
        QVERIFY(view().accessibleDescription().startsWith(QStringLiteral("gemm, kernel")));
        // The table follows, and the second of its name is one step away.
        auto* work = m_page->findChild<QTableView*>("timelineWork");
        QTRY_VERIFY_WITH_TIMEOUT(work->model()->rowCount() > 0, deadline_ms);
        // A kernel, its operator and its launch took the same time, so each stands in a table of its own.
        for (const auto& [name, whats] :
             {std::pair("timelineWork", QStringList{"kernel", "copy", "memset"}),
              std::pair("timelineOperators", QStringList{"operator", "named scope"}),
              std::pair("timelineCalls", QStringList{"CUDA call", "driver call", "wait"})}) {
            const QAbstractItemModel* rows = m_page->findChild<QTableView*>(name)->model();
            QVERIFY(rows->rowCount() > 0);
            for (int row = 0; row < rows->rowCount(); ++row)
                QVERIFY(whats.contains(rows->index(row, WorkModel::What).data().toString()));
        }
        QTest::keyClick(&view(), Qt::Key_Right);
        QVERIFY(view().picked().event == gemm.event + 1);
        QVERIFY(
            details->toPlainText().contains(QStringLiteral("does not see it"))); // it ended after the caller's stream
        QCOMPARE(work->currentIndex().siblingAtColumn(WorkModel::Name).data().toString(), QStringLiteral("gemm"));
        QTest::keyClick(&view(), Qt::Key_Right);
        QVERIFY(details->toPlainText().contains(QStringLiteral("Outside the timed windows")));
        QTest::keyClick(&view(), Qt::Key_Left);
        QTest::keyClick(&view(), Qt::Key_Down);
        QCOMPARE(model.trackOf(view().picked().event).name, std::string("stream 7 (2)"));
        QTest::keyClick(&view(), Qt::Key_Up);
        QCOMPARE(model.trackOf(view().picked().event).name, std::string("stream 7"));

        QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, view().rectOf(gemm).center());
        QCOMPARE(std::round(view().range().from_ns), 27'000.0); // 30 us from 30 us on, and a tenth more on both sides
        QCOMPARE(std::round(view().range().to_ns), 63'000.0);
        QTest::keyClick(&view(), Qt::Key_Escape);
        QVERIFY(!view().picked());
    }

    void aClickOnANameFoldsItsTrack()
    {
        showTask();
        const auto& model = *view().sides()[0].model;
        const Picked linear{0, named(model, "aten::linear"), -1}, addmm{0, named(model, "aten::addmm"), -1},
            below{1, 0, -1};
        const QPoint name(view().nameWidth() / 2, view().rectOf(linear).top() + 3);
        const auto hover = [&](const QPoint& at) {
            QTest::mouseMove(m_page->windowHandle(), view().viewport()->mapTo(m_page.get(), at));
        };
        hover(view().rectOf(linear).center());
        QVERIFY(view().viewport()->cursor().shape() != Qt::PointingHandCursor);
        const QRgb plain = view().viewport()->grab().toImage().pixel(6, name.y());
        hover(name);
        QCOMPARE(view().viewport()->cursor().shape(), Qt::PointingHandCursor);
        QVERIFY(view().viewport()->grab().toImage().pixel(6, name.y()) != plain);

        // Two rows become a strip, and what is below moves up by as much.
        const QRect was = view().rectOf(linear), next = view().rectOf(below);
        const Theme& theme = Theme::instance();
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, name);
        QCOMPARE(view().rectOf(linear).height(), theme.unit(2));
        QCOMPARE(view().rectOf(linear).topLeft(), was.topLeft());
        QCOMPARE(view().rectOf(addmm).top(), was.top());
        QCOMPARE(next.top() - view().rectOf(below).top(), 2 * theme.unit(5) - theme.unit(2));
        QVERIFY(!isFolded(below) && !view().picked());
        // The strip shows the work, and none where there is none.
        const QImage image = view().viewport()->grab().toImage();
        const QRect strip = view().rectOf(linear);
        const auto at = [&](int x) { return image.pixelColor(x, strip.center().y()); };
        QVERIFY(at(strip.center().x()) != theme.color(Role::Surface) && at(strip.left() + 2) == at(strip.right() - 2));
        QCOMPARE(at(strip.right() + theme.unit(3)), theme.color(Role::Surface));

        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, strip.center()); // what is seen there can be picked
        QVERIFY(view().picked() == linear && isFolded(linear));
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, name);
        QVERIFY(view().rectOf(linear) == was && view().rectOf(below) == next);
        QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, name);
        QVERIFY(view().rectOf(linear) == was); // folded and unfolded
        // A drag that begins on a name moves, as anywhere.
        QTest::mousePress(view().viewport(), Qt::LeftButton, {}, name);
        QTest::mouseMove(view().viewport(), name + QPoint(60, 0));
        QTest::mouseRelease(view().viewport(), Qt::LeftButton, {}, name + QPoint(60, 0));
        QVERIFY(!isFolded(linear));
    }

    void aClickOnAHeadingFoldsAllItsTracks()
    {
        showTask();
        const Picked gap{0, timeline::noEvent, 0}, first{0, named(*view().sides()[0].model, "gemm"), -1},
            second{1, 0, -1};
        const QPoint heading(view().nameWidth() * 2, view().rulerHeight() + Theme::instance().unit(3));
        const int was = view().rectOf(second).top();
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, heading);
        QVERIFY(isFolded(gap) && isFolded(first) && !isFolded(second));
        QVERIFY(view().rectOf(second).top() < was - 6 * Theme::instance().unit(3));
        QVERIFY(view().accessibleDescription().startsWith(QStringLiteral("Folded: all tracks of Reference 1/12")));
        view().pick(first); // with one that is open, a click folds again
        QVERIFY(!isFolded(first) && isFolded(gap));
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, heading);
        QVERIFY(isFolded(first));
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, heading);
        QVERIFY(!isFolded(gap) && !isFolded(first));
        QCOMPARE(view().rectOf(second).top(), was);
    }

    void keysFold()
    {
        showTask();
        const auto& model = *view().sides()[0].model;
        const Picked gemm{0, named(model, "gemm"), -1}, linear{0, named(model, "aten::linear"), -1},
            call{0, named(model, "cudaLaunchKernel"), -1}, other{1, 0, -1};
        auto* fold = m_page->findChild<QToolButton*>("timelineFold");
        QAction *track = fold->menu()->actions().at(0), *host = fold->menu()->actions().at(1);
        QVERIFY(!track->isEnabled() && track->text().endsWith(QStringLiteral("\tC")) &&
                host->text().endsWith(QStringLiteral("\tShift+C")));
        view().pick(gemm);
        QTest::keyClick(&view(), Qt::Key_C);
        QVERIFY(isFolded(gemm) && !isFolded(linear));
        QVERIFY2(view().accessibleDescription().startsWith(QStringLiteral("Folded: stream 7. gemm, kernel")),
                 qPrintable(view().accessibleDescription()));
        QVERIFY(view().accessibleDescription().endsWith(QStringLiteral("in a folded track")));
        // Up and down pass it as one row, and leave it folded.
        QTest::keyClick(&view(), Qt::Key_Up);
        QVERIFY(model.trackOf(view().picked().event).name != "stream 7");
        QTest::keyClick(&view(), Qt::Key_Down);
        QCOMPARE(model.trackOf(view().picked().event).name, std::string("stream 7"));
        QVERIFY(isFolded(gemm));
        QTest::keyClick(&view(), Qt::Key_C);
        QVERIFY(!isFolded(gemm));

        QTest::keyClick(&view(), Qt::Key_C, Qt::ShiftModifier);
        QVERIFY(isFolded(linear) && isFolded(call) && isFolded(other) && !isFolded(gemm));
        QTest::keyClick(&view(), Qt::Key_C, Qt::ShiftModifier);
        QVERIFY(!isFolded(linear) && !isFolded(call) && !isFolded(other));
        QVERIFY(track->isEnabled());
        track->trigger();
        host->trigger();
        QVERIFY(isFolded(gemm) && isFolded(linear));
        QTest::keyClick(&view(), Qt::Key_C, Qt::ControlModifier); // copies, elsewhere
        QVERIFY(isFolded(gemm));
    }

    void jumpsUnfold()
    {
        showTask();
        const auto& model = *view().sides()[0].model;
        const Picked gemm{0, named(model, "gemm"), -1}, gap{0, timeline::noEvent, 0};
        const auto foldAll = [&] {
            view().pick({});
            QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, QPoint(5, view().rulerHeight() + 5));
            QVERIFY(isFolded(gemm) && isFolded(gap));
        };
        foldAll();
        auto* search = m_page->findChild<QLineEdit*>("timelineSearch");
        auto* found = m_page->findChild<QTableView*>("timelineFound");
        QTest::keyClick(&view(), Qt::Key_Slash);
        QTest::keyClicks(search, "^gemm$");
        QTRY_COMPARE_WITH_TIMEOUT(found->model()->rowCount(), 2, deadline_ms);
        QVERIFY(isFolded(gemm));
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY(view().picked() == gemm && !isFolded(gemm) && isFolded(gap));

        foldAll();
        auto* work = m_page->findChild<QTableView*>("timelineWork");
        m_page->findChild<QTabWidget*>("timelineTables")->setCurrentIndex(0);
        QTRY_VERIFY_WITH_TIMEOUT(work->model()->rowCount() > 0, deadline_ms);
        int row = 0;
        while (work->model()->index(row, WorkModel::Name).data() != QStringLiteral("gemm"))
            QVERIFY(++row < work->model()->rowCount());
        work->setCurrentIndex({});
        QTest::mouseClick(work->viewport(), Qt::LeftButton, {},
                          work->visualRect(work->model()->index(row, WorkModel::Name)).center());
        QVERIFY(view().picked() && !isFolded(gemm));

        foldAll();
        m_page->findChild<QTabWidget*>("timelineTables")->setCurrentIndex(3);
        auto* gaps = m_page->findChild<QTableView*>("timelineGaps");
        auto* totals = m_page->findChild<QLabel*>("gapTotals");
        QVERIFY2(totals->accessibleName().contains(QStringLiteral("% of the timed windows are gaps: ")),
                 qPrintable(totals->accessibleName()));
        QVERIFY(totals->accessibleName().startsWith(QStringLiteral("A: ")) && totals->text().startsWith("A: "));
        QVERIFY(!gaps->currentIndex().isValid());
        const Picked before = view().picked();
        gaps->setFocus();
        QTRY_VERIFY(gaps->currentIndex().isValid()); // Qt makes the first row current: nobody chose it
        QVERIFY(view().picked() == before);
        gaps->setCurrentIndex({});
        gaps->setCurrentIndex(gaps->model()->index(0, 0));
        QVERIFY(view().picked().gap >= 0 && !isFolded(view().picked()));

        foldAll();
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, view().rectOf(gemm).center());
        QVERIFY(view().picked() == gemm && isFolded(gemm));
        QTest::keyClick(&view(), Qt::Key_Right);
        QVERIFY(view().picked().event == gemm.event + 1 && !isFolded(gemm));
    }

    void foldsStayWithTheNames()
    {
        showTask();
        const auto show = [&](base::VariantId variant) {
            m_page->choose({variant});
            const QString title = QStringLiteral("#%1 ").arg(variant.value);
            QTRY_VERIFY_WITH_TIMEOUT(view().sides().size() == 2 &&
                                         QString::fromStdString(view().sides()[1].title).startsWith(title),
                                     deadline_ms);
        };
        const auto gemm = [&](int side) {
            return Picked{side, named(*view().sides()[std::size_t(side)].model, "gemm"), -1};
        };
        show(m_sample.second);
        view().pick(gemm(1));
        QTest::keyClick(&view(), Qt::Key_C);
        QVERIFY(isFolded(gemm(1)) && !isFolded(gemm(0))); // of one side only
        show(m_sample.best);
        QVERIFY(!isFolded({1, 0, -1}) && !isFolded(gemm(0)));
        show(m_sample.second);
        QVERIFY(isFolded(gemm(1)) && !isFolded(gemm(0)));
    }

    void idleTracksAreStripsWhereNotAllFits()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        answer.candidate.reset();
        for (int track = 7; track < 40; ++track) {
            answer.reference.tracks.push_back(
                {track, protocol::TimelineTrack::Kind::Stream, "stream " + std::to_string(track + 1), 0});
            answer.reference.events.push_back(
                timeline::samples::kernelOn(track, "short", 40'000, track == 39 ? 9'000 : 500, 0));
        }
        const auto sides = timeline::sidesOf(answer);
        TimelineView view;
        view.resize(800, 2000);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        const auto& model = *sides[0].model;
        const Picked idle{0, named(model, "short"), -1}, busy{0, named(model, "gemm"), -1};
        const auto folded = [&](const Picked& picked) {
            return view.rectOf(picked).height() < Theme::instance().unit(3);
        };
        view.setSides(sides);
        QVERIFY(!folded(idle) && !folded(busy)); // all fit

        view.resize(800, 300);
        view.setSides({});
        view.setSides(sides);
        QVERIFY(folded(idle) && !folded(busy));
        Picked last = busy;
        for (timeline::EventIndex i = 0; i < model.size(); ++i)
            if (model.nameOf(i) == "short" && model.end_ns[i] - model.begin_ns[i] == 9'000)
                last = {0, i, -1};
        QVERIFY(!folded(last));
        view.pick(idle); // to look at it
        QVERIFY(!folded(idle));
        view.setSides(sides); // shown anew, it is as it was left
        QVERIFY(!folded(idle) && !folded(busy));
    }

    void hostTracksAreStripsWhereTwoSidesDoNotFit()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        answer.candidate = answer.reference;
        const auto both = timeline::sidesOf(answer);
        QCOMPARE(both.size(), std::size_t(2));
        TimelineView view;
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        const auto folded = [&](int side, const char* name) {
            return view.rectOf({side, named(*both[std::size_t(side)].model, name), -1}).height() <
                   Theme::instance().unit(3);
        };
        const auto shownAt = [&](const std::vector<timeline::Side>& sides, int height) {
            view.setSides({});
            view.resize(800, height);
            QTRY_COMPARE(view.height(), height);
            view.setSides(sides);
        };
        shownAt(both, 2000);
        QVERIFY(!folded(0, "aten::addmm") && !folded(1, "aten::addmm") && !folded(0, "gemm"));
        shownAt(both, 180);
        QVERIFY(folded(0, "aten::addmm") && folded(1, "aten::addmm"));
        QVERIFY(!folded(0, "gemm") && !folded(1, "gemm"));
        shownAt({both[0]}, 180); // one side scrolls
        QVERIFY(!folded(0, "aten::addmm"));
    }

    void theBusiestStreamStaysWhereTwoSidesDoNotFit()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        for (int track = 7; track < 20; ++track) {
            answer.reference.tracks.push_back(
                {track, protocol::TimelineTrack::Kind::Stream, "stream " + std::to_string(track + 1), 0});
            answer.reference.events.push_back(timeline::samples::kernelOn(track, "short", 20'000, 9'000, 0));
        }
        answer.candidate = answer.reference;
        const auto both = timeline::sidesOf(answer);
        TimelineView view;
        view.resize(800, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setSides(both);
        const auto tall = [&](const char* name) { return view.rectOf({0, named(*both[0].model, name), -1}).height(); };
        QVERIFY(tall("gemm") > Theme::instance().unit(3)); // which works longest
        QVERIFY(tall("short") < Theme::instance().unit(3));
    }

    void theHeadingStaysAtTheTop()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        answer.candidate = answer.reference;
        const auto both = timeline::sidesOf(answer);
        TimelineView view;
        view.resize(800, 2000);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setSides(both); // nothing is folded
        view.resize(800, 150);
        QTRY_VERIFY(view.verticalScrollBar()->maximum() > 0);
        const int heading = view.bandLayout().headingHeight, below = view.rulerHeight() + heading / 2;
        view.verticalScrollBar()->setValue(2 * heading);
        const TimelineBand* top = view.places().bandAt({10, below});
        QVERIFY(top && top->kind == TimelineBand::Kind::Heading && top->side == 0);
        QVERIFY(!view.places().pickedAt({400, below})); // what is behind it is out of reach
        view.verticalScrollBar()->setValue(view.bandLayout().sides[1].first + 2 * heading);
        top = view.places().bandAt({10, below});
        QVERIFY(top && top->kind == TimelineBand::Kind::Heading && top->side == 1);
    }

    void pinsAndWhatWasFoundAreMarked()
    {
        const auto sides = timeline::sidesOf(timeline::samples::answer());
        TimelineView view;
        view.resize(800, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        view.setSides(sides);
        const timeline::EventIndex gemm = named(*sides[0].model, "gemm");
        const auto inked = [&](Role role) {
            const QImage image = view.grab().toImage();
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    count += image.pixelColor(x, y) == Theme::instance().color(role);
            return count;
        };
        const int before = inked(Role::Warning);
        view.setFound({{0, gemm}});
        QVERIFY(inked(Role::Warning) > before);
        view.setFound({});
        QCOMPARE(inked(Role::Warning), before);

        view.setFocus();
        view.pick({0, gemm, -1});
        QTest::keyClick(&view, Qt::Key_P);
        QCOMPARE(view.pins().size(), std::size_t(1));
        QCOMPARE(view.pins()[0].time_ns, double(sides[0].model->begin_ns[gemm]));
        QVERIFY(inked(Role::WarningText) > 20);
        const double at = view.pins().front().time_ns;
        view.setRange({at + 1'000, at + 2'000});
        QTest::keyClick(&view, Qt::Key_P, Qt::ShiftModifier);
        QVERIFY(view.range().from_ns < at && view.range().to_ns > at);

        // A name is written at the flag, and makes it wider.
        const int bare = inked(Role::WarningText);
        QTest::keyClick(&view, Qt::Key_N);
        auto* line = view.findChild<QLineEdit*>("pinName");
        QVERIFY(line && line->hasFocus());
        QCOMPARE(line->accessibleName(), QString("Name of pin 1"));
        QTest::keyClicks(line, "product");
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(view.pins()[0].name, QString("product"));
        QVERIFY(view.hasFocus());
        QTRY_VERIFY(!view.findChild<QLineEdit*>("pinName"));
        QVERIFY(inked(Role::WarningText) > bare + 20);
        QTest::keyClick(&view, Qt::Key_P, Qt::ShiftModifier);
        QCOMPARE(view.accessibleDescription().section(u'.', 0, 0), QString("Pin 1 of 1 product"));
        QTest::keyClick(&view, Qt::Key_N); // Esc leaves it as it was
        line = view.findChild<QLineEdit*>("pinName");
        QCOMPARE(line->text(), QString("product"));
        QTest::keyClicks(line, "other");
        QTest::keyClick(line, Qt::Key_Escape);
        QCOMPARE(view.pins()[0].name, QString("product"));
        QTRY_VERIFY(!view.findChild<QLineEdit*>("pinName"));
        const int x = view.nameWidth() + int(view.places().scale.x(at));
        QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, QPoint(x + 5, 5));
        line = view.findChild<QLineEdit*>("pinName");
        QVERIFY(line);
        line->clear();
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(view.pins()[0].name, QString());

        QTest::keyClick(&view, Qt::Key_P); // of the same event once more
        QVERIFY(view.pins().empty());
    }

    void whatRanSideBySideIsSaidSo()
    {
        protocol::Timeline timeline = timeline::samples::gpu();
        for (int copy = 0; copy < 8; ++copy) // of 30 µs each in windows of 200
            timeline.events.push_back(timeline::samples::kernelOn(5, "gemm", 30'000, 30'000, 11));
        const TimelineView::Sides sides{{"reference", timeline::modelOf(timeline)}};
        WorkModel model;
        model.setRows(sides, WorkModel::rowsOf(sides, {}));
        const auto share = [&](const char* name, int role = Qt::DisplayRole) {
            for (int row = 0; row < model.rowCount(); ++row)
                if (model.index(row, WorkModel::Name).data() == QLatin1String(name))
                    return model.index(row, WorkModel::Share).data(role).toString();
            return QString();
        };
        QCOMPARE(share("gemm"), QStringLiteral("∥ 140 %")); // 9 * 30 + 10 of 200
        QVERIFY2(share("gemm", Qt::ToolTipRole).startsWith("Side by side: 1.4 of these ran at a time"),
                 qPrintable(share("gemm", Qt::ToolTipRole)));
        QVERIFY2(!share("relu").contains(u'∥'), qPrintable(share("relu")));
        QVERIFY(share("relu", Qt::ToolTipRole).isEmpty());
    }

    void pinsStayWithTheirRecording()
    {
        showTask();
        const Picked gemm{0, named(*view().sides()[0].model, "gemm"), -1};
        view().setFocus();
        view().pick(gemm);
        QTest::keyClick(&view(), Qt::Key_P);
        QTest::keyClick(&view(), Qt::Key_N);
        auto* line = m_page->findChild<QLineEdit*>("pinName");
        QVERIFY(line);
        QTest::keyClicks(line, "the product");
        QTest::keyClick(line, Qt::Key_Return);
        const std::vector<ui::TimelinePin> pins = view().pins();
        QCOMPARE(pins.size(), std::size_t(1));
        QCOMPARE(pins[0].name, QString("the product"));
        m_page->choose({m_sample.second}); // another recording has its own
        QTRY_VERIFY_WITH_TIMEOUT(view().pins().empty(), deadline_ms);
        cleanup();
        init();
        showTask();
        QTRY_VERIFY(view().pins() == pins);
        view().pick(gemm);
        QTest::keyClick(&view(), Qt::Key_P);
        QVERIFY(view().pins().empty());
    }

    void gapsSayTheirCause()
    {
        showTask();
        auto* gaps = m_page->findChild<QTableView*>("timelineGaps");
        m_page->findChild<QTabWidget*>("timelineTables")->setCurrentIndex(3);
        QVERIFY(gaps->model()->rowCount() >= 5);
        gaps->setCurrentIndex(gaps->model()->index(0, 0));
        QVERIFY(view().picked() && view().picked().gap >= 0);
        const auto& gap =
            view().sides()[std::size_t(view().picked().side)].model->gaps[std::size_t(view().picked().gap)];
        QCOMPARE(gap.duration_ns(), 60'000); // the longest: 200 to 260 us
        QVERIFY(m_page->findChild<InfoView*>()->toPlainText().contains(QStringLiteral("% of the gap")));
        const auto cell = [&](int row, int column, int role = Qt::DisplayRole) {
            return gaps->model()->index(row, column).data(role).toString();
        };
        QCOMPARE(cell(0, GapsModel::Start), QStringLiteral("200.000 µs"));
        QVERIFY2(cell(0, GapsModel::Share, Qt::ToolTipRole).contains(QStringLiteral("% of the gap")),
                 qPrintable(cell(0, GapsModel::Share, Qt::ToolTipRole)));
        QCOMPARE(cell(0, GapsModel::Next), QStringLiteral("gemm"));
        for (int row = 0; row < gaps->model()->rowCount(); ++row) {
            QVERIFY(!cell(row, GapsModel::Cause).isEmpty());
            const QString decimals = cell(row, GapsModel::Start).section(u'.', 1); // in one unit, as many in all rows
            QVERIFY2(decimals.size() == 6 && decimals.endsWith(QStringLiteral(" µs")), qPrintable(decimals));
            QVERIFY2(cell(row, GapsModel::Share).isEmpty() || cell(row, GapsModel::Share).endsWith(u'%'),
                     qPrintable(cell(row, GapsModel::Share)));
        }
        QTest::keyClick(&view(), Qt::Key_F);
        QVERIFY(view().range().length_ns() < 80'000);
        // By the pointer too, on its own row above the tracks.
        const QRect where = view().rectOf(view().picked());
        QTest::keyClick(&view(), Qt::Key_Escape);
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, where.center());
        QVERIFY(view().picked().gap >= 0);
    }

    void measuresBetweenEdges()
    {
        showTask();
        auto* work = m_page->findChild<QTableView*>("timelineWork");
        const timeline::Model& model = *view().sides()[0].model;
        const QRect gemm = view().rectOf({0, named(model, "gemm"), -1});
        // Dragged with Shift from near its begin to near its end: both snap.
        QTest::mousePress(view().viewport(), Qt::LeftButton, Qt::ShiftModifier,
                          QPoint(gemm.left() + 2, gemm.center().y()));
        QTest::mouseMove(view().viewport(), QPoint(gemm.right() - 2, gemm.center().y()));
        QTest::mouseRelease(view().viewport(), Qt::LeftButton, Qt::ShiftModifier,
                            QPoint(gemm.right() - 2, gemm.center().y()));
        QVERIFY(view().span().has_value());
        QCOMPARE(view().span()->begin_ns, 30'000);
        QCOMPARE(view().span()->end_ns, 60'000);
        QVERIFY(m_page->findChild<InfoView*>()->toPlainText().contains(QStringLiteral("30 µs")));
        const auto relu = [&] {
            for (int row = 0; row < work->model()->rowCount(); ++row)
                if (work->model()->index(row, WorkModel::Name).data() == QStringLiteral("relu"))
                    return work->model()->index(row, WorkModel::Total).data().toString();
            return QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(relu().replace(QChar::Nbsp, u' '), QStringLiteral("10.0 µs"),
                                  deadline_ms); // of its 20 in the span
        QTest::keyClick(&view(), Qt::Key_Escape);
        QVERIFY(!view().span());

        // By the keyboard alone: from this event's begin to that one's end.
        view().pick({0, named(model, "gemm"), -1});
        QTest::keyClick(&view(), Qt::Key_M);
        QVERIFY(view().isMeasuring());
        QTest::mouseMove(view().viewport(), gemm.topLeft() + QPoint(5, 1)); // the pointer has no part in it
        QCOMPARE(view().span()->begin_ns, 30'000);
        QCOMPARE(view().span()->end_ns, 60'000);
        QTest::keyClick(&view(), Qt::Key_Right);
        QTest::keyClick(&view(), Qt::Key_M);
        QVERIFY(!view().isMeasuring());
        QCOMPARE(view().span()->begin_ns, 30'000);
        QCOMPARE(view().span()->end_ns, 270'000);
        QTest::keyClick(&view(), Qt::Key_F);
        QVERIFY(view().range().length_ns() < 300'000);
    }

    void measuresBetweenTwoClicks()
    {
        showTask();
        QToolButton* button = nullptr;
        for (QToolButton* one : m_page->findChildren<QToolButton*>())
            if (one->text() == QStringLiteral("Measure"))
                button = one;
        QVERIFY(button);
        const QRect gemm = view().rectOf({0, named(*view().sides()[0].model, "gemm"), -1});
        QCursor::setPos(m_page->mapToGlobal(button->geometry().center())); // on the button, and so on no edge
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(view().isMeasuring() && !view().span());
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, QPoint(gemm.left() + 2, gemm.center().y()));
        QVERIFY(view().isMeasuring());
        QTest::mouseMove(view().viewport(), gemm.center());
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, QPoint(gemm.right() - 2, gemm.center().y()));
        QVERIFY(!view().isMeasuring() && view().span());
        QCOMPARE(view().span()->begin_ns, 30'000);
        QCOMPARE(view().span()->end_ns, 60'000);
        QTest::keyClick(&view(), Qt::Key_Escape);
        QTest::mouseClick(button, Qt::LeftButton);
        QTest::mouseClick(button, Qt::LeftButton); // no edge after all
        QVERIFY(!view().isMeasuring() && !view().span());
    }

    void draggingMoves()
    {
        showTask();
        QTest::keyClick(&view(), Qt::Key_W);
        const ViewRange now = view().range();
        QTest::mousePress(view().viewport(), Qt::LeftButton, {}, QPoint(700, 300));
        QTest::mouseMove(view().viewport(), QPoint(600, 300));
        QTest::mouseRelease(view().viewport(), Qt::LeftButton, {}, QPoint(600, 300));
        QVERIFY(view().range().from_ns > now.from_ns);
        QVERIFY(!view().picked()); // a drag is no click
    }

    void slashSearches()
    {
        showTask();
        view().setFocus();
        QTest::keyClick(&view(), Qt::Key_Slash);
        auto* search = m_page->findChild<QLineEdit*>("timelineSearch");
        QVERIFY(search->hasFocus());
        QTest::keyClicks(search, "^ge.m$");
        auto* found = m_page->findChild<QTableView*>("timelineFound");
        QTRY_COMPARE_WITH_TIMEOUT(found->model()->rowCount(), 2, deadline_ms);
        QCOMPARE(m_page->findChild<QLabel*>("timelineCounter")->text(), QStringLiteral("2 found"));
        QTest::keyClick(search, Qt::Key_Return);
        const auto& model = *view().sides()[0].model;
        QCOMPARE(model.begin_ns[view().picked().event], 30'000);
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(model.begin_ns[view().picked().event], 260'000);
        QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(model.begin_ns[view().picked().event], 30'000);
        search->setText(QStringLiteral("gemm(")); // no regular expression, so a text
        QTRY_COMPARE_WITH_TIMEOUT(m_page->findChild<QLabel*>("timelineCounter")->text(), QStringLiteral("0 found"),
                                  deadline_ms);
        QTest::keyClick(search, Qt::Key_Escape);
        QVERIFY(view().hasFocus());
    }

    void tracesComeAndGo()
    {
        showTask();
        const QString file = m_folder.filePath("own.json");
        QSignalSpy errors(m_page.get(), &TimelinePage::errorRaised);
        m_page->exportTrace(m_sample.best, file);
        QTRY_VERIFY_WITH_TIMEOUT(timeline::loadTrace(file.toStdString()).ok(), deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(!m_page->findChild<QToolButton*>("timelineStop")->isVisible(), deadline_ms);
        QCOMPARE(timeline::loadTrace(file.toStdString())->reference.events.size(),
                 timeline::samples::gpu().events.size());
        QVERIFY(m_page->findChild<QToolButton*>("timelineClose")->isHidden());
        m_page->openTrace(file);
        QVERIFY(m_page->findChild<QToolButton*>("timelineStop")->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QToolButton*>("timelineClose")->isVisible(), deadline_ms);
        QCOMPARE(view().sides()[0].title, std::string("reference 3/41"));
        QTest::mouseClick(m_page->findChild<QToolButton*>("timelineClose"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(
            QString::fromStdString(view().sides()[0].title).startsWith(QStringLiteral("Reference 1/12")), deadline_ms);
        QCOMPARE(errors.count(), 0);
        m_page->openTrace(m_folder.filePath("none.json"));
        QTRY_COMPARE_WITH_TIMEOUT(errors.count(), 1, deadline_ms);
        QVERIFY(
            QString::fromStdString(errors[0][0].value<base::Error>().message).contains(QStringLiteral("none.json")));
    }

    void largeCountsHaveGroupsOfDigits()
    {
        const QString path = m_folder.filePath("many.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[");
        for (int i = 0; i < 12'345; ++i)
            file.write(QByteArrayLiteral("{\"ph\":\"X\",\"name\":\"relu\",\"ts\":%1,\"dur\":1,\"pid\":1,\"tid\":1},\n")
                           .replace("%1", QByteArray::number(2 * i)));
        file.close();
        m_page->openTrace(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_page->findChild<QToolButton*>("timelineClose")->isVisible(), deadline_ms);
        QCOMPARE(view().sides().size(), std::size_t(1));
        // Only operators are in it, so their table is the one that is shown.
        auto* work = m_page->findChild<QTableView*>("timelineOperators");
        QTRY_COMPARE_WITH_TIMEOUT(work->model()->rowCount(), 1, deadline_ms);
        auto* tabs = m_page->findChild<QTabWidget*>("timelineTables");
        QVERIFY(!tabs->isTabVisible(0) && tabs->currentIndex() == 1 && !tabs->isTabVisible(2));
        QCOMPARE(work->model()->index(0, WorkModel::Count).data().toString(), QStringLiteral("12,345"));
        m_page->search(QStringLiteral("relu"));
        QTRY_COMPARE_WITH_TIMEOUT(m_page->findChild<QLabel*>("timelineCounter")->text(),
                                  QStringLiteral("12,345 found, the first 10,000 listed"), deadline_ms);
        QCOMPARE(m_page->findChild<QTabWidget*>()->tabText(4), QStringLiteral("Found: 12,345"));
    }

    void damagedRecordingsAreSaidOnce()
    {
        QSignalSpy errors(m_page.get(), &TimelinePage::errorRaised);
        base::TimelineId id;
        {
            auto project = store::Project::open(m_sample.file.toStdString());
            id = *(*project)->addTimeline(m_sample.untried, {}, timeline::samples::answer());
        }
        {
            QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "damage");
            database.setDatabaseName(m_sample.file);
            QVERIFY(database.open());
            QVERIFY(QSqlQuery(database).exec(
                QStringLiteral("UPDATE timelines SET json_zlib = x'00' WHERE id = %1").arg(id.value)));
        }
        QSqlDatabase::removeDatabase("damage");
        m_selection.select(m_sample.untried, {}, {}, QStringLiteral("timeline"));
        QTRY_COMPARE_WITH_TIMEOUT(errors.count(), 1, deadline_ms);
        QVERIFY(
            QString::fromStdString(errors[0][0].value<base::Error>().hint).contains(QStringLiteral("Record it again")));
        emit m_project.tasksChanged();
        QTest::qWait(100);
        QCOMPARE(errors.count(), 1);
    }

    void openingStopsWhenAsked()
    {
        // Large enough to be still going on when the button is pressed.
        const QString path = m_folder.filePath("large.json");
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("[");
            const QByteArray line = "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1},\n";
            for (int i = 0; i < 40; ++i)
                file.write(line.repeated(20'000));
        }
        QSignalSpy errors(m_page.get(), &TimelinePage::errorRaised);
        m_page->openTrace(path);
        auto* stop = m_page->findChild<QToolButton*>("timelineStop");
        QVERIFY(stop->isVisible());
        QTest::mouseClick(stop, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!stop->isVisible(), deadline_ms);
        QVERIFY(m_page->isEmpty()); // no task is selected, and no trace was opened
        QCOMPARE(errors.count(), 0);
    }

    void modelsAndNames()
    {
        showTask();
        for (const char* name :
             {"timelineWork", "timelineOperators", "timelineCalls", "timelineGaps", "timelineFound"}) {
            auto* table = m_page->findChild<QTableView*>(name);
            QVERIFY(!table->accessibleName().isEmpty());
            auto* source = static_cast<QSortFilterProxyModel*>(table->model())->sourceModel();
            QAbstractItemModelTester tester(source, QAbstractItemModelTester::FailureReportingMode::QtTest);
        }
        for (QToolButton* button : m_page->findChildren<QToolButton*>())
            if (button->isVisible())
                QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty(),
                         qPrintable(button->objectName()));
        QVERIFY(!view().accessibleName().isEmpty());
    }

    /// Of a name's cell, as the table paints it.
    void differentNamesLookDifferent()
    {
        const QString begin = QStringLiteral("void cutlass::Kernel2<cutlass_80_wmma_tensorop_"),
                      end = QStringLiteral("_32x32_128x2_nn_align8>(cutlass::Params, at::native::BinaryFunctor)");
        const QStringList names{
            begin + QStringLiteral("f16_s161616gemm") + end,   begin + QStringLiteral("bf16_s161616gemm") + end,
            begin + QStringLiteral("f16_s161616gemm") + end,   begin + QStringLiteral("f32_s884gemm") + end,
            begin + QStringLiteral("f32_s884gemm_relu") + end, QStringLiteral("memset")};
        QStandardItemModel model(int(names.size()), 2);
        for (int row = 0; row < model.rowCount(); ++row)
            model.setItem(row, 0, new QStandardItem(names[row]));
        QTableView table;
        table.setModel(&model);
        table.setTextElideMode(Qt::ElideMiddle);
        table.setFocusPolicy(Qt::NoFocus);
        table.resize(340, 400);
        table.show();
        const auto painted = [&table, &model](int row) {
            return table.viewport()->grab(table.visualRect(model.index(row, 0))).toImage();
        };
        table.setColumnWidth(0, Theme::instance().unit(60));
        QVERIFY(painted(0) == painted(1)); // without the delegate
        const NameDelegate delegate(table, 0, 1);
        QTest::qWait(0); // widths follow those of the other columns later
        for (const int width : {340, 600}) {
            table.resize(width, 400);
            QTRY_COMPARE(table.width(), width);
            for (int a = 0; a < model.rowCount(); ++a)
                for (int b = 0; b < a; ++b)
                    QVERIFY2((painted(a) == painted(b)) == (names[a] == names[b]), qPrintable(names[a]));
        }
        QCOMPARE(model.index(0, 0).data().toString(), names[0]);
    }

    void totalsOfGapsAreCutToThreeLines()
    {
        GapTotals totals;
        const QString what = QStringLiteral("the device waited 12 times, 34 µs in all, most of it for a launch; ");
        const QStringList whole{QStringLiteral("A: ") + what.repeated(6), QStringLiteral("B: short")};
        totals.setTotals(whole);
        totals.resize(400, 120);
        totals.show();
        const auto lines = [&totals] { return totals.heightForWidth(totals.width()) / totals.fontMetrics().height(); };
        QCOMPARE(lines(), 3); // two of the first, which is longer, and the other's
        const QStringList shown = totals.text().split(u'\n');
        QCOMPARE(shown.size(), 2);
        QVERIFY2(shown[0].startsWith(QStringLiteral("A: the device waited")) && shown[0].endsWith(u'…'),
                 qPrintable(shown[0]));
        QCOMPARE(shown[1], whole[1]);
        QCOMPARE(totals.toolTip(), whole.join(u'\n'));
        QCOMPARE(totals.accessibleName(), whole.join(u'\n'));
        totals.setTotals({QStringLiteral("A: short"), whole[1]});
        QCOMPARE(totals.text(), QStringLiteral("A: short\nB: short"));
        QVERIFY(totals.toolTip().isEmpty());
        totals.setTotals(whole);
        totals.resize(4000, 120);
        QCOMPARE(totals.text(), whole.join(u'\n'));
        QVERIFY(totals.toolTip().isEmpty());
    }

    void whatIsNotTimedIsHatched()
    {
        showTask();
        // Between the windows (100 to 200 us) the ground is not the one within them.
        const auto x = [&](double time_ns) {
            return view().nameWidth() + int((time_ns - view().range().from_ns) / view().range().length_ns() *
                                            (view().viewport()->width() - view().nameWidth()));
        };
        const QImage image = view().viewport()->grab().toImage();
        const double scale = image.devicePixelRatio();
        const int y = int((view().rectOf({0, named(*view().sides()[0].model, "late"), -1}).bottom() +
                           view().rectOf({0, named(*view().sides()[0].model, "copy"), -1}).top()) /
                          2 * scale);
        const auto colours = [&](double from_ns, double to_ns) {
            std::set<QRgb> out;
            for (int px = int(x(from_ns) * scale); px < int(x(to_ns) * scale); ++px)
                for (int dy = 0; dy < 4; ++dy)
                    out.insert(image.pixel(px, y + dy));
            return out;
        };
        const auto outside = colours(120'000, 180'000), inside = colours(210'000, 250'000);
        QVERIFY(outside.contains(Theme::instance().color(Role::Border).rgb()));
        QVERIFY(!inside.contains(Theme::instance().color(Role::Border).rgb()));
    }

    /// The last function, since it changes the project.
    void whatContradictsTheJudgeIsExplained()
    {
        const auto text = [this] { return m_page->findChild<InfoView*>()->toPlainText(); };
        m_selection.select(m_sample.task, {}, m_sample.second, QStringLiteral("timeline"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_page->isEmpty() && view().sides().size() == 2, deadline_ms);
        QVERIFY(!text().contains(QStringLiteral("judge's number counts"))); // nothing was judged on that device
        {
            auto project = store::Project::open(m_sample.file.toStdString());
            protocol::Evaluation evaluation = tests::judged(protocol::Verdict::Correct, 9, 8.9, 9.1);
            evaluation.device.model = "NVIDIA H200";
            QVERIFY((*project)->addEvaluation(m_sample.second, evaluation).ok());
        }
        cleanup();
        init();
        m_selection.select(m_sample.task, {}, m_sample.second, QStringLiteral("timeline"));
        QTRY_VERIFY_WITH_TIMEOUT(text().contains(QStringLiteral("the judge 9.00×")) &&
                                     text().contains(QStringLiteral("judge's number counts")),
                                 deadline_ms);
    }

private:
    TimelineView& view() { return *m_page->view(); }
    bool isFolded(const Picked& picked) { return view().rectOf(picked).height() < Theme::instance().unit(3); }
    void showTask()
    {
        m_selection.select(m_sample.task, {}, m_sample.best, QStringLiteral("timeline"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_page->isEmpty() && view().sides().size() == 2, deadline_ms);
        view().setFocus();
    }

    QTemporaryDir m_folder;
    tests::SampleProject m_sample;
    ProjectModel m_project;
    Selection m_selection;
    std::unique_ptr<TimelinePage> m_page;
};

QTEST_MAIN(TestTimelinePage)
#include "tst_timelinepage.moc"
