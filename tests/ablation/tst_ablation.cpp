// SPDX-License-Identifier: GPL-3.0-or-later
// Plans, stored combinations, what was judged of them, the forecast, the bottleneck and the table.
#include "core/ablation/ablation.h"
#include "core/ablation/ablationtable.h"
#include "core/ablation/bottleneck.h"
#include "core/ablation/findingstext.h"
#include "core/ablation/forecast.h"
#include "core/ablation/measured.h"
#include "core/ablation/measuredeffect.h"
#include "tests/timeline/timelinesamples.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using ablation::CombinationRow;
using ablation::Design;

namespace {

const ablation::AblationSettings settings{"cuda:0", "NVIDIA H200", protocol::Precision::Kernelbench,
                                          protocol::Preset::Quick};
const std::string source = "import torch\nUSE_A = True\nUSE_B = False\nclass ModelNew: pass\n";

protocol::Evaluation evaluation(double speedup, double seconds = 10)
{
    protocol::Evaluation e;
    e.verdict = protocol::Verdict::Correct;
    e.preset = settings.preset;
    e.precision.mode = settings.precision;
    e.device = {"cuda:0", settings.deviceModel, "", "", "9.0", 0, 0, 0};
    e.speedup.wall = {{speedup, speedup * 0.99, speedup * 1.01}, 4e6, 4e6 / speedup};
    e.speedup.event = {{speedup, speedup * 0.98, speedup * 1.02}, 4e6, 4e6 / speedup};
    e.speedup.gpuBusy = {{1, 0.99, 1.01}, 1e6, 1e6};
    e.seconds.total = seconds;
    return e;
}

protocol::Evaluation incorrect()
{
    protocol::Evaluation e = evaluation(1);
    e.verdict = protocol::Verdict::Incorrect;
    e.reasons = {{"wrong_values", "It differs, by \"much\"", ""}};
    return e;
}

} // namespace

class TestAblation : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    base::VariantId m_variant;

    ablation::AblationPlan plan(Design design = Design::Full) const
    {
        return *ablation::planFor(*m_project, m_variant, {}, design);
    }
    std::vector<CombinationRow> rows(Design design = Design::Full) const
    {
        return *ablation::rowsOf(*m_project, plan(design), settings);
    }

private slots:
    void init()
    {
        m_project.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = store::Project::open(m_folder->filePath("p.cudal1").toStdString());
        QVERIFY2(opened.ok(), opened ? "" : opened.error().text().c_str());
        m_project = std::move(*opened);
        QVERIFY(m_project->putTask({{"1/1"}, "One", "suite", 1, "class Model: one", "hash"}).ok());
        store::VariantRecord variant;
        variant.task = {"1/1"};
        variant.source = source;
        variant.origin = "file: mine.py";
        m_variant = *m_project->addVariant(variant);
    }

    void combinationsAreVariants()
    {
        QVERIFY(m_project->addEvaluation(m_variant, evaluation(2)).ok());
        const std::vector<CombinationRow> before = rows();
        QCOMPARE(before.size(), std::size_t(4));
        QVERIFY(before[1].variant == m_variant && before[1].correct()); // A alone is the source as it stands
        QVERIFY(!before[0].variant && before[0].word() == "not_judged");
        QCOMPARE(m_project->variantRows()->size(), std::size_t(1)); // looking stores nothing

        const auto record = ablation::prepare(*m_project, plan(), settings);
        QVERIFY2(record.ok(), record ? "" : record.error().text().c_str());
        const std::vector<CombinationRow> after = rows();
        const auto waiting = ablation::toJudge(after, false);
        QVERIFY(waiting.size() == 3 && waiting[0] == after[0].variant && waiting[1] == after[2].variant);
        QCOMPARE(ablation::toJudge(after, true).size(), std::size_t(4));
        const store::VariantRecord both = *m_project->variant(after[3].variant);
        QVERIFY(both.parent == m_variant &&
                both.source == "import torch\nUSE_A = True\nUSE_B = True\nclass ModelNew: pass\n");
        QVERIFY(both.techniques == (std::vector<std::string>{"a", "b"}) && both.origin == "ablation of variant 1: all");

        // Once more: the same ablation and the same variants.
        const auto again = ablation::prepare(*m_project, plan(), settings);
        QVERIFY(again->id == record->id && again->rows == record->rows);
        QCOMPARE(m_project->variantRows()->size(), std::size_t(4));
        // What was stored leads back to the plan.
        const auto back = ablation::planOf(*m_project, *m_project->ablation(record->id));
        QVERIFY(back->combinations == plan().combinations && back->design == Design::Full &&
                back->names() == plan().names());
        QVERIFY(ablation::settingsOf(*again).deviceModel == "NVIDIA H200");
    }

    void onlyTheSameSettingsCount()
    {
        protocol::Evaluation other = evaluation(2);
        other.device.model = "NVIDIA A100";
        QVERIFY(m_project->addEvaluation(m_variant, other).ok());
        other = evaluation(2);
        other.preset = protocol::Preset::Standard;
        QVERIFY(m_project->addEvaluation(m_variant, other).ok());
        QVERIFY(!rows()[1].found);
        // Both settings have one combination: those that came last are told, and those of the same precision before.
        const auto elsewhere = ablation::judgedElsewhere(*m_project, rows(), settings);
        QVERIFY(elsewhere.ok() && *elsewhere && (*elsewhere)->precision == settings.precision);
        QVERIFY((*elsewhere)->deviceModel == "NVIDIA A100" || (*elsewhere)->preset == protocol::Preset::Standard);
        other.precision.mode = protocol::Precision::Ieee;
        other.device.model = "NVIDIA A100";
        QVERIFY(m_project->addEvaluation(m_variant, other).ok());
        QVERIFY((*ablation::judgedElsewhere(*m_project, rows(), settings))->precision == settings.precision);
        QVERIFY(!ablation::judgedElsewhere(*m_project, {}, settings)->has_value());
    }

    void theEffectOfAToggleIsFoundAgain()
    {
        QVERIFY(ablation::measuredEffects(*m_project, m_variant).empty());
        const auto record = ablation::prepare(*m_project, plan(), settings);
        for (const store::AblationRow& row : record->rows)
            QVERIFY(
                m_project->addEvaluation(row.variant, evaluation((row.on & 1U ? 2.0 : 1.0) * (row.on & 2U ? 0.5 : 1.0)))
                    .ok());
        const auto effects = ablation::measuredEffects(*m_project, m_variant);
        QVERIFY(effects.size() == 2 && effects.contains("USE_B"));
        const base::Interval& a = effects.at("USE_A");
        QVERIFY(qAbs(a.estimate - 2) < 1e-9 && a.low < 2 && a.high > 2);
        // Also of another combination of the same ablation.
        QVERIFY(qAbs(ablation::measuredEffects(*m_project, record->rows[3].variant).at("USE_B").estimate - 0.5) < 1e-9);
        QVERIFY(ablation::measuredEffects(*m_project, {99}).empty());
    }

    void aRecordingSaysMoreOfTheBottleneck()
    {
        const auto record = ablation::prepare(*m_project, plan(), settings);
        QVERIFY(m_project->addEvaluation(m_variant, evaluation(2)).ok());
        const std::string before = rows()[1].found->bottleneck;
        protocol::TimelineAnswer answer = timeline::samples::answer();
        answer.candidate = answer.reference; // which has kernels
        QVERIFY(m_project->addTimeline({"1/1"}, m_variant, answer).ok());
        const std::string after = rows()[1].found->bottleneck;
        QVERIFY2(!after.empty() && after != before, after.c_str());
        const timeline::TimelineSummary recorded = timeline::summarise(*answer.candidate);
        QCOMPARE(after, ablation::bottleneckText(evaluation(2), &recorded));
    }

    void countersSayWhatHoldsUpTheLongestKernel()
    {
        const auto record = ablation::prepare(*m_project, plan(), settings);
        QVERIFY(m_project->addEvaluation(m_variant, evaluation(2)).ok());
        const std::string before = rows()[1].found->bottleneck;
        protocol::Counters counters;
        counters.source = protocol::CounterSource::Cupti;
        counters.device.model = settings.deviceModel;
        protocol::KernelCounters kernel{"gemm(int)", {{2112, 1, 1}, {256, 1, 1}, 32, 0, 0}, 1, 200'000, 0, {}};
        kernel.measured.emplace();
        kernel.measured->tensorUse = 0.85;
        counters.candidate = protocol::CounterSide{210'000, {kernel}, {}};
        QVERIFY(m_project->putCounters({"1/1"}, m_variant, counters).ok());
        QCOMPARE(rows()[1].found->bottleneck, before + "; gemm: 85 % of the tensor cores");
    }

    void refusals()
    {
        const auto code = [](const auto& result) { return result ? -1 : int(result.error().code); };
        QCOMPARE(code(ablation::planFor(*m_project, {99}, {}, Design::Full)), int(base::ErrorCode::NotFound));
        QCOMPARE(code(ablation::planFor(*m_project, m_variant, {"USE_Z"}, Design::Full)),
                 int(base::ErrorCode::NotFound));
        store::VariantRecord plain;
        plain.task = {"1/1"};
        plain.source = "class ModelNew: pass";
        const auto id = *m_project->addVariant(plain);
        QCOMPARE(code(ablation::planFor(*m_project, id, {}, Design::Full)), int(base::ErrorCode::InvalidArgument));
        QVERIFY(m_project->putTask({{"1/1"}, "One", "suite", 1, "class Model: changed", "other hash"}).ok());
        QCOMPARE(code(ablation::planFor(*m_project, m_variant, {}, Design::Full)),
                 int(base::ErrorCode::InvalidArgument));
    }

    void forecasts()
    {
        const auto forecast = [&](bool again = false) {
            return *ablation::forecast(*m_project, plan(), settings, rows(), again);
        };
        QCOMPARE(forecast().text(), std::string("4 to judge, usually about 20 s"));
        // Of another task first, then of this one, then of the ablation itself.
        QVERIFY(m_project->putTask({{"1/2"}, "Two", "suite", 1, "class Model: two", "hash2"}).ok());
        store::VariantRecord other;
        other.task = {"1/2"};
        other.source = "class ModelNew: two";
        QVERIFY(m_project->addEvaluation(*m_project->addVariant(other), evaluation(1, 100)).ok());
        QCOMPARE(forecast().text(),
                 std::string("4 to judge, about 6 min 40 s (median of 1 evaluation of other tasks)"));
        other.task = {"1/1"};
        QVERIFY(m_project->addEvaluation(*m_project->addVariant(other), evaluation(1, 30)).ok());
        QVERIFY(forecast().ofTask && forecast().seconds() == 120);
        QVERIFY(m_project->addEvaluation(m_variant, evaluation(1, 5)).ok());
        QVERIFY(forecast().waiting == 3 && forecast().seconds() == 15);
        QCOMPARE(forecast(true).waiting, 4);
    }

    void ordersAndCsv()
    {
        QVERIFY(ablation::prepare(*m_project, plan(), settings).ok());
        std::vector<CombinationRow> all = rows();
        const protocol::Evaluation given[] = {evaluation(1), evaluation(3), incorrect(), evaluation(2)};
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(m_project->addEvaluation(all[i].variant, given[i]).ok());
        all = rows();
        const auto order = [&all](ablation::Order by) {
            ablation::sort(all, by);
            std::vector<std::uint32_t> out;
            for (const CombinationRow& row : all)
                out.push_back(row.on);
            return out;
        };
        QCOMPARE(order(ablation::Order::Speedup),
                 (std::vector<std::uint32_t>{1, 0, 2, 3})); // a row without a number is no hole
        QCOMPARE(order(ablation::Order::Toggles), (std::vector<std::uint32_t>{0, 1, 2, 3}));
        QCOMPARE(order(ablation::Order::Verdict), (std::vector<std::uint32_t>{0, 1, 2, 3}));
        const QStringList lines = QString::fromStdString(ablation::csvOf(plan().names(), all)).split("\r\n");
        QVERIFY(lines.size() == 6 && lines[0].startsWith("USE_A,USE_B,variant,verdict,speedup,"));
        QVERIFY2(lines[2].startsWith("1,0,1,correct,3,2.9"), qPrintable(lines[2]));
        QVERIFY2(lines[3].contains("0,1,3,incorrect,,,,") && lines[3].contains("\"It differs, by \"\"much\"\"\""),
                 qPrintable(lines[3]));
        QVERIFY2(lines[4].startsWith("1,1,4,not_judged,"), qPrintable(lines[4]));
        QCOMPARE(lines[0].count(','), lines[4].count(','));
        QCOMPARE(ablation::measuredOf(all, ablation::EffectClock::Wall).size(), std::size_t(2));
    }

    void bottlenecks()
    {
        protocol::Evaluation e = evaluation(2); // a call takes 2 ms, the kernels 1 ms, as in the reference
        QCOMPARE(ablation::bottleneckText(e),
                 std::string("GPU work with gaps: the GPU works 50 % of a call (1.00 ms of 2.00 ms), the rest is "
                             "launches and waits; the kernels take as long as the reference's"));
        e.speedup.gpuBusy.candidate_ns = 0.2e6;
        QCOMPARE(ablation::bottleneckText(e),
                 std::string(
                     "Launch-bound: the GPU works 10 % of a call (200 µs of 2.00 ms) and waits for the CPU otherwise"));
        e.speedup.gpuBusy.candidate_ns = 1.96e6;
        QCOMPARE(ablation::bottleneckText(e),
                 std::string("GPU-bound: the kernels fill 98 % of a call (1.96 ms of 2.00 ms)"));
        e.floor.time_ns = 1.568e6;
        QCOMPARE(ablation::bottleneckText(e), std::string("Memory-bound: the GPU works 98 % of a call (1.96 ms of 2.00 "
                                                          "ms), 80 % of that is what its bytes need"));
        timeline::TimelineSummary recorded;
        recorded.calls = 2;
        timeline::EventTotal kernel;
        kernel.category = protocol::TimelineEvent::Category::Kernel;
        kernel.name = "conv3d<float>(int)";
        kernel.count = 6;
        kernel.total_ns = 100;
        kernel.share = 0.75;
        timeline::EventTotal beside = kernel; // on another stream
        beside.name = "scale";
        beside.total_ns = 25;
        recorded.deviceRows = {kernel, beside};
        QVERIFY(ablation::bottleneckText(e, &recorded).ends_with("; 6 kernels a call, 80 % of their time in conv3d"));
        QCOMPARE(ablation::busyShare(e.speedup.wall, e.speedup.gpuBusy).value(), 0.98);
        e.speedup.gpuBusy.candidate_ns = 3e6; // calls of its own, which recording slowed down
        QCOMPARE(ablation::busyShare(e.speedup.wall, e.speedup.gpuBusy).value(), 1.0);
        QVERIFY(!ablation::busyShare(e.speedup.wall, {}));
        e.device.name = "cpu";
        QCOMPARE(ablation::bottleneckText(e), std::string("CPU-bound: 2.00 ms a call without a GPU"));
        QVERIFY(ablation::bottleneckText(incorrect()).empty());
    }
};

QTEST_GUILESS_MAIN(TestAblation)
#include "tst_ablation.moc"
