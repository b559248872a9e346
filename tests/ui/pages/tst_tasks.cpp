// SPDX-License-Identifier: GPL-3.0-or-later
// The task tree and its filter.
#include "ui/kit/setupview.h"
#include "ui/kit/theme.h"
#include "ui/tasks/baselinespanel.h"
#include "ui/tasks/operatorsmodel.h"
#include "ui/tasks/taskdelegate.h"
#include "ui/tasks/taskfactshtml.h"
#include "ui/tasks/tasksfilter.h"
#include "ui/tasks/tasksmodel.h"

#include <QAbstractItemModelTester>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;
using State = store::TaskRow::State;

namespace {

TaskEntry task(int level, int number, const char* name, State state = State::NotTried, base::Interval best = {})
{
    TaskEntry entry;
    entry.id = {std::to_string(level) + "/" + std::to_string(number)};
    entry.name = QString::fromLatin1(name);
    entry.level = level;
    entry.number = number;
    entry.row.id = entry.id;
    entry.row.state = state;
    entry.row.best = best;
    return entry;
}

std::shared_ptr<const TaskList> taskList(TaskList list)
{
    return std::make_shared<const TaskList>(std::move(list));
}

std::shared_ptr<const TaskList> sample()
{
    return taskList({task(1, 4, "Matrix_vector"), task(1, 12, "Matmul_diagonal", State::Improved, {19.8, 19.5, 20.1}),
                     task(2, 40, "Matmul_Scaling", State::NoGain), task(3, 41, "GRUBidirectional", State::Failed)});
}

} // namespace

class TestTasks : public QObject {
    Q_OBJECT
private slots:
    void treeByLevel()
    {
        TasksModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTasks(sample());
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("Level 1"));
        QCOMPARE(model.rowCount(model.index(0, 0)), 2);
        QCOMPARE(model.index(1, 0, model.index(0, 0)).data().toString(), QStringLiteral("1/12 Matmul_diagonal"));
        QCOMPARE(model.gains(model.index(0, 0)), std::pair(1, 2));
        QCOMPARE(model.entry(model.indexOf({"3/41"}))->number, 41);
        QVERIFY(!model.indexOf({"3/42"}).isValid());
    }

    /// Level 1 of the suite that is open says nothing of a task of another suite.
    void otherSuitesStandApart()
    {
        TasksModel model;
        TaskEntry other = task(1, 10, "BadShape");
        other.elsewhere = true;
        TaskList list = *sample();
        list.push_back(other);
        model.setTasks(taskList(list));
        QCOMPARE(model.rowCount(), 4);
        QCOMPARE(model.gains(model.index(0, 0)), std::pair(1, 2));
        QCOMPARE(model.index(3, 0).data().toString(), QStringLiteral("Other suites"));
        QCOMPARE(model.rowCount(model.index(3, 0)), 1);
    }

    void changesKeepThePlace()
    {
        TasksModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTasks(sample());
        const QPersistentModelIndex kept = model.indexOf({"2/40"});
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset), changes(&model, &QAbstractItemModel::dataChanged);
        TaskList changed = *sample();
        changed[2].row.state = State::Improved;
        model.setTasks(taskList(changed));
        QCOMPARE(resets.count(), 0);
        QVERIFY(changes.count() > 0);
        QVERIFY(kept.isValid());
        QVERIFY(model.entry(kept)->row.state == State::Improved);
    }

    void searchAndStatesLeaveTheirLevels()
    {
        TasksModel model;
        TasksFilter filter(model);
        QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTasks(sample());
        QCOMPARE(filter.shown(), 4);
        filter.setSearch(QStringLiteral("matmul"));
        QCOMPARE(filter.shown(), 2);
        QCOMPARE(filter.rowCount(), 2);
        filter.setSearch(QStringLiteral("3/4"));
        QCOMPARE(filter.shown(), 1);
        filter.setSearch(QStringLiteral("matmul diag"));
        QCOMPARE(filter.shown(), 1);
        filter.setSearch({});
        filter.setOnly([](const base::TaskId& task) { return task.value == "1/12" || task.value == "2/40"; });
        QCOMPARE(filter.shown(), 2);
        QCOMPARE(filter.rowCount(), 2);
    }

    void onlyTrueGainsCountAndSlowerIsNotNoGain()
    {
        TasksModel model;
        TaskEntry questioned = task(1, 1, "Degenerate", State::Improved, {6.93, 6.9, 7});
        questioned.row.marks = "!";
        TaskEntry other = task(1, 2, "Fewer_bits", State::Improved, {3, 2.9, 3.1});
        other.row.marks = "*";
        const TaskEntry slower = task(1, 3, "Slow", State::NoGain, {0.6, 0.5, 0.7}),
                        same = task(1, 4, "Same", State::NoGain, {1, 0.98, 1.02}),
                        gain = task(1, 12, "Gain", State::Improved, {2, 1.9, 2.1});
        model.setTasks(taskList({questioned, other, slower, same, gain}));
        QCOMPARE(model.gains(model.index(0, 0)), std::pair(1, 5));
        QCOMPARE(model.index(0, 0).data(Qt::ToolTipRole).toString(),
                 QStringLiteral("Level 1: 1 of 5 tasks improved, besides 1 at another precision, 1 questioned"));
        for (const TaskGroup group :
             {TaskGroup::Questioned, TaskGroup::OtherPrecision, TaskGroup::Slower, TaskGroup::NoGain, TaskGroup::Gain})
            QCOMPARE(model.count(group), 1); // the same gains as on the cards of the overview
        QVERIFY(stateStyle(questioned.row).role == Role::WarningText &&
                stateStyle(other.row).role == Role::VariantText && stateStyle(gain.row).role == Role::GainText);
        QCOMPARE(stateStyle(same.row).word, QStringLiteral("no gain"));
        QCOMPARE(stateStyle(slower.row).word, QStringLiteral("slower"));
        QVERIFY(stateStyle(slower.row).icon != stateStyle(same.row).icon);
        QVERIFY(!Theme::instance().icon(stateStyle(slower.row).icon).isNull());
        QVERIFY(model.indexOf({"1/3"}).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("slower")));
        QVERIFY(!model.indexOf({"1/1"}).data(Qt::ToolTipRole).toString().contains(u'!'));
    }

    /// In the dock's least and in a wide one.
    void rowsOfMarkedGainsHaveABadgeAndNothingGreen()
    {
        const Theme& theme = Theme::instance();
        TasksModel model;
        TasksFilter filter(model);
        TaskEntry row = task(1, 12, "Matmul_diagonal_with_a_long_name", State::Improved, {6.93, 6.9, 7});
        const auto colored = [&](const char* marks, int width, Role role) {
            row.row.marks = marks;
            model.setTasks(taskList({row}));
            TaskDelegate delegate(model, filter, nullptr);
            QImage image(width, 60, QImage::Format_RGB32);
            image.fill(theme.color(Role::Surface));
            QPainter painter(&image);
            QStyleOptionViewItem option;
            const QModelIndex index = filter.index(0, 0, filter.index(0, 0));
            option.rect = QRect(0, 0, width, delegate.sizeHint(option, index).height());
            if (option.rect.height() > image.height())
                return -1;
            delegate.paint(&painter, option, index);
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = theme.unit(8); x < width; ++x)
                    count += image.pixelColor(x, y) == theme.color(role);
            return count;
        };
        for (const int width : {theme.unit(45), theme.unit(120)}) {
            QVERIFY(colored("", width, Role::Gain) > 20);
            QCOMPARE(colored("!", width, Role::Gain) + colored("!", width, Role::GainText), 0);
            QCOMPARE(colored("*", width, Role::Gain) + colored("*", width, Role::GainText), 0);
            QVERIFY(colored("!", width, Role::WarningText) > 20);
            QVERIFY(colored("*", width, Role::VariantText) > 20);
        }
    }

    void namesReadAsWords()
    {
        QCOMPARE(shownName("Matmul_with_diagonal_matrices_", 1), QStringLiteral("Matmul with diagonal matrices"));
        QCOMPARE(shownName("my_module", 0), QStringLiteral("my_module")); // a file of the user's
        const TaskEntry row = task(1, 12, "Matmul with diagonal matrices");
        QVERIFY(TasksFilter::finds("matmul_with", row)); // as in the file's name
        QVERIFY(TasksFilter::finds("diagonal matmul", row));
        QVERIFY(!TasksFilter::finds("matmul_diagonal", row));
    }

    void inANarrowDockTheNumberStandsBelowTheName()
    {
        TasksModel model;
        TasksFilter filter(model);
        model.setTasks(taskList({task(1, 12, "Matmul diagonal", State::Improved, {6.93, 6.9, 7})}));
        TaskDelegate delegate(model, filter, nullptr);
        const auto height = [&](int width) {
            QStyleOptionViewItem option;
            option.rect = QRect(0, 0, width, 60);
            return delegate.sizeHint(option, filter.index(0, 0, filter.index(0, 0))).height();
        };
        const Theme& theme = Theme::instance();
        QVERIFY(height(theme.unit(45)) > height(theme.unit(80)));
        QVERIFY(height(theme.unit(80)) <= theme.unit(8)); // one line
    }

    void accessibleTextSaysTheState()
    {
        TasksModel model;
        model.setTasks(sample());
        QCOMPARE(model.indexOf({"1/12"}).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("1/12 Matmul_diagonal, improved, best 19.8×"));
        model.setTasks(taskList({task(2, 40, "Matmul_Scaling", State::NoGain, {0.61, 0.6, 0.62})}));
        const QModelIndex slower = model.indexOf({"2/40"});
        QVERIFY(slower.data(Qt::AccessibleTextRole).toString().endsWith(QStringLiteral("the reference is best")));
        QVERIFY(slower.data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("the reference is best, fastest variant 0.61×")));
    }

    void claimsOfAllDevicesAsATable()
    {
        QVERIFY(claimsHtml({}).isEmpty());
        store::ClaimRecord one;
        one.source = "cuda-l1: a100.json";
        one.variant = {7};
        one.speedup = 6.3;
        one.details = R"({"score_cuda_graph": 5.09})";
        store::ClaimRecord other = one;
        other.source = "cuda-l1: h100.json";
        other.variant = {};
        other.speedup = 2.75;
        other.details = "{}";
        const QString html = claimsHtml({one, other});
        for (const char* word : {"<a href='7'>#7</a> A100", "6.30×", "over CUDA graph", "5.09×", "H100, no code",
                                 "2.75×", "cuda-l1: a100.json, cuda-l1: h100.json"})
            QVERIFY2(html.contains(QString::fromUtf8(word)), qPrintable(html));
    }

    void baselinesAsATable()
    {
        QVERIFY(baselinesHtml({}).contains(QStringLiteral("cudal1 baselines")));
        baselines::BaselineRow compiled, captured, untimed;
        compiled.kind = baselines::find("compile-max-autotune");
        compiled.found.emplace();
        compiled.found->verdict = protocol::Verdict::Correct;
        compiled.found->wall = {{1.7, 1.65, 1.75}, 5.1e6, 3e6};
        compiled.found->deviceModel = "NVIDIA H200";
        captured = compiled;
        captured.kind = baselines::find("cuda-graph");
        captured.found->verdict = protocol::Verdict::Crashed;
        captured.found->wall = {};
        captured.found->reason = {"exception", "operation not permitted when <stream> is capturing", {}};
        untimed = compiled;
        untimed.kind = baselines::find("tf32");
        untimed.found->wall = {};
        const QString html = baselinesHtml({compiled, captured, untimed});
        QVERIFY(html.contains(QStringLiteral("torch.compile, max-autotune")) &&
                html.contains(QStringLiteral("3.00\u00A0ms")));
        QVERIFY(html.contains(QStringLiteral("1.70×")) && html.contains(QStringLiteral("1.65–1.75")) &&
                html.contains(QStringLiteral("class=gain")));
        QVERIFY(html.contains(QStringLiteral("operation not permitted when &lt;stream&gt; is capturing")));
        QVERIFY(html.contains(QStringLiteral("crashed")) && html.contains(QStringLiteral("correct, not timed")));
        QCOMPARE(html.count(QStringLiteral("NVIDIA H200")), 1);
    }

    void heldOutTasksCanBeShownAlone()
    {
        TasksModel model;
        model.setTasks(taskList({task(1, 1, "A"), task(3, 41, "B"), task(1, 2, "C"), task(0, 0, "mine")}));
        TasksFilter filter(model);
        filter.setOnly([&model](const base::TaskId& id) { return isHeldOut(*model.entry(model.indexOf(id))); });
        QCOMPARE(filter.shown(), model.heldOut());
        int held = 0;
        for (int id = 1; id <= 100; ++id)
            held += isHeldOut(task(2, id, "x"));
        QCOMPARE(held, 20);
        QCOMPARE(model.indexOf({"3/41"}).data(CopyRole).toString(), QStringLiteral("3/41\tB\tnot tried\t\ttrain"));
    }

    static taskfacts::TaskFacts sampleFacts()
    {
        const auto row = nlohmann::json::parse(
            R"row({"inputs":[{"shape":[128,4096],"dtype":"float32"}],"forward_parameters":["x"],
            "parameters":[["gemm.weight",[10,4096]]],"buffers":[],"modules":[["gemm","Linear(4096, 10)"]],"outputs":{"shape":[128,10],"dtype":"float32"},
            "operators":[["t",["[10,4096]"],{"out":"[4096,10]"}],["mm",["[128,4096]","[4096,10]"],{"out":"[128,10]"}],
                         {"repeat":5,"block":[["relu",["[128,10]"],{"out":"[128,10]"}],["sigmoid",["[128,10]"],{"out":"[128,10]"}]]}]})row");
        taskfacts::TaskFacts facts;
        facts.description = "A product.";
        facts.program = costs::programOf(row).value();
        facts.programSource = "from the suite's facts";
        facts.costs = costs::costsOf(*facts.program);
        return facts;
    }

    void factsNameShapesCostAndMemory()
    {
        const store::TaskRecord record{{"2/1"}, "Gemm", "suite", 2, "a\nb\n", "0123456789abcdef00"};
        taskfacts::TaskFacts facts = sampleFacts();
        QString html = taskFactsHtml(record, facts);
        QVERIFY(html.contains(QStringLiteral("A product.")));
        QVERIFY(html.contains(QStringLiteral("x\u00A0\u00A0128 × 4096 float32")));
        QVERIFY(html.contains(QStringLiteral("40,960 numbers in 1 tensors, 160\u00A0KiB")));
        QVERIFY(html.contains(QStringLiteral("10.5 MFLOP"))); // 2 x 128 x 10 x 4096
        QVERIFY(html.contains(QStringLiteral("unknown until something is judged on the device")));
        QVERIFY(html.contains(QStringLiteral("gemm.weight")));
        QVERIFY(html.contains(QStringLiteral("train: policies may learn")));
        QVERIFY(!html.contains(QStringLiteral("class=warn")));

        facts.device.emplace();
        facts.device->name = "cuda:0";
        facts.device->model = "Small GPU";
        facts.device->memory_bytes = 1'000'000'000;
        facts.memory = costs::forecast(*facts.costs, true);
        facts.flags.push_back(
            {taskfacts::Flag::Kind::LaunchBound, "launch bound: the GPU is idle for 70 % of a call", "recorded"});
        html = taskFactsHtml(record, facts);
        QVERIFY(html.contains(QStringLiteral("does not fit into the 954\u00A0MiB of Small GPU")));
        QVERIFY(html.contains(QStringLiteral("launch bound: the GPU is idle for 70 % of a call")));
        QCOMPARE(html.count(QStringLiteral("⚠")), 2); // a sign and words, not colour alone

        QVERIFY(taskFactsHtml(record, {}).contains(QStringLiteral("once the task has been run on its shapes")));
    }

    void operatorsAreATreeOfModulesAndRepeats()
    {
        const auto facts = sampleFacts();
        OperatorsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.setTree(std::make_shared<const OperatorTree>(operatorTree(*facts.program)));
        const auto text = [&](const QModelIndex& index, int column) {
            return index.siblingAtColumn(column).data(CopyRole).toString();
        };
        QCOMPARE(model.rowCount(), 2);
        const QModelIndex gemm = model.index(0, 0), repeat = model.index(1, 0);
        QCOMPARE(text(gemm, OperatorsModel::Operator), QStringLiteral("gemm"));
        QCOMPARE(text(gemm, OperatorsModel::Module), QStringLiteral("Linear(4096, 10)"));
        QCOMPARE(text(gemm, OperatorsModel::Flops), QStringLiteral("10.5 MFLOP"));
        QCOMPARE(model.rowCount(gemm), 2);
        const QModelIndex product = model.index(1, 0, gemm);
        QCOMPARE(text(product, OperatorsModel::Operator), QStringLiteral("mm"));
        QCOMPARE(text(product, OperatorsModel::Shapes), QStringLiteral("[128,4096], [4096,10] → [128,10]"));
        QCOMPARE(model.parent(product), gemm);
        QCOMPARE(text(repeat, OperatorsModel::Operator), QStringLiteral("× 5"));
        QCOMPARE(text(repeat, OperatorsModel::Shapes), QStringLiteral("10 operators"));
        QCOMPARE(model.rowCount(repeat), 2);
        // 128 x 10 elements: relu 1 and sigmoid 3 each, five times
        QCOMPARE(text(repeat, OperatorsModel::Flops), QStringLiteral("25.6 kFLOP"));
        QCOMPARE(text(model.index(1, 0, repeat), OperatorsModel::Flops), QStringLiteral("3.84 kFLOP"));
        model.setTree(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_MAIN(TestTasks)
#include "tst_tasks.moc"
