// SPDX-License-Identifier: GPL-3.0-or-later
// Charts in the window: pointing, clicking, keys, choices, copy and export, filters of all views.
#include "tests/report/sampleproject.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartsview.h"
#include "ui/charts/chartview.h"
#include "ui/charts/overviewpage.h"
#include "ui/charts/percentilesmodel.h"
#include "ui/kit/filterchips.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/theme.h"
#include "ui/tasks/taskbrowser.h"
#include "ui/variants/variantstable.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QMimeData>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>

using namespace cudal1;
using namespace cudal1::ui;
using charts::ChartKind;

class TestChartView : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    ProjectModel m_project;
    Selection m_selection;

    int markOf(const ChartView& view, const std::string& key) const
    {
        for (std::size_t i = 0; i < view.chart().marks.size(); ++i)
            if (view.chart().marks[i].key == key)
                return int(i);
        return -1;
    }
    /// In the widget, where a mark is pointed at.
    QPoint placeOf(const ChartView& view, int mark) const
    {
        const double unit = Theme::instance().unit(1);
        return (view.drawing().targetOf(mark)->centre + QPointF(2 * unit, unit)).toPoint();
    }
    /// The range with most tasks.
    int fullestRange(const ChartView& view) const
    {
        int best = -1;
        for (std::size_t i = 0; i < view.chart().marks.size(); ++i)
            if (view.chart().marks[i].key.starts_with("range:") &&
                (best < 0 || view.chart().marks[i].tasks.size() > view.chart().marks[std::size_t(best)].tasks.size()))
                best = int(i);
        return best;
    }
    void showKind(ChartsView& view, ChartKind kind)
    {
        QSignalSpy shown(&view, &ChartsView::shown);
        view.setKind(kind);
        QVERIFY(shown.count() > 0 || shown.wait(20'000));
    }

private slots:
    void initTestCase()
    {
        const QString file = m_folder.filePath(QStringLiteral("p.cudal1"));
        {
            auto project = report::samples::smallProject(file.toStdString());
            store::VariantRecord compiled = store::samples::variant("class ModelNew: # compiled", "1/12");
            compiled.baseline = "compile";
            QVERIFY(
                project
                    ->addEvaluation(project->addVariant(compiled).value(), report::samples::detail::timed(2, 2, 0.01))
                    .ok());
        }
        QSignalSpy tasks(&m_project, &ProjectModel::tasksChanged);
        m_project.open(file, {});
        QVERIFY(tasks.wait(20'000));
    }
    void cleanup()
    {
        m_selection.removeFilter({});
        m_selection.selectPage(QStringLiteral("overview"));
    }

    void aClickOnABarFiltersAllViews()
    {
        OverviewPage page(m_project, m_selection);
        TaskBrowser browser(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        ChartView& view = *page.charts()->panel()->view();
        QCOMPARE(page.list()->model()->rowCount(), 5);
        const int mark = fullestRange(view);
        const charts::Mark bar = view.chart().marks[std::size_t(mark)];
        QCOMPARE(bar.tasks.size(), std::size_t(3)); // 1x; 0.5x and the failure count as 1x
        QTest::mouseClick(&view, Qt::LeftButton, {}, placeOf(view, mark));
        auto* chips = page.list()->parentWidget()->findChild<FilterChips*>();
        QCOMPARE(chips->texts(), QStringList(bar.chip));
        QCOMPARE(page.list()->model()->rowCount(), 3);
        QVERIFY(browser.findChild<FilterChips*>()->texts().contains(bar.chip));
        // A filter of another kind joins it; a second click on the bar lets go of its own.
        const int other = markOf(view, "level:3");
        QTest::mouseClick(&view, Qt::LeftButton, {}, placeOf(view, other));
        QCOMPARE(chips->texts(), (QStringList{bar.chip, QStringLiteral("level 3")}));
        QCOMPARE(page.list()->model()->rowCount(), 0);
        QTest::mouseClick(&view, Qt::LeftButton, {}, placeOf(view, mark));
        QCOMPARE(chips->texts(), QStringList(QStringLiteral("level 3")));
        QCOMPARE(page.list()->model()->rowCount(), 1);
        QTest::mouseClick(chips->findChild<QToolButton*>(QStringLiteral("chip-level")), Qt::LeftButton);
        QCOMPARE(page.list()->model()->rowCount(), 5);
        QVERIFY(m_selection.filters().empty());
    }

    void pointingSaysTheNumbers()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        ChartView& view = *page.charts()->panel()->view();
        const int mark = fullestRange(view);
        QTest::mouseMove(&view, placeOf(view, mark));
        QTRY_COMPARE(view.hoverText(), view.chart().marks[std::size_t(mark)].hover);
        QVERIFY(view.hoverText().contains(QStringLiteral("3 tasks")));
        QCOMPARE(view.accessibleDescription(), view.hoverText());
        QVERIFY(!view.accessibleName().isEmpty());
    }

    void keysWalkTheMarks()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        ChartView& view = *page.charts()->panel()->view();
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("5 tried tasks")));
        QTest::keyClick(&view, Qt::Key_Right);
        const QString first = view.hoverText();
        QVERIFY(!first.isEmpty());
        QTest::keyClick(&view, Qt::Key_Right);
        QVERIFY(view.hoverText() != first);
        QTest::keyClick(&view, Qt::Key_Left);
        QCOMPARE(view.hoverText(), first);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(m_selection.filters().size(), std::size_t(1));
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(m_selection.filters().empty());
        QVERIFY(view.hoverText().isEmpty());
    }

    void everyChartExportsWhatIsSeen()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        ChartPanel& panel = *page.charts()->panel();
        for (const ChartKind kind :
             {ChartKind::Distribution, ChartKind::FastP, ChartKind::Baselines, ChartKind::Effects,
              ChartKind::Techniques, ChartKind::Progress, ChartKind::Devices}) {
            if (kind != page.charts()->kind())
                showKind(*page.charts(), kind);
            const charts::Chart& chart = panel.view()->chart();
            QVERIFY2(!chart.isEmpty(), qPrintable(chart.empty));
            const QString base = m_folder.filePath(QString::fromStdString(chart.kind));
            for (const char* ending : {".svg", ".png", ".csv"}) {
                const base::Status status = panel.exportTo(base + QLatin1String(ending));
                QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
            }
            QFile svg(base + QStringLiteral(".svg"));
            QVERIFY(svg.open(QIODevice::ReadOnly));
            QXmlStreamReader reader(&svg);
            QString text;
            while (!reader.atEnd())
                if (reader.readNext() == QXmlStreamReader::Characters)
                    text += reader.text();
            QVERIFY(!reader.hasError());
            QVERIFY(text.contains(chart.title));
            const QImage png(base + QStringLiteral(".png"));
            QVERIFY(png.width() >= 2 * panel.view()->drawing().size.width());
            QFile csv(base + QStringLiteral(".csv"));
            QVERIFY(csv.open(QIODevice::ReadOnly));
            QCOMPARE(QString::fromUtf8(csv.readAll()), charts::csvOf(chart.table));
        }
        const base::Status wrong = panel.exportTo(m_folder.filePath(QStringLiteral("x.bmp")));
        QVERIFY(!wrong.ok());
        QVERIFY(!panel.exportTo(QStringLiteral("/nowhere/at/all.svg")).ok());
    }

    void copyGivesAPicture()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        QTest::mouseClick(page.findChild<QToolButton*>(QStringLiteral("copyChart")), Qt::LeftButton);
        const QMimeData* data = QApplication::clipboard()->mimeData();
        QVERIFY(data->hasImage());
        QVERIFY(data->data(QStringLiteral("image/svg+xml")).contains("<svg"));
    }

    void theTableHasTheNumbers()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        ChartPanel& panel = *page.charts()->panel();
        QAbstractItemModelTester tester(panel.table()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(!panel.table()->isVisible());
        QTest::mouseClick(page.findChild<QToolButton*>(QStringLiteral("chartAsTable")), Qt::LeftButton);
        QVERIFY(panel.table()->isVisible());
        QCOMPARE(panel.table()->model()->rowCount(), int(panel.view()->chart().table.rows.size()));
        showKind(*page.charts(), ChartKind::FastP);
        QCOMPARE(panel.table()->model()->rowCount(), int(panel.view()->chart().table.rows.size()));
    }

    void theRuleForFailuresIsAChoice()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        auto* rule = page.findChild<QComboBox*>(QStringLiteral("failures"));
        auto* model = page.percentiles()->model();
        const auto mean = [&] {
            return model->index(1, PercentilesModel::Mean).data().toString();
        }; // level 1: 4x, and a failure
        QCOMPARE(mean(), QStringLiteral("2.50×"));
        const auto choose = [&](charts::Failures failures) {
            rule->setCurrentIndex(rule->findData(int(failures)));
            emit rule->activated(rule->currentIndex());
        };
        choose(charts::Failures::Zero);
        QCOMPARE(mean(), QStringLiteral("2.00×"));
        QVERIFY(page.charts()->panel()->view()->chart().note.contains(QStringLiteral("counted as 0")));
        choose(charts::Failures::LeftOut);
        QCOMPARE(mean(), QStringLiteral("4.00×"));
    }

    void theScatterOffersEveryBaseline()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        showKind(*page.charts(), ChartKind::Baselines);
        auto* x = page.findChild<QComboBox*>(QStringLiteral("chartX"));
        QVERIFY(x->isVisible());
        QCOMPARE(x->currentText(), QStringLiteral("torch.compile"));
        const ChartView& view = *page.charts()->panel()->view();
        QCOMPARE(view.chart().table.rows.size(), std::size_t(1));
        // A double click on a point goes to the variant.
        const int mark = markOf(view, "task:1/12");
        QTest::mouseDClick(page.charts()->panel()->view(), Qt::LeftButton, {}, placeOf(view, mark));
        QCOMPARE(m_selection.page(), QStringLiteral("compare"));
        QCOMPARE(m_selection.task().value, std::string("1/12"));
        QVERIFY(m_selection.right() == view.chart().marks[std::size_t(mark)].variant);
    }

    void aTechniqueFiltersTheVariantsOfATask()
    {
        OverviewPage page(m_project, m_selection);
        VariantsTable table(m_project);
        table.setSelection(m_selection);
        table.setTask({"1/12"});
        QTRY_COMPARE(table.view()->model()->rowCount(), 2);
        page.resize(1200, 760);
        page.show();
        showKind(*page.charts(), ChartKind::Techniques);
        const ChartView& view = *page.charts()->panel()->view();
        QTest::mouseClick(page.charts()->panel()->view(), Qt::LeftButton, {},
                          placeOf(view, markOf(view, "technique:cuda_graph")));
        QCOMPARE(table.view()->model()->rowCount(), 1);
        QCOMPARE(table.findChildren<FilterChips*>().front()->texts() +
                     table.findChildren<FilterChips*>().back()->texts(),
                 QStringList(QStringLiteral("cuda graph")));
        QCOMPARE(page.list()->model()->rowCount(), 1);
        m_selection.removeFilter({});
        QCOMPARE(table.view()->model()->rowCount(), 2);
    }

    void tabsChangeTheChart()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        PageTabs* tabs = page.charts()->tabs();
        page.list()->setFocus();
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
        QCOMPARE(page.focusWidget(), tabs);
        QTest::keyClick(tabs, Qt::Key_Right);
        QTRY_COMPARE(page.charts()->panel()->view()->chart().kind, std::string("fastp"));
        // The chosen one is underlined, not only darker.
        const QImage drawn = tabs->grab().toImage();
        const double scale = drawn.devicePixelRatio();
        const auto under = [&](int tab) {
            return drawn.pixelColor(int(tabs->tabRect(tab).center().x() * scale), drawn.height() - 1);
        };
        QCOMPARE(under(1), Theme::instance().color(Role::Accent));
        QVERIFY(under(0) != under(1));
        tabs->setCurrentIndex(3);
        QTRY_COMPARE(page.charts()->panel()->view()->chart().kind, std::string("effects"));
        auto* what = page.findChild<QComboBox*>(QStringLiteral("chartWhat"));
        what->setCurrentIndex(1);
        emit what->activated(1);
        QTRY_COMPARE(page.charts()->panel()->view()->chart().kind, std::string("techniques"));
    }

    void filesHaveTheColoursOfTheTheme()
    {
        for (const bool dark : {false, true}) {
            Theme::instance().setMode(dark ? Theme::Mode::Dark : Theme::Mode::Light);
            QCOMPARE(chartColors(), charts::colorsOf(dark ? charts::darkPalette() : charts::lightPalette()));
        }
        Theme::instance().setMode(Theme::Mode::Light);
    }

    void barsAreInTheInkOfTheirLevelAndHatched()
    {
        OverviewPage page(m_project, m_selection);
        page.resize(1200, 760);
        page.show();
        ChartView& view = *page.charts()->panel()->view();
        const QImage image = view.grab().toImage();
        const double unit = Theme::instance().unit(1);
        const auto inks = [&](charts::Ink ink) {
            std::set<QRgb> found;
            for (const charts::DrawnShape& shape : view.drawing().shapes)
                if (shape.kind == charts::DrawnShape::Kind::Rectangle && shape.fill == ink && shape.mark >= 0) {
                    const QRectF bar = QRectF(shape.points[0], shape.points[1]).translated(2 * unit, unit);
                    for (int y = int(bar.top()) + 3; y < int(bar.bottom()) - 3; ++y)
                        found.insert(image.pixel(int(bar.left() + bar.width() * 0.3), y));
                }
            return found;
        };
        const std::set<QRgb> solid = inks(charts::Ink::Level1), hatched = inks(charts::Ink::Level2);
        QVERIFY(solid.contains(Theme::instance().levelColor(1).rgb()));
        QVERIFY(hatched.contains(Theme::instance().levelColor(2).rgb()));
        QVERIFY(hatched.size() > solid.size());
    }
};

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    Theme::instance().install(application);
    Theme::instance().setMode(Theme::Mode::Light);
    TestChartView test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_chartview.moc"
