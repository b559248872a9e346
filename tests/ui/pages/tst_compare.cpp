// SPDX-License-Identifier: GPL-3.0-or-later
// The compare page by mouse and keyboard: folding, links into the code, pairs, drafts, lineage, sources.
#include "core/protocol/codes.h"
#include "pageproject.h"
#include "ui/charts/chartpanel.h"
#include "ui/charts/chartview.h"
#include "ui/compare/comparepage.h"
#include "ui/compare/counterspanel.h"
#include "ui/compare/diffview.h"
#include "ui/compare/drafteditor.h"
#include "ui/compare/pairschart.h"
#include "ui/compare/sidepanel.h"
#include "ui/compare/stripmodel.h"
#include "ui/compare/variantstrip.h"
#include "ui/editor/codecolors.h"
#include "ui/editor/codefindbar.h"
#include "ui/editor/codeview.h"
#include "ui/editor/embeddedcode.h"
#include "ui/kit/theme.h"
#include "ui/variants/infoview.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace cudal1;
using namespace cudal1::ui;

namespace {

std::string filling(int lines, const char* name)
{
    std::string out;
    for (int i = 0; i < lines; ++i)
        out += std::string(name) + std::to_string(i) + " = " + std::to_string(i) + "\n";
    return out;
}

const std::string parentSource = "import torch\n\nUSE_CUDA_GRAPH = True\nUSE_TF32 = False\n" + filling(60, "a") +
                                 "if USE_CUDA_GRAPH:\n    graph = torch.cuda.CUDAGraph()\n" + filling(5, "b");
const std::string childSource = "import torch\n\nUSE_CUDA_GRAPH = True\nUSE_TF32 = True\n" + filling(60, "a") +
                                "if USE_CUDA_GRAPH:\n    graph = torch.cuda.CUDAGraph()\n" + filling(5, "b") +
                                "kernel = r\"\"\"\n__global__ void f(float* x) { x[0] = 1.0f; }\n\"\"\"\n";

/// Where a link with this beginning is in the part of `view` that is seen; scrolls to it.
QPoint placeOf(InfoView* view, const QString& link)
{
    for (int at = 0; at <= view->verticalScrollBar()->maximum(); at += std::max(1, view->viewport()->height() / 2)) {
        view->verticalScrollBar()->setValue(at);
        for (int y = 2; y < view->viewport()->height(); y += 4)
            for (int x = 2; x < view->viewport()->width(); x += 4)
                if (view->anchorAt({x, y}).startsWith(link))
                    return {x, y};
        if (view->verticalScrollBar()->maximum() == 0)
            break;
    }
    return {};
}

std::vector<int> linkedRows(CodeView* view)
{
    std::vector<int> rows;
    for (int row = 0; row < view->lines(); ++row)
        if (view->markersAtLine(row) & (1u << LinkedMarker))
            rows.push_back(row);
    return rows;
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QVERIFY(m_folder.isValid());
        const QString file = m_folder.filePath(QStringLiteral("p.cudal1"));
        {
            auto opened = store::Project::open(file.toStdString());
            QVERIFY(opened.ok());
            store::Project& project = **opened;
            QVERIFY(project.putTask({m_task, "Matmul", "suite", 1, tests::referenceSource(), "hash"}).ok());
            store::VariantRecord record;
            record.task = m_task;
            record.taskHash = "hash";
            record.origin = "technique library";
            record.source = parentSource;
            record.techniques = {"cuda_graph"};
            record.algorithmDesign = "A CUDA graph is replayed. TF32 stays off. CUDA graphs and tf32, or cuda-graph "
                                     "with `USE_TF32`, in one sentence.";
            m_parent = *project.addVariant(record);
            record.source = childSource;
            record.parent = m_parent;
            record.techniques = {"cuda_graph", "tf32"};
            m_child = *project.addVariant(record);
            protocol::Evaluation evaluation = tests::judged(protocol::Verdict::Correct, 2.0, 1.9, 2.1);
            evaluation.device.name = "cuda:0";
            evaluation.speedup.event = {{3.0, 2.9, 3.1}, 4e6, 1.3e6};
            for (int i = 0; i < 12; ++i)
                evaluation.pairs.push_back({i / 6,
                                            i % 2 == 0,
                                            i == 4,
                                            i == 4 ? "the GPU was busy" : "",
                                            {200.0 + i},
                                            {100.0},
                                            {300.0 + i},
                                            {100.0}});
            evaluation.labels.push_back({"clock_disagreement", "The clocks disagree", "3.0 by events"});
            QVERIFY(project.addEvaluation(m_parent, tests::judged(protocol::Verdict::Correct, 1.0, 0.98, 1.02)).ok());
            QVERIFY(project.addEvaluation(m_child, evaluation).ok());
            QVERIFY(project
                        .addEvaluation(m_parent,
                                       [&] {
                                           protocol::Evaluation first = evaluation;
                                           first.speedup.wall.speedup = {1.0, 0.98, 1.02};
                                           first.speedup.event = {};
                                           return first;
                                       }())
                        .ok());
            record.source = tests::referenceSource() + "ModelNew = torch.compile(Model)\n";
            record.techniques = {};
            record.baseline = "compile";
            record.parent = {};
            m_baseline = *project.addVariant(record);
            QVERIFY(project.addEvaluation(m_baseline, tests::judged(protocol::Verdict::Correct, 1.5, 1.45, 1.55)).ok());
            store::Sample sample;
            sample.task = record.task;
            sample.variant = m_child;
            sample.prompt = "Make it faster than <b>this</b>";
            QVERIFY(project.addSamples({sample}).ok());
        }
        QSignalSpy opened(&m_project, &ProjectModel::opened);
        m_project.open(file, {});
        QVERIFY(opened.count() > 0 || opened.wait(10'000));
        QTRY_VERIFY_WITH_TIMEOUT(m_project.variants(m_task) != nullptr, 10'000);
    }

    void init()
    {
        m_selection.clear();
        m_page = std::make_unique<ComparePage>(m_project, m_selection);
        m_page->resize(1600, 900);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
        m_selection.select(m_task, m_parent, m_child, QStringLiteral("compare"));
        QTRY_VERIFY(m_page->analysis()->toPlainText().contains(QStringLiteral("2.00×")));
    }
    void cleanup() { m_page.reset(); }

    void equalPartsFoldAndUnfold()
    {
        DiffView* diff = m_page->diffView();
        diff->right()->setFocus();
        QVERIFY(!diff->isFolded());
        const int all = int(diff->right()->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, diff->right()->lines()));
        QTest::keyClick(diff->right(), Qt::Key_E);
        QVERIFY(diff->isFolded());
        QVERIFY(m_page->findChild<QAction*>(QStringLiteral("foldEqual"))->isChecked());
        // Line 4 differs, and the end: what lies between is out of sight on both sides, with a note in its place.
        const auto& hidden = diff->left()->hidden();
        QCOMPARE(int(hidden.size()), 1);
        QCOMPARE(hidden[0].first, 4 + 3);
        QVERIFY(hidden == diff->right()->hidden());
        QVERIFY(!diff->left()->SendScintilla(CodeView::SCI_GETLINEVISIBLE, hidden[0].first));
        QVERIFY(diff->left()->SendScintilla(CodeView::SCI_GETLINEVISIBLE, hidden[0].first - 1));
        QVERIFY(int(diff->right()->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, diff->right()->lines())) < all - 50);
        QCOMPARE(diff->right()->code().toStdString() + "\n", childSource); // copying gives all of it
        // The note is the line under the last one in sight.
        const int height = int(diff->left()->SendScintilla(CodeView::SCI_TEXTHEIGHT, 0));
        const int note = int(diff->left()->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, hidden[0].first - 1)) + 1;
        QTest::mouseClick(diff->left()->viewport(), Qt::LeftButton, {}, {200, note * height + height / 2});
        QVERIFY(diff->left()->hidden().empty());
        QVERIFY(diff->right()->hidden().empty());
        QVERIFY(diff->right()->SendScintilla(CodeView::SCI_GETLINEVISIBLE, 20));
        QTest::keyClick(diff->right(), Qt::Key_E);
        QVERIFY(!diff->isFolded());
    }

    void sidesScrollTogether_data()
    {
        QTest::addColumn<QString>("how");
        for (const char* how : {"keys", "the left's keys", "scroll bar", "find", "lines", "difference", "sideways"})
            QTest::newRow(how) << how;
    }

    /// Whatever moves one side: rows that belong together stay beside each other.
    void sidesScrollTogether()
    {
        QFETCH(QString, how);
        m_page->resize(900, 420);
        DiffView* diff = m_page->diffView();
        QTRY_VERIFY(diff->isNarrow());
        m_page->findChild<QAction*>(QStringLiteral("oneColumn"))->setChecked(false); // which it has by itself
        CodeView* left = diff->left();
        CodeView* right = diff->right();
        const auto isTogether = [&] {
            return left->firstVisibleLine() == right->firstVisibleLine() &&
                   left->SendScintilla(CodeView::SCI_GETXOFFSET) == right->SendScintilla(CodeView::SCI_GETXOFFSET);
        };
        QTRY_VERIFY(int(right->SendScintilla(CodeView::SCI_LINESONSCREEN)) < 30);
        CodeView* moved = how == "the left's keys" ? left : right;
        moved->setFocus();
        if (how.contains("keys")) {
            QTest::keyClick(moved, Qt::Key_End, Qt::ControlModifier);
        } else if (how == "scroll bar") {
            right->verticalScrollBar()->setValue(20);
        } else if (how == "find") {
            right->findBar()->open(QStringLiteral("a59"));
            QTest::keyClick(right->findBar()->findChild<QLineEdit*>(), Qt::Key_Return);
        } else if (how == "lines") {
            diff->showLines(false, {{60, 61}});
        } else if (how == "difference") {
            left->SendScintilla(CodeView::SCI_SETFIRSTVISIBLELINE, 9);
            diff->goTo(1);
        } else {
            QTest::keyClick(right, Qt::Key_End, Qt::ControlModifier);
            QTRY_VERIFY(isTogether());
            right->SendScintilla(CodeView::SCI_SETXOFFSET, 40);
            QTRY_COMPARE(left->SendScintilla(CodeView::SCI_GETXOFFSET), 40L);
        }
        QTRY_VERIFY(moved->firstVisibleLine() > 0);
        QTRY_VERIFY2(
            isTogether(),
            qPrintable(QStringLiteral("%1 and %2").arg(left->firstVisibleLine()).arg(right->firstVisibleLine())));
        QTest::qWait(50); // and stay there
        QVERIFY(isTogether() && moved->firstVisibleLine() > 0);
        left->setFocus();
        QTest::keyClick(left, Qt::Key_Home, Qt::ControlModifier);
        QTRY_VERIFY(isTogether() && right->firstVisibleLine() == 0);
    }

    void findingShowsWhatIsFolded()
    {
        DiffView* diff = m_page->diffView();
        diff->setFolded(true);
        QVERIFY(!diff->right()->hidden().empty());
        diff->right()->reveal(30);
        QVERIFY(diff->right()->hidden().empty());
        QVERIFY(diff->left()->hidden().empty());
    }

    void embeddedCudaIsHighlighted()
    {
        CodeView* right = m_page->diffView()->right();
        const int row = right->lines() - 2;
        QVERIFY(right->text(row).startsWith(QStringLiteral("__global__")));
        const long start = right->SendScintilla(CodeView::SCI_POSITIONFROMLINE, row);
        const auto is = [&](CodeToken::Kind kind, int column) {
            return right->SendScintilla(CodeView::SCI_INDICATORVALUEAT, FirstTokenIndicator + int(kind),
                                        start + column) == 1;
        };
        QVERIFY(is(CodeToken::Kind::Keyword, 0));
        QVERIFY(is(CodeToken::Kind::Type, int(right->text(row).indexOf(QLatin1String("float")))));
        QVERIFY(is(CodeToken::Kind::Number, int(right->text(row).indexOf(QLatin1String("1.0f")))));
        QVERIFY(!right->SendScintilla(CodeView::SCI_INDICATORVALUEAT,
                                      FirstTokenIndicator + int(CodeToken::Kind::Keyword), 0L));
    }

    void aTechniqueLeadsToItsLines()
    {
        auto* tabs = m_page->findChild<QTabBar*>(QStringLiteral("sideTabs"));
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(SidePanel::Analysis).center());
        QCOMPARE(m_page->side()->tab(), SidePanel::Analysis);
        InfoView* view = m_page->side()->view(SidePanel::Analysis);
        const QString text = view->toPlainText();
        QVERIFY2(text.contains(QStringLiteral("USE_CUDA_GRAPH = True")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("effect not measured")));
        m_page->diffView()->setFolded(true);
        const QPoint at = placeOf(view, QStringLiteral("lines:3-3,65-66"));
        QVERIFY(!at.isNull());
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at);
        CodeView* right = m_page->diffView()->right();
        QVERIFY((linkedRows(right) == std::vector<int>{2, 64, 65}));
        QVERIFY(linkedRows(m_page->diffView()->left()).empty());
        // A range of its own, and prose that names the technique.
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, placeOf(view, QStringLiteral("lines:65-66")));
        QVERIFY((linkedRows(right) == std::vector<int>{64, 65}));
        QVERIFY(right->SendScintilla(CodeView::SCI_GETLINEVISIBLE, 64));
        QVERIFY2(view->body().contains(QStringLiteral(
                     "A <a href='lines:3-3,65-66'>CUDA graph</a> is replayed. <a href='lines:4-4'>TF32</a> stays")),
                 qPrintable(view->body()));
        QVERIFY2(view->body().contains(
                     QStringLiteral("<a href='lines:3-3,65-66'>CUDA graphs</a> and <a href='lines:4-4'>tf32</a>, or "
                                    "<a href='lines:3-3,65-66'>cuda-graph</a> with <span class=mono><a "
                                    "href='lines:4-4'>USE_TF32</a></span>, in")),
                 qPrintable(view->body()));
    }

    void effectsStandBesideTheirToggles()
    {
        m_page->setEffects([this](base::VariantId variant) {
            return variant == m_child ? ToggleEffects{{"USE_TF32", {1.5, 1.4, 1.6}}} : ToggleEffects();
        });
        const QString text = m_page->side()->view(SidePanel::Analysis)->toPlainText();
        QVERIFY2(text.contains(QStringLiteral("effect 1.50× 1.40–1.60")), qPrintable(text));
        QCOMPARE(text.count(QStringLiteral("effect not measured")), 1); // of the other one
    }

    void evidenceHasReasonsClocksAndTheOther()
    {
        const QString text = m_page->analysis()->toPlainText();
        QVERIFY2(text.contains(QStringLiteral("faster")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("against #%1").arg(m_parent.value)));
        QVERIFY(text.contains(QStringLiteral("The clocks disagree")));
        // What a code means is told where one points at it.
        const QString meaning = QString::fromStdString(protocol::meaningOf("clock_disagreement"));
        QVERIFY(!text.contains(meaning) &&
                m_page->analysis()->body().contains(QStringLiteral("title=\"%1\">(clock disagreement)").arg(meaning)));
        QVERIFY(text.contains(QStringLiteral("3.0 by events")));
        QVERIFY(text.contains(QStringLiteral("3.00×")));
        m_selection.compare(m_child, m_parent);
        QTRY_VERIFY(m_page->analysis()->toPlainText().contains(QStringLiteral("slower")));
    }

    void pairsSayWhatTheyAre()
    {
        PairsChart* chart = m_page->side()->pairs();
        QVERIFY(chart->isVisible());
        QCOMPARE(int(chart->points().size()), 12);
        QVERIFY2(chart->summary().contains(QStringLiteral("12 pairs, 1 thrown away")), qPrintable(chart->summary()));
        const PairsLayout layout = chart->arrangement();
        QTest::mouseMove(chart, layout.at(3).toPoint());
        QTRY_COMPARE(chart->current(), 3);
        const auto plain = [chart](int point) {
            return chart->describe(point).replace(QChar(0x00A0), QLatin1Char(' '));
        };
        QCOMPARE(plain(3), QStringLiteral("Pair 4, process 1, candidate first: 203 ns → 100 ns, 2.030×"));
        QTest::keyClick(chart, Qt::Key_Right);
        QCOMPARE(chart->current(), 4);
        QVERIFY(chart->accessibleDescription().contains(QStringLiteral("Thrown away: the GPU was busy")));
        QTest::keyClick(chart, Qt::Key_Left);
        QCOMPARE(chart->current(), 3);
        // Two processes, and the gap between them.
        QCOMPARE(layout.borders().size(), std::size_t(1));
        QVERIFY(layout.at(5).x() < layout.borders()[0] && layout.borders()[0] < layout.at(6).x());
        QVERIFY(layout.at(11).y() < layout.at(0).y()); // faster is higher
        auto* clock = m_page->findChild<QAbstractButton*>(QStringLiteral("pairsClock"));
        QTest::mouseClick(clock, Qt::LeftButton);
        QVERIFY(chart->showsEvents());
        QVERIFY(plain(0).contains(QStringLiteral("300 ns → 100 ns, 3.000×")));
    }

    void pairsAreExported()
    {
        PairsChart* chart = m_page->side()->pairs();
        for (const char* suffix : {"svg", "png", "csv"})
            QVERIFY(chart->save(m_folder.filePath(QStringLiteral("pairs.") + QLatin1String(suffix))).ok());
        QFile svg(m_folder.filePath(QStringLiteral("pairs.svg"))), csv(m_folder.filePath(QStringLiteral("pairs.csv")));
        QVERIFY(svg.open(QIODevice::ReadOnly) && csv.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("12 pairs, 1 thrown away"));
        const QByteArrayList lines = csv.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 13);
        QCOMPARE(lines[5], QByteArray("5,0,reference,204,100,2.04,304,100,3.04,yes,the GPU was busy"));
        QVERIFY(!QImage(m_folder.filePath(QStringLiteral("pairs.png"))).isNull());
        const base::Status failed = chart->save(m_folder.filePath(QStringLiteral("no/such/folder/pairs.svg")));
        QVERIFY(!failed.ok() && !failed.error().hint.empty());
        chart->copyPicture();
        QVERIFY(!QApplication::clipboard()->image().isNull());
    }

    void kernelsAreComparedToo()
    {
        protocol::Kernels kernels;
        kernels.device.model = "NVIDIA H200";
        kernels.notes = {"The PTX of f cannot be reached"};
        kernels.modules.push_back({{"f"}, "ELF", 3, "", "LDG R1\nEXIT ;\n"});
        QVERIFY(m_project.project()->putKernels(m_child, kernels).ok());
        DiffView* diff = m_page->diffView();
        m_page->findChild<QAction*>(QStringLiteral("SASS"))->trigger();
        QTRY_VERIFY(diff->right()->code().contains(QStringLiteral("EXIT ;")));
        QVERIFY(diff->right()->code().contains(QStringLiteral("captured on NVIDIA H200")));
        QVERIFY2(diff->left()->code().contains(QStringLiteral("Kernels of #%1: none captured").arg(m_parent.value)),
                 qPrintable(diff->left()->code()));
        QVERIFY(!diff->right()->lexer());
        // A note in the place of code is not compared with code.
        QCOMPARE(diff->differenceCount(), 0);
        QCOMPARE(m_page->counterText(), QStringLiteral("nothing to compare"));
        QSignalSpy requested(m_page.get(), &ComparePage::captureRequested);
        QAction* capture = m_page->findChild<QAction*>(QStringLiteral("captureKernels"));
        QVERIFY(capture->isVisible() && capture->isEnabled());
        capture->trigger();
        QVERIFY(requested.count() == 1 && requested[0][0].value<base::VariantId>() == m_child &&
                !requested[0][1].toBool());
        m_page->findChild<QAction*>(QStringLiteral("PTX"))->trigger();
        QTRY_VERIFY(diff->right()->code().contains(QStringLiteral("// no PTX of it")));
        QVERIFY(diff->right()->code().contains(QStringLiteral("The PTX of f cannot be reached")));
        m_page->findChild<QAction*>(QStringLiteral("Source"))->trigger();
        QCOMPARE(diff->right()->code().toStdString() + "\n", childSource);
        QVERIFY(!capture->isVisible());
        for (QToolButton* button : m_page->findChildren<QToolButton*>())
            if (button->defaultAction() == capture)
                QVERIFY(button->isHidden() && button->toolButtonStyle() == Qt::ToolButtonTextBesideIcon);
        QVERIFY(m_page->counterText().contains(QStringLiteral("difference")));
        m_selection.compare({}, m_child);
        m_page->setCodeKind(CodeKind::Sass);
        QTRY_VERIFY(diff->left()->code().contains(QStringLiteral("framework's kernels")));
    }

    void countersOfBothSidesAreShown()
    {
        m_selection.compare({}, m_child);
        m_page->findChild<QAction*>(QStringLiteral("Counters"))->trigger();
        CountersPanel* panel = m_page->counters();
        QVERIFY(panel->isVisibleTo(m_page.get()) && !m_page->diffView()->isVisibleTo(m_page.get()));
        QTRY_VERIFY(panel->said().contains(QStringLiteral("Nothing is known of the kernels")));
        QSignalSpy requested(m_page.get(), &ComparePage::captureRequested);
        m_page->findChild<QAction*>(QStringLiteral("captureKernels"))->trigger();
        QVERIFY(requested.count() == 1 && requested[0][1].toBool());

        protocol::Counters counters;
        counters.source = protocol::CounterSource::Cupti;
        counters.tool = "CUPTI 13.0";
        counters.device.name = "cuda:0";
        counters.device.model = "NVIDIA H200";
        counters.device.capability = "9.0";
        counters.device.processors = 132;
        protocol::KernelCounters kernel{"gemm", {{2112, 1, 1}, {256, 1, 1}, 32, 0, 0}, 1, 200'000, 0, {}};
        kernel.measured.emplace();
        kernel.measured->duration_ns = 200'000;
        kernel.measured->dram_bytes = 480e6;
        kernel.measured->fp32_ops = 9.6e9;
        kernel.measured->dramUse = 0.75;
        counters.reference = {210'000, {kernel}, {}};
        kernel.name = "fused";
        kernel.time_ns = 50'000;
        counters.candidate = protocol::CounterSide{60'000, {kernel}, {}};
        QVERIFY(m_project.project()->putCounters(m_project.variant(m_child)->task, m_child, counters).ok());
        m_page->kernelsChanged();
        QTRY_VERIFY2(panel->said().contains(QStringLiteral("Counted by CUPTI 13.0")), qPrintable(panel->said()));
        QVERIFY(panel->said().contains(QStringLiteral("75 % of DRAM")));
        QCOMPARE(panel->roofline()->view()->chart().kind, std::string("roofline"));
        QCOMPARE(panel->kernels()->model()->rowCount(), 2);
        QCOMPARE(panel->changes()->view()->chart().y.words.size(), 3);
        panel->kernels()->selectRow(1);
        QVERIFY2(panel->handOver(false).contains(QStringLiteral("-k 'fused'")), qPrintable(panel->handOver(false)));
        QVERIFY(panel->handOver(true).contains(QStringLiteral("nsys profile")));
        m_page->setCodeKind(CodeKind::Source);
        QVERIFY(m_page->diffView()->isVisibleTo(m_page.get()));
    }

    void lineageAndPromptAreShown()
    {
        m_page->side()->setTab(SidePanel::Origin);
        InfoView* view = m_page->side()->view(SidePanel::Origin);
        const QString text = view->toPlainText();
        QVERIFY2(text.contains(QStringLiteral("Make it faster than <b>this</b>")),
                 qPrintable(text));                                    // text, not markup
        QVERIFY(text.contains(QStringLiteral("## Algorithm Design"))); // the reply is the sections and the source
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                          placeOf(view, QStringLiteral("variant:%1").arg(m_parent.value)));
        QVERIFY(m_selection.right() == m_parent);
        QTRY_VERIFY(view->toPlainText().contains(QStringLiteral("this program asked no language model")));
        QVERIFY(!placeOf(view, QStringLiteral("variant:%1").arg(m_child.value)).isNull()); // what was made from it
    }

    void baselinesAreComparedLikeVariants()
    {
        VariantStrip* strip = m_page->strip();
        QCOMPARE(strip->stripModel()->rowCount(), 4); // the reference, two variants, the baseline
        const QModelIndex card = strip->stripModel()->index(3);
        QCOMPARE(card.data().toString(), QStringLiteral("torch.compile"));
        QVERIFY(
            card.data(Qt::AccessibleTextRole).toString().startsWith(QStringLiteral("torch.compile: correct, 1.50×")));
        strip->scrollTo(card);
        QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, strip->visualRect(card).center());
        QVERIFY(m_selection.right() == m_baseline);
        QTRY_VERIFY(m_page->analysis()->toPlainText().contains(QStringLiteral("1.50×")));
        QVERIFY(m_page->analysis()->toPlainText().contains(QStringLiteral("torch.compile")));
        QVERIFY(m_page->diffView()->right()->text().contains(QStringLiteral("torch.compile(Model)")));
    }

    void aDraftIsEditedKeptAndJudged()
    {
        m_page->diffView()->right()->setFocus();
        QTest::keyClick(m_page->diffView()->right(), Qt::Key_F2);
        QVERIFY(m_page->isEditing());
        for (const QAction* action : m_page->actions()) // there is nothing to jump to
            QVERIFY2(!action->isEnabled() || !action->text().endsWith(QLatin1String("difference")),
                     qPrintable(action->text()));
        CodeView* editor = m_page->draft()->editor();
        QTRY_VERIFY(editor->hasFocus());
        QVERIFY(!m_page->findChild<QAbstractButton*>(QStringLiteral("judgeDraft"))->isEnabled());
        // Keys that are shortcuts elsewhere on the page are text here.
        QTest::keyClicks(editor, "x = [1]  # e");
        QTest::keyClick(editor, Qt::Key_Return);
        QVERIFY2(editor->text().startsWith(QStringLiteral("x = [1]  # e\n")), qPrintable(editor->text().left(40)));
        QTRY_VERIFY(m_page->findChild<QLabel*>(QStringLiteral("draftChanges"))->text().contains(QStringLiteral("+1")));
        QTest::keyClick(editor, Qt::Key_Escape);
        QVERIFY(!m_page->isEditing());
        QVERIFY(hasDraft());
        QCOMPARE(m_page->diffView()->right()->code().toStdString() + "\n", childSource);

        m_page->edit();
        editor->setText(QString::fromStdString(childSource)
                            .replace(QStringLiteral("USE_TF32 = True"), QStringLiteral("USE_TF32 = False")));
        QSignalSpy judged(m_page.get(), &ComparePage::judgeRequested);
        QAction optimize; // the window's, by the same key
        optimize.setShortcut(Qt::CTRL | Qt::Key_Return);
        m_page->window()->addAction(&optimize);
        QSignalSpy optimized(&optimize, &QAction::triggered);
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(judged.count(), 1);
        QCOMPARE(optimized.count(), 0);
        const auto record = judged[0][0].value<store::VariantRecord>();
        QVERIFY(record.parent == m_child);
        QVERIFY(record.task == m_task);
        QCOMPARE(record.origin, std::string("edited by hand"));
        QVERIFY((record.techniques == std::vector<std::string>{"cuda_graph"})); // what is still on
        QVERIFY(record.source.find("USE_TF32 = False") != std::string::npos);
        const auto made = m_project.project()->addVariant(record);
        QVERIFY(made.ok());
        m_page->draftTaken(*made);
        QVERIFY(!m_page->isEditing());
        QVERIFY(!hasDraft());
        QVERIFY(m_selection.left() == m_child && m_selection.right() == *made);
        QCOMPARE(m_page->diffView()->differenceCount(), 1);
    }

    void aDraftCanBeDiscarded()
    {
        m_page->edit();
        CodeView* editor = m_page->draft()->editor();
        QTest::keyClicks(editor, "y");
        QTRY_VERIFY(hasDraft());
        QTRY_VERIFY(m_page->findChild<QAbstractButton*>(QStringLiteral("discardDraft"))->isEnabled());
        QTest::mouseClick(m_page->findChild<QAbstractButton*>(QStringLiteral("discardDraft")), Qt::LeftButton);
        QCOMPARE(m_page->draft()->text(), childSource);
        QVERIFY(!hasDraft());
        QVERIFY(m_page->findChild<QLabel*>(QStringLiteral("draftChanges"))->text().contains(QStringLiteral("Ctrl+Z")));
        QTest::keyClick(editor, Qt::Key_Z, Qt::ControlModifier); // one click loses nothing
        QCOMPARE(m_page->draft()->text(), "y" + childSource);
        QTRY_VERIFY(hasDraft());
        m_page->draft()->discard();
        m_selection.compare({}, m_parent); // another one is looked at
        QVERIFY(!m_page->isEditing());
    }

    void aDraftOutlivesTheWindow()
    {
        m_page->edit();
        QTest::keyClicks(m_page->draft()->editor(), "z = 1 ");
        cleanup(); // at once, before it is quiet for a moment
        init();
        QVERIFY(hasDraft());
        m_page->edit();
        QCOMPARE(m_page->draft()->text(), "z = 1 " + childSource);
        // Another project has none of it, whatever its variants are numbered.
        QVERIFY(!m_page->draft()->hasDraft({m_folder.filePath(QStringLiteral("other.cudal1")), m_child, childSource}));
        QVERIFY(!m_page->draft()->hasDraft({m_project.path(), m_child, childSource + "# another\n"}));
        m_page->draft()->discard();
        m_page->draft()->leave();
        QVERIFY(!hasDraft());
        cleanup();
        init();
        QVERIFY(!hasDraft());
    }

    void sourcesAreCopiedAndOpened()
    {
        m_page->findChild<QAction*>(QStringLiteral("copyLeft"))->trigger();
        QCOMPARE(QApplication::clipboard()->text().toStdString(), parentSource);
        m_page->findChild<QAction*>(QStringLiteral("copyRight"))->trigger();
        QCOMPARE(QApplication::clipboard()->text().toStdString(), childSource);
        QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "opened");
        m_page->findChild<QAction*>(QStringLiteral("openRight"))->trigger();
        QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
        QVERIFY(m_opened.fileName().endsWith(QStringLiteral("1_12_%1.py").arg(m_child.value)));
        QFile file(m_opened.toLocalFile());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().toStdString(), childSource);
    }

    void everythingHasAName()
    {
        for (const QWidget* widget : m_page->findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible())
                continue;
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool tabs = qobject_cast<const QTabBar*>(widget) && !widget->accessibleName().isEmpty();
            const bool named = tabs || !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty());
            const bool ours = QByteArray(widget->metaObject()->className()).startsWith("cudal1") || button;
            QVERIFY2(named || !ours,
                     widget->metaObject()->className() + QByteArray(" ") + widget->objectName().toUtf8());
        }
    }

public slots:
    void opened(const QUrl& url) { m_opened = url; }

private:
    bool hasDraft() { return m_page->draft()->hasDraft({m_project.path(), m_child, childSource}); }

    QTemporaryDir m_folder;
    ProjectModel m_project;
    Selection m_selection;
    base::TaskId m_task{"1/12"};
    base::VariantId m_parent, m_child, m_baseline;
    std::unique_ptr<ComparePage> m_page;
    QUrl m_opened;
};

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    Theme::instance().install(application);
    TestCompare test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_compare.moc"
