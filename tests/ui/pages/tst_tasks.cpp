// SPDX-License-Identifier: GPL-3.0-or-later
// The task tree and its filter.
#include "ui/tasks/baselinespanel.h"
#include "ui/tasks/taskfacts.h"
#include "ui/tasks/tasksfilter.h"
#include "ui/tasks/tasksmodel.h"

#include <QAbstractItemModelTester>
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
        filter.setStates({State::Improved, State::Failed});
        QCOMPARE(filter.shown(), 2);
        QCOMPARE(filter.rowCount(), 2);
    }

    void accessibleTextSaysTheState()
    {
        TasksModel model;
        model.setTasks(sample());
        QCOMPARE(model.indexOf({"1/12"}).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("1/12 Matmul_diagonal, improved, best 19.8×"));
    }

    void baselinesAsATable()
    {
        QVERIFY(baselinesHtml({}).contains(QStringLiteral("cudal1 baselines")));
        baselines::Row compiled, captured, untimed;
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
        QVERIFY(html.contains(QStringLiteral("torch.compile, max-autotune")) && html.contains(QStringLiteral("3.00\u00A0ms")));
        QVERIFY(html.contains(QStringLiteral("1.70×")) && html.contains(QStringLiteral("1.65–1.75")) && html.contains(QStringLiteral("class=gain")));
        QVERIFY(html.contains(QStringLiteral("operation not permitted when &lt;stream&gt; is capturing")));
        QVERIFY(html.contains(QStringLiteral("crashed")) && html.contains(QStringLiteral("correct, not timed")));
        QCOMPARE(html.count(QStringLiteral("NVIDIA H200")), 1);
    }

    void factsNameShapesAndParameters()
    {
        protocol::OperatorGraph graph;
        protocol::GraphValue input, weight;
        input.id = 0;
        input.shape = {128, 4096};
        input.dtype = "float32";
        input.name = "x";
        input.kind = protocol::GraphValue::Kind::Input;
        weight = input;
        weight.id = 1;
        weight.shape = {10, 4096};
        weight.name = "gemm.weight";
        weight.kind = protocol::GraphValue::Kind::Parameter;
        graph.values = {input, weight};
        graph.inputs = {0};
        graph.parameter_bytes = 10 * 4096 * 4;
        protocol::GraphNode node;
        node.op = "aten.mm.default";
        node.time_ns = 3000;
        graph.nodes = {node, node};
        graph.total_ns = 9000;
        const QString html = taskFactsHtml({{"2/1"}, "Gemm", "suite", 2, "a\nb\n", "0123456789abcdef00"}, TracedGraph{graph, "Sample CPU", "ieee"});
        QVERIFY(html.contains(QStringLiteral("x  128 × 4096 float32")));
        QVERIFY(html.contains(QStringLiteral("1 tensors, 40,960 numbers, 160\u00A0KiB")));
        QVERIFY(html.contains(QStringLiteral("9.00\u00A0µs on Sample CPU, precision ieee")));
        QVERIFY(html.contains(QStringLiteral("gemm.weight")));
        QVERIFY(html.contains(QStringLiteral("2×")));
        QVERIFY(html.contains(QStringLiteral("100 %")));
        QVERIFY(taskFactsHtml({{"2/1"}, "Gemm", "suite", 2, "a\nb\n", "00"}, {}).contains(QStringLiteral("once the task has been traced")));
    }
};

QTEST_MAIN(TestTasks)
#include "tst_tasks.moc"
