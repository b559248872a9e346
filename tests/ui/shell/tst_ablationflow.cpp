// SPDX-License-Identifier: GPL-3.0-or-later
// The page Ablation by real clicks and keys, against a recorded evaluator: two clicks to a table, designs, Stop, the
// store alone.
#include "tests/ui/shell/windowtest.h"
#include "ui/ablation/ablationpage.h"
#include "ui/ablation/combinationsmodel.h"
#include "ui/ablation/combinationsview.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartview.h"
#include "ui/work/projectmodel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTextBrowser>

#include <cmath>

using namespace cudal1;
using ui::Job;

namespace {

QByteArray line(const QByteArray& contains, double speedup, int delay_ms = 0)
{
    return QStringLiteral(
               R"({"on":"evaluate","candidate_contains":"%1","delay_ms":%2,"reply":{"verdict":"correct","seconds":{"total":2},"speedup":{"wall":{"estimate":%3,"low":%4,"high":%5,"reference_ns":4e6,"candidate_ns":%6},"event":{"estimate":%7,"low":%8,"high":%9,"reference_ns":4e6,"candidate_ns":1e5}}}})")
               .arg(QString::fromUtf8(contains))
               .arg(delay_ms)
               .arg(speedup)
               .arg(speedup * 0.99)
               .arg(speedup * 1.01)
               .arg(4e6 / speedup)
               .arg(speedup * 2)
               .arg(speedup * 1.98)
               .arg(speedup * 2.02)
               .toUtf8() +
           "\n";
}

/// The graph makes it three times as fast, nothing else does anything; static buffers with cuDNN's search are wrong.
const QByteArray recording =
    R"({"on":"evaluate","candidate_contains":"USE_STATIC_BUFFERS = True   # the input is copied into contiguous memory that stays where it is\nUSE_CUDNN_BENCHMARK = True","reply":{"verdict":"incorrect","reasons":[{"code":"wrong_values","text":"3 of 20 trials differ."}]}})"
    "\n" +
    line("USE_CUDA_GRAPH = True", 3) + line("USE_CUDA_GRAPH = False", 1);

} // namespace

class TestAblationFlow : public WindowTest {
    Q_OBJECT
    void make(const QByteArray& lines, const char* task = "")
    {
        record(lines);
        makeWindow({1600, 900});
        const QString suite = samples::suite(path("suite"));
        samples::write(suite + "/level3/41_GRUBidirectional.py", samples::taskSource());
        samples::write(suite + "/level1/66_Conv.py", samples::taskSource());
        openProject(task, "ablation", suite);
    }
    QAbstractItemModel* table() const { return find<QTableView>("combinations")->model(); }
    QString cell(int row, int column) const { return table()->index(row, column).data().toString(); }
    const ui::ChartPanel* panel() const
    {
        return m_window->findChild<ui::AblationPage*>()->findChild<ui::ChartPanel*>();
    }
    int judged() const
    {
        int count = 0;
        const auto view = m_window->findChild<ui::AblationPage*>()->view();
        for (std::size_t row = 0; view && row < view->rows.size(); ++row)
            count += view->rows[row].found.has_value();
        return count;
    }
    QStringList verdicts() const
    {
        QStringList out;
        for (int row = 0; row < table()->rowCount(); ++row)
            out << cell(row, 4 + ui::CombinationsModel::Verdict);
        return out;
    }
    /// As an evaluator says once it is asked.
    void knowTheProcessor()
    {
        protocol::DeviceInfo cpu;
        cpu.name = "cpu";
        cpu.model = "Replay CPU";
        m_window->choice().setDevices({cpu});
    }
    /// Stores an evaluation of the last combination, as another process does.
    void judgeOne(const char* device, const char* model, protocol::Precision precision)
    {
        const auto plan = m_window->findChild<ui::AblationPage*>()->view()->plan;
        const auto project = store::Project::open(path("p.cudal1").toStdString());
        store::VariantRecord variant = plan.variant;
        variant.id = {};
        variant.taskHash = plan.task.hash;
        variant.source = plan.source(plan.combinations.back());
        protocol::Evaluation evaluation;
        evaluation.verdict = protocol::Verdict::Correct;
        evaluation.device.name = device;
        evaluation.device.model = model;
        evaluation.precision.mode = precision;
        evaluation.speedup.wall = {{2, 1.9, 2.1}, 4e6, 2e6};
        QVERIFY((*project)->putTask(plan.task).ok()); // a project has a bundled task once something of it is judged
        const auto added = (*project)->addVariant(variant);
        QVERIFY2(added, added ? "" : added.error().text().c_str());
        QVERIFY((*project)->addEvaluation(*added, evaluation).ok());
    }
    const Job* job() const { return WindowTest::job("3/41"); }
    void runToItsEnd()
    {
        click("runAblation");
        QVERIFY(job() && job()->kind() == ui::JobKind::Ablation);
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message + '\n' + job()->log.join('\n')));
    }

private slots:
    void twoClicksToTheTable()
    {
        make(recording);
        QTRY_VERIFY_WITH_TIMEOUT(find<QLabel>("ablationNothing")->isVisible() &&
                                     find<QPushButton>("ablationExample_1/66")->isEnabled(),
                                 deadline_ms);
        click("ablationExample_3/41"); // one
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        QCOMPARE(table()->columnCount(), 4 + ui::CombinationsModel::FixedCount);
        QCOMPARE(cell(0, 4 + ui::CombinationsModel::Verdict), QString("not judged on cpu"));
        QTRY_VERIFY_WITH_TIMEOUT(find<QLabel>("ablationForecast")->toolTip().contains("16 to judge") ||
                                     find<QLabel>("ablationForecast")->text().contains("16 comb"),
                                 deadline_ms);
        QAbstractItemModelTester tester(table(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        runToItsEnd(); // two
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 16, deadline_ms);

        QVERIFY(!find<QTableView>("combinations")->isColumnHidden(4 + ui::CombinationsModel::Event));
        // Sorted by the wall clock: those with the graph first, incorrect ones last and with their reason.
        QCOMPARE(cell(0, 0), QString("✓"));
        QVERIFY2(cell(0, 4).startsWith("3.00×"), qPrintable(cell(0, 4)));
        QCOMPARE(cell(15, 4 + ui::CombinationsModel::Verdict), QString("incorrect"));
        QCOMPARE(cell(15, 4 + ui::CombinationsModel::Bottleneck), QString("3 of 20 trials differ."));
        QVERIFY(table()->index(0, 5).data(Qt::FontRole).value<QFont>().strikeOut()); // 6× by events
        const charts::Chart& effects = panel()->view()->chart();
        QVERIFY(effects.y.words.size() >= 5 && effects.y.words[0] == "cuda graph" && effects.y.ends[0] == "3.00×");
        QVERIFY(std::abs(effects.series.front().points[0].x - 3) < 1e-9 && !effects.series.front().hollow);
        QVERIFY(std::abs(effects.series.back().points[0].x - 1) < 1e-9 &&
                effects.series.back().hollow); // an interaction by events
        bool told = false, missing = false;
        for (const auto* text : m_window->findChild<ui::AblationPage*>()->findChildren<QTextBrowser*>()) {
            told = told || text->toPlainText().contains("cuda graph makes a call 3.00×");
            missing = missing || text->toPlainText().contains("4 have no speed-up");
        }
        QVERIFY(told && missing);
        // It is the stored one now, and each combination is a variant of the one that was taken apart.
        const auto stored = m_window->project().project()->ablations({"3/41"});
        QVERIFY(stored->size() == 1 && stored->front().run && stored->front().rows.size() == 16);
        QCOMPARE(find<QComboBox>("storedAblation")->count(), 2);
        QCOMPARE(find<QComboBox>("storedAblation")->currentIndex(), 1);

        // By a click on the header, by any column; a double click compares.
        auto* view = find<QTableView>("combinations");
        auto* header = view->horizontalHeader();
        const int verdict = 4 + ui::CombinationsModel::Verdict;
        view->scrollTo(view->model()->index(0, verdict));
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          QPoint(header->sectionViewportPosition(verdict) + 10, header->height() / 2));
        QCOMPARE(view->horizontalHeader()->sortIndicatorSection(), verdict);
        view->scrollTo(view->model()->index(0, 0));
        const QPoint at = view->visualRect(view->model()->index(0, 0)).center();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(view->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(m_window->selection().page(), QString("compare"));
        QVERIFY(m_window->selection().right());
    }

    void fromTheStoreAlone()
    {
        make(recording);
        QTRY_VERIFY_WITH_TIMEOUT(find<QPushButton>("ablationExample_3/41")->isEnabled(), deadline_ms);
        click("ablationExample_3/41");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        runToItsEnd();
        m_window.reset();
        make("# nothing is recorded\n", "3/41");
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 16, deadline_ms);
        QVERIFY(find<QLabel>("ablationForecast")->toolTip().contains("everything is judged") ||
                find<QLabel>("ablationForecast")->text().contains("everything is judged"));

        // Table, plot and findings at once, without scrolling.
        const auto* plot = panel();
        m_window->resize(1440, 900);
        const auto* all = find<QTableView>("combinations");
        QTRY_VERIFY(all->verticalScrollBar()->maximum() == 0 && all->horizontalScrollBar()->maximum() == 0);
        QCOMPARE(plot->visibleRegion().boundingRect(), plot->rect());
        bool findings = false;
        for (const auto* text : m_window->findChild<ui::AblationPage*>()->findChildren<QTextBrowser*>())
            findings = findings || (text->isVisible() && text->visibleRegion().boundingRect().height() >= 100 &&
                                    text->toPlainText().contains("cuda graph makes a call"));
        QVERIFY(findings);
        m_window->resize(1200, 760);
        QTRY_VERIFY(all->horizontalScrollBar()->maximum() > 0); // numbers are not cut for the sentence
        QVERIFY(all->viewport()->height() > 200);
        const QRect seen = plot->visibleRegion().boundingRect(); // whole or to be scrolled down, since names of two
                                                                 // toggles need their lines
        QVERIFY(seen.left() == 0 && seen.width() == plot->width() && seen.top() == 0 && seen.height() > 300);

        // A click on an effect selects the combinations that have it; a double click opens the best of them.
        ui::ChartView* chart = panel()->view();
        QSignalSpy clicked(chart, &ui::ChartView::clicked);
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_Down);
        QTest::keyClick(chart, Qt::Key_Return);
        QCOMPARE(clicked.count(), 1);
        const QModelIndexList chosen = all->selectionModel()->selectedRows();
        QCOMPARE(chosen.size(), 8);
        for (const QModelIndex& row : chosen)
            QCOMPARE(row.siblingAtColumn(0).data().toString(), QStringLiteral("✓"));
        QTest::keyClick(chart, Qt::Key_Escape);

        for (const char* name : {"plot.svg", "plot.png", "plot.csv"})
            QVERIFY(panel()->exportTo(path(name)).ok());
        QFile svg(path("plot.svg")), csv(path("plot.csv"));
        QVERIFY(svg.open(QIODevice::ReadOnly) && svg.readAll().contains("cuda graph"));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QStringList numbers =
            QString::fromUtf8(csv.readAll()).section("effect,cuda_graph,", 1).section("\r\n", 0, 0).split(',');
        QVERIFY(numbers.size() == 7 && std::abs(numbers[0].toDouble() - 3) < 1e-9 && numbers[6].toInt() > 0);
        QCOMPARE(QImage(path("plot.png")).size(), QImage(path("plot.png")).size().expandedTo(QSize(400, 300)));
        QVERIFY(!panel()->exportTo(path("no/such/folder.svg")).ok());

        ui::ChartView* view = panel()->view();
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Down);
        QVERIFY2(view->hoverText().startsWith("cuda graph makes a call") &&
                     view->hoverText().contains("By events: 3.00×"),
                 qPrintable(view->hoverText()));
        QCOMPARE(view->accessibleDescription(), view->hoverText());
        QTest::keyClick(view, Qt::Key_Down); // one key a row, though a row has two marks
        QVERIFY2(view->hoverText().startsWith("private stream"), qPrintable(view->hoverText()));
        QTest::keyClick(view, Qt::Key_Up);
        QVERIFY(view->hoverText().startsWith("cuda graph"));
        QTest::keyClick(view, Qt::Key_Escape);
        QCOMPARE(view->hoverText(), QString());
        auto* combinations = find<QTableView>("combinations");
        combinations->setFocus();
        combinations->clearSelection();
        QTest::keyClick(combinations, Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(copied.startsWith("USE_CUDA_GRAPH,USE_PRIVATE_STREAM,") && copied.count('\n') >= 16,
                 qPrintable(copied.left(200)));
    }

    void aDeviceWithoutEventsHasNoColumnOfThem()
    {
        const int event = 4 + ui::CombinationsModel::Event;
        make(QByteArray(recording).replace("\"event\":", "\"none\":"));
        QTRY_VERIFY_WITH_TIMEOUT(find<QPushButton>("ablationExample_3/41")->isEnabled(), deadline_ms);
        click("ablationExample_3/41");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        auto* view = find<QTableView>("combinations");
        QVERIFY(view->isColumnHidden(event)); // nothing is judged
        const int verdict = 4 + ui::CombinationsModel::Verdict;
        QVERIFY(view->columnWidth(verdict) >
                view->fontMetrics().horizontalAdvance("not judged on cpu") + view->iconSize().width());
        runToItsEnd();
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 16, deadline_ms);
        QVERIFY(view->isColumnHidden(event));
    }

    void bottlenecksByTheRoomThereIs()
    {
        auto view = std::make_shared<ui::AblationView>();
        view->plan.toggles = {{"USE_A", true, 0, 0, 0}};
        view->rows.resize(3);
        for (std::uint32_t row = 0; row < 3; ++row) {
            view->rows[row].on = row;
            ablation::CombinationResult& found = view->rows[row].found.emplace();
            found.verdict = row == 2 ? protocol::Verdict::Incorrect : protocol::Verdict::Correct;
            found.reason.text = row == 2 ? "It differs: here" : "";
            found.wall = {{2, 1.9, 2.1}, 4e6, 2e6};
            found.gpuBusy = row == 0 ? protocol::ClockSpeedup{{2, 1.9, 2.1}, 1e6, 0.74e6} : protocol::ClockSpeedup{};
            found.bottleneck = row == 0 ? "Launch-bound: the GPU works 37 % of a call" : "CPU-bound: 2 ms a call";
        }
        ui::CombinationsModel model;
        model.setView(view);
        QVERIFY(!model.areAllCorrect());
        const auto shown = [&model](ui::CombinationsModel::Bottlenecks how) {
            model.setBottlenecks(how);
            QStringList out;
            for (int row = 0; row < model.rowCount(); ++row)
                out << model.index(row, model.column(ui::CombinationsModel::Bottleneck)).data().toString();
            return out;
        };
        using How = ui::CombinationsModel::Bottlenecks;
        QCOMPARE(shown(How::Word), (QStringList{"Launch-bound", "CPU-bound", "It differs: here"}));
        QCOMPARE(shown(How::Share), (QStringList{"Launch-bound, busy 37 %", "CPU-bound", "It differs: here"}));
        QCOMPARE(shown(How::ShortShare), (QStringList{"Launch, busy 37 %", "CPU-bound", "It differs: here"}));
        for (const How how : {How::Word, How::ShortShare, How::Share})
            QCOMPARE((shown(how),
                      model.index(0, model.column(ui::CombinationsModel::Bottleneck)).data(Qt::ToolTipRole).toString()),
                     QString("Launch-bound: the GPU works 37 % of a call"));
    }

    void resultsOfAnotherDeviceAreShown()
    {
        make(recording, "3/41");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        auto* line = find<QLabel>("judgedElsewhere");
        QVERIFY(!line->isVisible());
        knowTheProcessor();
        judgeOne("cuda:0", "NVIDIA H200", protocol::Precision::Kernelbench);
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 1, deadline_ms);
        QTRY_VERIFY2_WITH_TIMEOUT(line->text().contains("None of these combinations has been judged on Replay CPU ("),
                                  qPrintable(line->text()), deadline_ms);
        QVERIFY2(line->isVisible() && line->text().contains("NVIDIA H200 ("), qPrintable(line->text()));
        QCOMPARE(verdicts().count("not judged on NVIDIA H200"), 15);
        emit line->linkActivated("chosen"); // the device of the window stays as it is
        QTRY_COMPARE_WITH_TIMEOUT(verdicts().count("not judged on cpu"), 16, deadline_ms);
        QVERIFY(line->isVisible() && line->text().contains("Show the results on NVIDIA H200"));
        emit line->linkActivated("elsewhere");
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 1, deadline_ms);
    }

    void resultsOfAnotherPrecisionAreShown()
    {
        make(recording, "3/41");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        knowTheProcessor();
        judgeOne("cpu", "Replay CPU", protocol::Precision::Ieee);
        auto* line = find<QLabel>("judgedElsewhere");
        QTRY_VERIFY2_WITH_TIMEOUT(line->isVisible() && line->text().contains("judged on Replay CPU (kernelbench, ") &&
                                      line->text().contains("results on Replay CPU (ieee, ") &&
                                      line->text().contains("Show Replay CPU (kernelbench, "),
                                  qPrintable(line->text()), deadline_ms);
        // The device is the same, so that it tells nothing apart.
        QTRY_COMPARE_WITH_TIMEOUT(verdicts().count("not judged"), 15, deadline_ms);
        line->setFocus(Qt::TabFocusReason);
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(verdicts().count("not judged"), 16, deadline_ms);
        QVERIFY2(line->text().contains("Show the results on Replay CPU (ieee, "), qPrintable(line->text()));
        QCOMPARE(line->selectedText(), line->text().section(u'>', 1).section(u'<', 0, 0)); // the link has the focus
        QTest::keyClick(line, Qt::Key_Tab);
        QVERIFY(!line->hasFocus());
    }

    void aDeviceThatIsNotKnownYetIsNotClaimed()
    {
        auto view = std::make_shared<ui::AblationView>();
        view->plan.toggles = {{"USE_A", true, 0, 0, 0}};
        view->rows.resize(1);
        view->settings.device = "cuda:0";
        view->elsewhere = ablation::AblationSettings{"cuda:0", "NVIDIA H200", {}, {}};
        ui::ProjectModel project;
        ui::CombinationsView shown(project);
        shown.setView(view);
        const auto* said = shown.findChild<QLabel*>("judgedElsewhere");
        QVERIFY2(said->text().startsWith("It is not known yet which model cuda:0 is. <a href=\"elsewhere\">Show the "),
                 qPrintable(said->text()));
        const auto* rows = shown.findChild<QTableView*>("combinations");
        const int verdict = 1 + ui::CombinationsModel::Verdict;
        QCOMPARE(rows->model()->index(0, verdict).data().toString(), QString("not judged"));
        // The column is as wide as its words are, also where they were longer before.
        const int narrow = rows->columnWidth(verdict);
        auto there = std::make_shared<ui::AblationView>(*view);
        there->here = {view->settings, {}};
        there->settings = {"cuda:0", "A device with a rather long name for its model", {}, {}};
        there->elsewhere = there->settings;
        shown.setView(there);
        QVERIFY(rows->columnWidth(verdict) > narrow && said->text().contains("These are the results on A device"));
        shown.setView(view);
        QCOMPARE(rows->columnWidth(verdict), narrow);
    }

    void theShareIsInViewInASmallWindow()
    {
        make(QByteArray(recording).replace(
                 "\"event\":",
                 R"("gpu_busy":{"estimate":2,"low":1.9,"high":2.1,"reference_ns":1e6,"candidate_ns":5e5},"event":)"),
             "3/41");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        runToItsEnd();
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 16, deadline_ms);
        auto* view = find<QTableView>("combinations");
        const int column = 4 + ui::CombinationsModel::Bottleneck;
        const auto isInView = [view](int shown) {
            return !view->isColumnHidden(shown) &&
                   view->columnViewportPosition(shown) + view->columnWidth(shown) <= view->viewport()->width();
        };
        m_window->resize(1440, 900);
        QTRY_VERIFY_WITH_TIMEOUT(isInView(column) && cell(0, column).contains(" %") && cell(0, column).size() < 25,
                                 deadline_ms);
        QVERIFY(view->fontMetrics().horizontalAdvance(cell(0, column)) < view->columnWidth(column));
        QVERIFY(!view->isColumnHidden(4 + ui::CombinationsModel::Call)); // scrolled to
    }

    void togglesAndDesignsByKeyboard()
    {
        make(recording, "3/41");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        auto* toggles = find<QTableView>("toggles");
        toggles->setFocus();
        toggles->setCurrentIndex(toggles->model()->index(3, 0));
        QTest::keyClick(toggles, Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 8, deadline_ms);
        QCOMPARE(table()->columnCount(), 3 + ui::CombinationsModel::FixedCount);
        auto* design = find<QComboBox>("ablationDesign");
        design->setFocus();
        QTest::keyClick(design, Qt::Key_Down);
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 4, deadline_ms);
        QTest::keyClick(design, Qt::Key_Down);
        QTest::keyClick(design, Qt::Key_Down);
        auto* list = find<QLineEdit>("combinationList");
        QVERIFY(list->isVisible() && list->hasFocus());
        QTest::keyClicks(list, "none, cuda_graph");
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 2, deadline_ms);
        list->selectAll();
        QTest::keyClicks(list, "nothing");
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!find<QAbstractButton>("runAblation")->isEnabled(), deadline_ms); // and says why
        QTRY_VERIFY_WITH_TIMEOUT(find<QLabel>("ablationForecast")->toolTip().contains("no toggle of this ablation") ||
                                     find<QLabel>("ablationForecast")->text().contains("no toggle of this ablation"),
                                 deadline_ms);
        list->selectAll();
        QTest::keyClicks(list, "none,cuda_graph,all");
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 3, deadline_ms);
        QTest::keyClick(find<QTableView>("combinations"), Qt::Key_F6);
        QTRY_VERIFY_WITH_TIMEOUT(job() && job()->state == Job::State::Finished, deadline_ms);
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 3, deadline_ms);
    }

    void stopKeepsWhatIsJudgedAndRunGoesOn()
    {
        make(
            R"({"on":"evaluate","candidate_contains":"USE_CUDA_GRAPH = True","delay_ms":60000,"reply":{"verdict":"correct"}})"
            "\n" +
                line("USE_CUDA_GRAPH = False", 1),
            "3/41");
        QTRY_COMPARE_WITH_TIMEOUT(table()->rowCount(), 16, deadline_ms);
        click("runAblation");
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 1, deadline_ms);
        QCOMPARE(find<QAbstractButton>("runAblation")->text(), QString("Stop"));
        click("runAblation");
        QTRY_VERIFY_WITH_TIMEOUT(job()->state == Job::State::Stopped, deadline_ms);
        QCOMPARE(find<QAbstractButton>("runAblation")->text(), QString("Run"));
        QCOMPARE(judged(), 1);
        m_window.reset();
        make(recording, "3/41");
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 1, deadline_ms);
        runToItsEnd();
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 16, deadline_ms);
        QCOMPARE(m_window->project().project()->ablations()->size(), std::size_t(1));
    }
};

QTEST_MAIN(TestAblationFlow)
#include "tst_ablationflow.moc"
