// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of a suite, with a project whose numbers are worked out by hand.
#include "core/report/suitecomparison.h"
#include "tests/report/sampleproject.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace cudal1;
using report::LevelLine;
using report::SuiteComparison;
using report::SuiteRow;
using report::samples::detail::must;
using report::samples::detail::timed;

namespace {

protocol::Evaluation at(double speedup, const std::string& label = {})
{
    protocol::Evaluation out = timed(speedup, speedup, 0.01);
    if (!label.empty())
        out.labels = {{label, "why", {}}};
    return out;
}

protocol::Evaluation failed()
{
    protocol::Evaluation out = at(1);
    out.verdict = protocol::Verdict::Incorrect;
    out.speedup = {};
    out.reasons = {{"wrong_values", "The values differ", {}}};
    return out;
}

const SuiteRow& rowOf(const SuiteComparison& suite, const std::string& name)
{
    const auto found = std::find_if(suite.rows.begin(), suite.rows.end(),
                                    [&](const SuiteRow& row) { return row.name == name; });
    if (found == suite.rows.end())
        qFatal("there is no row %s", name.c_str());
    return *found;
}

bool close(double a, double b)
{
    return std::abs(a - b) < 1e-9;
}

/// Whether the line has these numbers.
bool has(const LevelLine& line, double mean, double product, double median, double q25, int correct, int faster,
         int tasks)
{
    const double geometric = std::pow(product, 1.0 / tasks);
    const bool same = close(line.mean, mean) && close(line.geometricMean, geometric) && close(line.median, median) &&
                      close(line.lower, q25) && line.successes == correct && line.above == faster &&
                      line.tasks == tasks;
    if (!same)
        qWarning("mean %g geometric %g median %g q25 %g correct %d faster %d tasks %d", line.mean, line.geometricMean,
                 line.median, line.lower, line.successes, line.above, line.tasks);
    return same;
}

} // namespace

/// What counts on the H200 at the precision `kernelbench`, where "x" failed and "-" was not measured:
///
///     task   ours                        compile  compile-max-autotune  tf32  import
///     1/1    4 (and 1.25)                2        1                     -     5
///     1/2    0.5: the reference is kept  1.5      3                     -     -
///     1/3    x                           x        -                     -     1.1
///     2/1    2 (and 8 in question)       2        -                     4     x
///     3/1    -                           0.8      -                     -     no code
class TestSuiteComparison : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    int m_sources = 0;

    base::VariantId add(const std::string& task, const protocol::Evaluation& evaluation,
                        const std::string& baseline = {})
    {
        store::VariantRecord variant = store::samples::variant("source " + std::to_string(++m_sources), task);
        variant.baseline = baseline;
        const base::VariantId id = must(m_project->addVariant(variant));
        must(m_project->addEvaluation(id, evaluation));
        return id;
    }
    void publish(const std::string& task, const std::optional<protocol::Evaluation>& evaluation)
    {
        store::ImportRow row{must(m_project->task({task})), {}, {}};
        row.claim.source = "cuda-l1: h100.jsonl";
        row.claim.key = row.claim.task.value = task;
        row.claim.speedup = 20;
        if (evaluation) {
            row.variant = store::samples::variant("published " + task, task);
            row.variant->origin = row.claim.source;
        }
        must(m_project->importRows({row}));
        if (evaluation)
            must(m_project->addEvaluation(must(m_project->claims()).back().variant, *evaluation));
    }
    SuiteComparison compare(const std::string& device = {},
                            protocol::Precision precision = protocol::Precision::Kernelbench)
    {
        return must(report::compareSuite(*m_project, {device, precision}));
    }

    void addOurs()
    {
        add("1/1", at(4));
        add("1/1", at(1.25));
        add("1/2", at(0.5));
        add("1/3", failed());
        const base::VariantId again = add("2/1", at(6)); // judged again: the newer one counts
        must(m_project->addEvaluation(again, at(2)));
        add("2/1", at(8, "not_reproduced"));
        protocol::Evaluation elsewhere = at(9);
        elsewhere.device.model = "AMD EPYC";
        add("3/1", elsewhere);
        protocol::Evaluation tf32 = at(7);
        tf32.precision.mode = protocol::Precision::Tf32;
        add("1/2", tf32);
    }
    void addOthers()
    {
        add("1/1", at(2), "compile");
        add("1/2", at(9), "compile"); // by an older program of this kind
        add("1/2", at(1.5), "compile");
        add("1/3", failed(), "compile");
        add("2/1", at(2), "compile");
        add("3/1", at(0.8), "compile");
        add("1/1", at(1), "compile-max-autotune");
        add("1/2", at(3), "compile-max-autotune");
        add("2/1", at(4), "tf32");
        publish("1/1", at(5));
        publish("1/3", at(1.1));
        publish("2/1", failed());
        publish("3/1", {});
    }

private slots:
    void init()
    {
        m_project.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        m_project = must(store::Project::open(m_folder->filePath("p.cudal1").toStdString()));
        for (const char* id : {"1/1", "1/2", "1/3", "2/1", "3/1"}) {
            store::TaskRecord task = store::samples::task(id);
            task.level = id[0] - '0';
            must(m_project->putTask(task));
        }
    }

    void rowsCountFailuresAsTheReference()
    {
        addOurs();
        addOthers();
        const SuiteComparison suite = compare();
        QCOMPARE(suite.deviceModel, std::string("NVIDIA H200"));
        std::vector<int> levels;
        for (const LevelLine& line : suite.ours().lines)
            levels.push_back(line.level);
        QVERIFY((levels == std::vector<int>{LevelLine::allLevels, 1, 2, 3}));

        // Ours: 4, 1, 1, 2, 1.
        QVERIFY(has(suite.ours().lines[0], 1.8, 8, 1, 1, 3, 2, 5));
        QVERIFY(has(suite.ours().lines[1], 2, 4, 1, 1, 2, 1, 3));
        QVERIFY(has(suite.ours().lines[2], 2, 2, 2, 2, 1, 1, 1));
        QVERIFY(has(suite.ours().lines[3], 1, 1, 1, 1, 0, 0, 1));
        QVERIFY(suite.ours().notMeasured == 1 && suite.ours().kept == 1 && suite.ours().inQuestion == 0);
        // compile: 2, 1.5, 1, 2, 0.8.
        QVERIFY(has(rowOf(suite, "compile").lines[0], 1.46, 4.8, 1.5, 1, 4, 3, 5));
        QCOMPARE(rowOf(suite, "compile").notMeasured, 0);
        // compile-max-autotune: 1, 3, 1, 1, 1.
        QVERIFY(has(rowOf(suite, "compile-max-autotune").lines[0], 1.4, 3, 1, 1, 2, 1, 5));
        QCOMPARE(rowOf(suite, "compile-max-autotune").notMeasured, 3);
        // The best of the three: 2, 3, 1, 4, 0.8; of torch.compile: 2, 3, 1, 2, 0.8.
        QVERIFY(has(rowOf(suite, "best baseline").lines[0], 2.16, 19.2, 2, 1, 4, 3, 5));
        QVERIFY(has(rowOf(suite, "best torch.compile").lines[0], 1.76, 9.6, 2, 1, 4, 3, 5));
        QVERIFY(has(rowOf(suite, "best without tf32").lines[0], 1.76, 9.6, 2, 1, 4, 3, 5));
        // The publication: 5, 1, 1.1, 1, 1.
        QVERIFY(has(rowOf(suite, "cuda-l1: h100.jsonl").lines[0], 1.82, 5.5, 1, 1, 2, 2, 5));
        QCOMPARE(rowOf(suite, "cuda-l1: h100.jsonl").notMeasured, 2);
    }

    void ratiosAreTaskByTask()
    {
        addOurs();
        addOthers();
        const SuiteComparison suite = compare("h200");
        // 4/2, 1/1.5, 1/1, 2/2, 1/0.8; both are correct on 1/1, 1/2 and 2/1.
        QVERIFY(has(rowOf(suite, "ours / compile").lines[0], (2 + 2. / 3 + 1 + 1 + 1.25) / 5, 2 * 1.25 / 1.5, 1, 1, 3,
                    2, 5));
        // Over the larger of torch.compile and eager, which are 2, 3, 1, 2, 1: 4/2, 1/3, 1, 2/2, 1.
        const SuiteRow& larger = rowOf(suite, "ours / max(best torch.compile, eager)");
        QVERIFY(has(larger.lines[0], (2 + 1. / 3 + 3) / 5, 2. / 3, 1, 1, 3, 1, 5));
        QVERIFY(has(larger.lines[1], (2 + 1. / 3 + 1) / 3, 2. / 3, 1, 2. / 3, 2, 1, 3));
    }

    void whereOthersWin()
    {
        addOurs();
        addOthers();
        add("2/1", at(2.02), "cuda-graph"); // ahead of ours, by less than both intervals
        const SuiteComparison suite = compare();
        std::vector<std::string> lost;
        for (const report::SuiteLoss& loss : suite.losses)
            lost.push_back(suite.tasks[loss.task].id.value + " " + suite.rows[loss.row].name);
        QVERIFY((lost == std::vector<std::string>{"1/1 cuda-l1: h100.jsonl", "1/2 compile-max-autotune", "1/2 compile",
                                                  "1/3 cuda-l1: h100.jsonl", "2/1 tf32"}));
        QVERIFY(close(suite.losses[0].ratio.estimate, 1.25) && suite.losses[0].ratio.low > 1.2);
        QVERIFY(close(suite.losses[1].ratio.estimate, 3) && close(suite.losses[4].ratio.estimate, 2));
        QCOMPARE(suite.unclear, 0); // 2/1 is lost anyway
    }

    void whatIsTooCloseIsNoLoss()
    {
        add("1/1", at(2));
        add("1/1", at(2.025), "compile");
        add("1/2", at(2));
        add("1/2", at(2.01), "compile"); // less than what counts as a gain
        add("1/3", at(3, "not_reproduced"), "compile");
        const SuiteComparison suite = compare();
        QVERIFY(suite.losses.empty());
        QCOMPARE(suite.unclear, 1);
        QCOMPARE(rowOf(suite, "compile").inQuestion, 1);
        QVERIFY(has(rowOf(suite, "compile").lines[0], (2.025 + 2.01 + 3) / 5, 2.025 * 2.01, 1, 1, 3, 2, 5));
    }

    void gainOnADegenerateTaskIsQuestioned()
    {
        add("1/1", at(4, "degenerate_task"));
        add("1/1", at(5, "degenerate_task"), "compile");
        const SuiteComparison suite = compare();
        QVERIFY(suite.ours().inQuestion == 1 && rowOf(suite, "compile").inQuestion == 1);
        QVERIFY(has(suite.ours().lines[0], 1, 1, 1, 1, 1, 0, 5));
        QVERIFY(suite.losses.empty());
    }

    void onePrecisionAndOneDevice()
    {
        addOurs();
        const SuiteComparison tf32 = compare("NVIDIA H200", protocol::Precision::Tf32);
        QVERIFY(has(tf32.ours().lines[0], (7 + 4) / 5., 7, 1, 1, 1, 1, 5));
        QCOMPARE(tf32.rows.size(), std::size_t(1)); // nobody else was measured so
        QCOMPARE(tf32.elsewhere.size(), std::size_t(2));
        const SuiteComparison cpu = compare("AMD EPYC");
        QVERIFY(has(cpu.ours().lines[3], 9, 9, 9, 9, 1, 1, 1));

        const auto unknown = report::compareSuite(*m_project, {"A100"});
        QVERIFY(!unknown && unknown.error().code == base::ErrorCode::NotFound);
        QCOMPARE(unknown.error().hint,
                 std::string("It has NVIDIA H200 (kernelbench 4 tasks, tf32 1 task); AMD EPYC (kernelbench 1 task)"));
        const auto other = report::compareSuite(*m_project, {"AMD EPYC", protocol::Precision::Ieee});
        QVERIFY(!other && other.error().message.ends_with("nothing of AMD EPYC at precision ieee"));
    }

    void nothingToCompare()
    {
        const auto none = report::compareSuite(*m_project, {});
        QVERIFY(!none && none.error().message.starts_with("Nothing was judged in this project yet"));
        must(m_project->putTask(
            {{"/a.py"}, "a", {}, 0, "class Model: pass", "cd"})); // a single file is no task of a suite
        for (const char* id : {"1/1", "/a.py"})
            add(id, at(3));
        const SuiteComparison suite = compare();
        QCOMPARE(suite.tasks.size(), std::size_t(5));
        QCOMPARE(suite.files, 1);
    }
};

QTEST_GUILESS_MAIN(TestSuiteComparison)
#include "tst_suitecomparison.moc"
