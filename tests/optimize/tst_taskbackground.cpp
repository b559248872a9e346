// SPDX-License-Identifier: GPL-3.0-or-later
// What a project knows around a task: like tasks, effects there, least work, the timeline of a variant.
#include "core/optimize/taskbackground.h"
#include "core/optimize/techniqueeffects.h"
#include "tests/optimize/projectfixture.h"
#include "tests/timeline/timelinesamples.h"

#include <QTest>

#include <cmath>

using namespace cudal1;

class TestTaskBackground : public QObject, private tests::ProjectFixture {
    Q_OBJECT
private:
    void add(const char* task, std::vector<std::string> techniques, double speedup, const char* model = "Some GPU")
    {
        store::VariantRecord variant;
        variant.task = {task};
        variant.source = std::string(task) + std::to_string(speedup) + model;
        variant.techniques = std::move(techniques);
        const auto id = m_project->addVariant(variant);
        protocol::Evaluation evaluation;
        evaluation.verdict = protocol::Verdict::Correct;
        evaluation.speedup.wall = {{speedup, speedup * 0.99, speedup * 1.01}, 2e6, 2e6 / speedup};
        evaluation.device.model = model;
        evaluation.floor.bytesPerSecond = 1e12;
        if (!id || !m_project->addEvaluation(*id, evaluation))
            qFatal("the store does not work");
    }
    void addTask(const char* id, const std::string& source)
    {
        QVERIFY(m_project->putTask({{id}, "T", "suite", 1, source, std::string("hash") + id}).ok());
    }

private slots:
    void init() { renew(); }

    void operationsAreNamed()
    {
        const auto named = optimize::operationsNamed(
            "import torch.nn as nn\nclass Model(nn.Module):\n    c = nn.Conv2d(3, 4)\n"
            "    def forward(self, x):\n        return F.relu(torch.matmul(x, mytorch.x))\n"
            "def get_inputs():\n    return [torch.randn(2)]\n");
        QVERIFY((named == std::set<std::string>{"Conv2d", "relu", "matmul"}));
        using Set = std::set<std::string>;
        QVERIFY(optimize::areAlike(Set{"a", "b"}, Set{"a", "c"})); // one of three
        QVERIFY(!optimize::areAlike(Set{"a", "b"}, Set{"a", "c", "d"}));
        QVERIFY(!optimize::areAlike(Set{}, Set{}));
    }

    void effectsAreOfLikeTasksOnThisDevice()
    {
        const std::string conv = "nn.Conv2d(1, 2); torch.relu(x)";
        addTask("1/1", conv);
        addTask("1/2", conv);
        addTask("1/3", "nn.Linear(1, 2)");
        addTask("1/4", conv);
        add("1/1", {"tf32"}, 2);
        add("1/2", {"tf32"}, 8);
        add("1/3", {"tf32"}, 100); // not alike
        add("1/4", {"tf32"}, 50);  // the task itself
        add("1/1", {"graph"}, 3, "Another GPU");
        const auto task = *m_project->task({"1/4"});
        const auto effects = optimize::effectsOnLikeTasks(*m_project, task, "Some GPU");
        QCOMPARE(effects.size(), std::size_t(1));
        QCOMPARE(effects[0].technique, std::string("tf32"));
        QCOMPARE(effects[0].tasks, 2);
        QVERIFY(std::abs(effects[0].gain.estimate - 4) < 1e-9); // sqrt(2 * 8)
        QVERIFY(optimize::effectsOnLikeTasks(*m_project, task, "No GPU").empty());
    }

    void leastWorkIsOfTheGraph()
    {
        addTask("1/1", "x");
        add("1/1", {"t"}, 2); // measured 1 TB/s
        protocol::OperatorGraph graph;
        using Kind = protocol::GraphValue::Kind;
        graph.values = {{0, {1000, 1000}, {1000, 1}, "float32", "x", Kind::Input},
                        {1, {1000, 1000}, {1000, 1}, "float32", "", Kind::Intermediate}};
        graph.nodes = {{0, "aten.relu.default", "", {{{"value", 0}}}, nlohmann::json::object(), {1}, 0}};
        graph.inputs = {0};
        graph.outputs = {1};
        protocol::DeviceInfo device;
        device.name = "cuda:0";
        device.model = "Some GPU";
        const policy::LeastWork least = optimize::leastWork(*m_project, graph, device);
        QCOMPARE(least.read_bytes, 4e6);
        QCOMPARE(least.written_bytes, 4e6);
        QCOMPARE(least.bytesPerSecond, 1e12);
        QCOMPARE(least.floor_ns, 8000.0); // 8 MB at 1 TB/s
        QVERIFY(least.complete);
    }

    void theTimelineIsTheVariants()
    {
        addTask("1/1", "x");
        store::VariantRecord variant;
        variant.task = {"1/1"};
        variant.source = "a = 1";
        const auto id = *m_project->addVariant(variant);
        const protocol::TimelineAnswer answer = timeline::samples::answer();
        QVERIFY(m_project->addTimeline({"1/1"}, id, answer).ok());
        const std::string lines = optimize::timelineLines(*m_project, {"1/1"}, id, answer.device.model);
        QVERIFY2(lines.starts_with("- A call takes ") && lines.find("longest gap") != std::string::npos, lines.c_str());
        QVERIFY(optimize::timelineLines(*m_project, {"1/1"}, id, "Another GPU").empty());
        QVERIFY(optimize::timelineLines(*m_project, {"1/1"}, {99}, answer.device.model).empty());

        policy::Prompt prompt;
        prompt.device.model = answer.device.model;
        optimize::TaskBackground background;
        const auto task = *m_project->task({"1/1"});
        background.fill(prompt, *m_project, task, id);
        QCOMPARE(prompt.timeline, lines);
        QVERIFY(prompt.least.has_value());
        background.fill(prompt, *m_project, task, {});
        QVERIFY(prompt.timeline.empty());
    }

    void whatHoldsUpTheBestVariantIsTold()
    {
        addTask("1/1", "x");
        store::VariantRecord variant;
        variant.task = {"1/1"};
        variant.source = "a = 1";
        const auto id = *m_project->addVariant(variant);
        protocol::Counters counters;
        counters.source = protocol::CounterSource::Cupti;
        counters.device.model = "NVIDIA H200";
        counters.device.capability = "9.0";
        counters.device.processors = 132;
        protocol::KernelCounters kernel{
            "void k<float>(int)", {{2112, 1, 1}, {256, 1, 1}, 128, 0, 0}, 1, 200'000, 0, {}};
        kernel.measured.emplace();
        kernel.measured->dramUse = 0.75;
        counters.candidate = protocol::CounterSide{210'000, {kernel}, {}};
        QVERIFY(m_project->putCounters({"1/1"}, id, counters).ok());
        policy::Prompt prompt;
        prompt.device.model = "NVIDIA H200";
        optimize::TaskBackground background;
        background.fill(prompt, *m_project, *m_project->task({"1/1"}), id);
        // 128 × 32 registers are 4,096 a warp, of which 65,536 hold 16: two blocks of 8, a quarter of 64.
        QCOMPARE(
            prompt.timeline,
            std::string("- Memory-bound: k<float>: 75 % of DRAM's bandwidth.\n"
                        "  - k<float>, 100 % of the kernels' time; occupancy at most 25 % (limited by registers, 128 "
                        "a thread); 75 % of DRAM's bandwidth"));
        QVERIFY(optimize::kernelLines(*m_project, {"1/1"}, id, "Another GPU", {}).empty());
    }
};

QTEST_GUILESS_MAIN(TestTaskBackground)
#include "tst_taskbackground.moc"
