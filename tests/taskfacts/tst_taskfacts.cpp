// SPDX-License-Identifier: GPL-3.0-or-later
// What is gathered of a task: from the bundled files alone, from a project, from what the suite ships on quality.
#include "core/store/graphkey.h"
#include "core/taskfacts/taskfacts.h"
#include "core/tasks/suite.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace cudal1;
using namespace cudal1::taskfacts;
namespace fs = std::filesystem;

namespace {

const fs::path bundled = fs::path(CUDAL1_SOURCE_DIR) / "kernelbench";

FactsQuestion questionOf(const char* id)
{
    const auto suite = tasks::readSuite(bundled);
    const tasks::Task task = tasks::resolve(*suite, id).value();
    return {{task.id, task.name, task.suite, task.level, task.source, task.hash}, bundled, {}};
}

protocol::DeviceInfo gpu(std::int64_t memory)
{
    protocol::DeviceInfo device;
    device.name = "cuda:0";
    device.model = "Test GPU";
    device.memory_bytes = memory;
    device.l2_bytes = 1'000'000;
    return device;
}

protocol::Evaluation judged(const protocol::DeviceInfo& device)
{
    protocol::Evaluation evaluation;
    evaluation.verdict = protocol::Verdict::Correct;
    evaluation.device = device;
    evaluation.speedup.wall = {{2, 1.9, 2.1}, 100e3, 50e3};
    evaluation.speedup.gpuBusy = {{2, 1.9, 2.1}, 30e3, 15e3};
    evaluation.labels.push_back(
        {"degenerate_task", "This task tells little.", "zeros, the mean of the result passed 20 trials"});
    evaluation.floor.bytesPerSecond = 1e12;
    evaluation.floor.time_ns = 12e3;
    return evaluation;
}

void addEvaluation(store::Project& project, const store::TaskRecord& task, const protocol::Evaluation& evaluation)
{
    QVERIFY(project.putTask(task).ok());
    store::VariantRecord variant;
    variant.task = task.id;
    variant.taskHash = task.hash;
    variant.source = "class ModelNew: pass\n";
    const auto id = project.addVariant(variant);
    QVERIFY(id.ok());
    QVERIFY(project.addEvaluation(*id, evaluation).ok());
}

} // namespace

class TestTaskFacts : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::unique_ptr<store::Project> project(const char* name)
    {
        auto opened = store::Project::open(m_folder.filePath(QString::fromLatin1(name)).toStdString());
        return opened ? std::move(*opened) : nullptr;
    }

private slots:
    void bundledTasksAreKnownAtOnce()
    {
        const TaskFacts facts = gather(questionOf("1/1"), nullptr);
        QCOMPARE(facts.description, std::string("Product of two square matrices: C = A B."));
        QVERIFY(facts.program && facts.costs);
        QCOMPARE(facts.programSource, std::string("from the suite's facts"));
        QCOMPARE(facts.costs->minimum_bytes(), 3.0 * 4 * 2048 * 2048);
        QVERIFY(!facts.device && !facts.memory);
        QCOMPARE(facts.floor.source, costs::Roofline::Source::Unknown);
        QVERIFY(memoryWarning(facts).empty());
    }

    void anotherTextIsAnotherTask()
    {
        FactsQuestion question = questionOf("1/1");
        question.task.source += "# mine\n";
        question.task.hash = "0";
        QVERIFY(!gather(question, nullptr).program);
    }

    void whatDoesNotFitSaysSo()
    {
        FactsQuestion question = questionOf("1/1");
        question.device = gpu(1'000'000'000);
        const std::string warning = memoryWarning(gather(question, nullptr));
        QVERIFY2(warning.find("Test GPU has 954 MiB") != std::string::npos, warning.c_str());
        question.device = gpu(80'000'000'000);
        QVERIFY(memoryWarning(gather(question, nullptr)).empty());
    }

    void evaluationsGiveFloorAndFlags()
    {
        const auto store = project("evaluated");
        QVERIFY(store);
        const FactsQuestion question = questionOf("1/1");
        addEvaluation(*store, question.task, judged(gpu(80'000'000'000)));
        const TaskFacts facts = gather(question, store.get());
        QVERIFY(facts.device && facts.memory);
        QCOMPARE(facts.device->model, std::string("Test GPU")); // none was chosen
        // All bytes at the measured bandwidth: the judge's own number, which is for accusing, does not stand for it.
        const double floor_ns = 3.0 * 4 * 2048 * 2048 / 1e12 * 1e9;
        QCOMPARE(facts.floor_ns("Test GPU"), floor_ns);
        QCOMPARE(facts.floor_ns("Other GPU"), 0.0);
        QCOMPARE(facts.floor.source, costs::Roofline::Source::Measured);
        QCOMPARE(facts.flags.size(), std::size_t(3));
        QCOMPARE(facts.flags[0].text,
                 std::string("degenerate: a result that takes no work passes (zeros, the mean of the result)"));
        QVERIFY(facts.flags[1].kind == Flag::Kind::ConstantOutput);
        QCOMPARE(facts.flags[2].text, std::string("launch bound: the GPU is idle for 70 % of a call"));
        QCOMPARE(facts.flags[2].source, std::string("an evaluation in this project on Test GPU"));

        // The chosen device counts, also while nothing but its name is known.
        FactsQuestion onCpu = question;
        onCpu.deviceName = "cpu";
        const TaskFacts cpu = gather(onCpu, store.get());
        QVERIFY(!cpu.onGpu() && cpu.memory && memoryWarning(cpu).empty());
        QCOMPARE(cpu.floor.source, costs::Roofline::Source::Unknown);
        QCOMPARE(cpu.flags.size(), std::size_t(3));
        QVERIFY(cpu.onRecordedGpu); // and what was recorded elsewhere is told beside it
        QCOMPARE(cpu.onRecordedGpu->device->model, std::string("Test GPU"));
        QCOMPARE(cpu.floor_ns("Test GPU"), floor_ns);
        QVERIFY(!cpu.onRecordedGpu->onRecordedGpu && !facts.onRecordedGpu && !gather(onCpu, nullptr).onRecordedGpu);

        // The bandwidth is the device's, so another task's evaluation will do; its flags will not.
        FactsQuestion other = questionOf("2/12");
        other.device = gpu(80'000'000'000);
        const TaskFacts second = gather(other, store.get());
        QCOMPARE(second.floor.source, costs::Roofline::Source::Measured);
        QCOMPARE(second.floor.bytesPerSecond, 1e12);
        QCOMPARE(second.floor_ns("Test GPU"), second.floor.bytes_ns);
        QCOMPARE(second.flags.size(), std::size_t(1)); // the suite's own
        QCOMPARE(second.flags[0].source, std::string("recorded with the suite on NVIDIA H200"));
        other.device.reset();
        other.deviceName = "cuda:0";
        QCOMPARE(gather(other, store.get()).device->model, std::string("Test GPU"));
    }

    void aTraceShowsTimes()
    {
        const auto store = project("traced");
        QVERIFY(store);
        FactsQuestion question = questionOf("1/1");
        question.task.id = {"/home/me/net.py"};
        question.task.level = 0;
        const std::string graph =
            R"({"values":[{"id":0,"shape":[8],"dtype":"float32","name":"x","kind":"input"},{"id":1,"shape":[8],"dtype":"float32"}],)"
            R"("nodes":[{"id":0,"op":"aten.relu.default","args":[{"value":0}],"outputs":[1],"time_ns":500}],"inputs":[0],"outputs":[1]})";
        QVERIFY(store->putCache("graph/1/any", graph).ok());
        QVERIFY(store
                    ->putCache(store::newestGraphKey(question.task.hash),
                               R"({"key":"graph/1/any","device":"Test GPU","precision":"ieee"})")
                    .ok());
        const TaskFacts facts = gather(question, store.get());
        QVERIFY(facts.program && facts.program->timed);
        QCOMPARE(facts.programSource, std::string("traced on Test GPU, precision ieee"));
        QCOMPARE(facts.costs->minimum_bytes(), 64.0);
    }

    void shapesAloneAreKept()
    {
        const auto store = project("shapes");
        QVERIFY(store);
        FactsQuestion question = questionOf("1/1");
        question.task.level = 0;
        QVERIFY(!gather(question, store.get()).program);
        const auto graph = nlohmann::json::parse(
            R"({"values":[{"id":0,"shape":[8],"dtype":"float32","name":"x","kind":"input"},{"id":1,"shape":[8],"dtype":"float32"}],)"
            R"("nodes":[{"id":0,"op":"aten.relu.default","args":[{"value":0}],"outputs":[1]}],"inputs":[0],"outputs":[1],"device":"meta"})");
        question.shapes = std::make_shared<const protocol::OperatorGraph>(graph.get<protocol::OperatorGraph>());
        QCOMPARE(gather(question, nullptr).programSource, std::string("traced by shapes alone"));
        QVERIFY(keepShapes(*store, question.task.hash, *question.shapes).ok());
        question.shapes.reset();
        const TaskFacts facts = gather(question, store.get());
        QCOMPARE(facts.programSource, std::string("traced by shapes alone"));
        QVERIFY(!facts.program->timed);
        QCOMPARE(facts.costs->minimum_bytes(), 64.0);
        question.task.hash[0] = question.task.hash[0] == '0' ? '1' : '0';
        QVERIFY(!gather(question, store.get()).program); // another text
    }

    void theDeviceIsTheProjectsNewest()
    {
        const auto store = project("newest");
        QVERIFY(store);
        addEvaluation(*store, questionOf("1/1").task, judged(gpu(80'000'000'000)));
        const TaskFacts facts = gather(questionOf("2/12"), store.get()); // never judged, and no device was chosen
        QVERIFY(facts.device && facts.memory);
        QCOMPARE(facts.device->model, std::string("Test GPU"));
        QCOMPARE(facts.floor.source, costs::Roofline::Source::Measured);
    }

    void whatIsShippedIsOfTheBundledVersion_data()
    {
        QTest::addColumn<int>("tasks");
        QTest::newRow("sample/sample.cudal1") << 20;
        QTest::newRow("baselines-h200.cudal1") << 250;
    }

    void whatIsShippedIsOfTheBundledVersion()
    {
        // Else what is judged beside it would be of another version than what was recorded there.
        QFETCH(int, tasks);
        const fs::path recorded = fs::path(CUDAL1_SOURCE_DIR) / "resources" / QTest::currentDataTag();
        const fs::path copy = m_folder.filePath(QString::fromStdString(recorded.filename().string())).toStdString();
        fs::copy_file(recorded, copy);
        const auto shipped = store::Project::open(copy);
        const auto suite = tasks::readSuite(bundled);
        QVERIFY(shipped.ok() && suite.ok());
        const auto rows = (*shipped)->taskRows();
        QVERIFY(rows.ok());
        QCOMPARE(rows->size(), std::size_t(tasks));
        for (const store::TaskRow& row : *rows) {
            const tasks::Task* task = suite->find(row.id);
            QVERIFY2(task && task->hash == row.hash, row.id.value.c_str());
            QCOMPARE(row.suite, task->suite);
        }
    }

    void theSuiteShipsQuality()
    {
        const fs::path folder = m_folder.path().toStdString();
        std::ofstream(folder / "quality.jsonl")
            << R"({"level":2,"id":80,"device":"NVIDIA H200","wall_ns":50000,"busy_ns":40000,"nulls":["zeros"],"labels":["degenerate_task"]})"
            << "\nno row\n"
            << R"({"level":2,"id":81,"device":"NVIDIA H200","wall_ns":50000,"busy_ns":10000,"nulls":[],"labels":[]})"
            << "\n";
        const auto degenerate = flagsOf(recordedObservations(folder, 2, 80));
        QCOMPARE(degenerate.size(), std::size_t(2));
        QCOMPARE(degenerate[0].text, std::string("degenerate: a result that takes no work passes (zeros)"));
        QCOMPARE(degenerate[0].source, std::string("recorded with the suite on NVIDIA H200"));
        const auto idle = flagsOf(recordedObservations(folder, 2, 81));
        QCOMPARE(idle.size(), std::size_t(1));
        QCOMPARE(idle[0].text, std::string("launch bound: the GPU is idle for 80 % of a call"));
        QVERIFY(recordedObservations(folder, 2, 82).empty());
        QVERIFY(recordedObservations("/nowhere", 2, 80).empty());
    }

    void theScriptWritesWhatIsRead()
    {
        QString python = QStringLiteral(CUDAL1_PYTHON);
        if (python.isEmpty())
            python = QStringLiteral("python3");
        const auto store = project("recorded");
        QVERIFY(store);
        addEvaluation(*store, questionOf("1/1").task, judged(gpu(1)));
        QProcess script;
        script.start(python, {QStringLiteral(CUDAL1_SOURCE_DIR "/tests/tasks/quality_from_project.py"),
                              m_folder.filePath("recorded")});
        if (!script.waitForStarted())
            QSKIP("there is no Python here");
        QVERIFY(script.waitForFinished(60'000));
        QCOMPARE(script.exitCode(), 0);
        QTemporaryDir suite;
        QFile file(suite.filePath("quality.jsonl"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(script.readAllStandardOutput()) > 0);
        file.close();
        const auto read = recordedObservations(suite.path().toStdString(), 1, 1);
        QCOMPARE(read.size(), std::size_t(1));
        QCOMPARE(read[0].device, std::string("Test GPU"));
        QCOMPARE(read[0].wall_ns, 100e3);
        QCOMPARE(read[0].busy_ns, 30e3);
        QCOMPARE(read[0].nulls, (std::vector<std::string>{"zeros", "the mean of the result"}));
    }

    void operationsAsText()
    {
        QCOMPARE(flopsText(999), std::string("999 FLOP"));
        QCOMPARE(flopsText(17.18e9), std::string("17.2 GFLOP"));
        QCOMPARE(flopsText(999.9e9), std::string("1.00 TFLOP"));
    }
};

QTEST_GUILESS_MAIN(TestTaskFacts)
#include "tst_taskfacts.moc"
