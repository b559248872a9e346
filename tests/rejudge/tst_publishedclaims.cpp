// SPDX-License-Identifier: GPL-3.0-or-later
// What rows of a publication claim, and what they come to by device and level, beside what was found.
#include "core/rejudge/importer.h"
#include "core/rejudge/publishedclaims.h"
#include "core/tasks/cudal1results.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::rejudge;

namespace {

bool near(double a, double b)
{
    return std::abs(a - b) < 1e-9 * std::max(1.0, std::abs(b));
}

store::ClaimRecord claim(const std::string& source, std::optional<double> speedup, const std::string& details = "{}")
{
    store::ClaimRecord out;
    out.source = source;
    out.key = "1/1";
    out.speedup = speedup;
    out.details = details;
    return out;
}

} // namespace

class TestPublishedClaims : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    std::unique_ptr<store::Project> m_project;

    /// Level 1: 4x and a row without a claim; level 2: 1x, by the same code on both devices.
    void importFrom(const char* device, double first)
    {
        const QString path = m_folder.filePath(QStringLiteral("%1.json").arg(QLatin1String(device)));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto row = [&](int level, int number, const QByteArray& more) {
            file.write("{\"level_id\": " + QByteArray::number(level) + ", \"task_id\": " + QByteArray::number(number) +
                       ", \"ref_code\": \"n = " + QByteArray::number(level) +
                       "\\nclass Model: pass\\n\", \"custom_code\": " + more + "}\n");
        };
        row(1, 1,
            "\"import torch\\nclass ModelNew:\\n    def forward(self):\\n        "
            "torch.backends.cudnn.benchmark = True\\n\", \"score_default\": " +
                QByteArray::number(first) + ", \"score_cuda_graph\": 2.0, \"score_cudnn\": null");
        row(1, 2, "null, \"score_default\": null");
        row(2, 1, "\"class ModelNew:\\n    pass\\n\", \"score_default\": 1.0");
        file.close();
        const auto publication = tasks::readCudaL1Results(path.toStdString());
        QVERIFY(publication && publication->problems.empty());
        QVERIFY(importPublication(*m_project, {}, *publication, false));
    }

    PublishedClaims all(Failures rule = Failures::LeftOut, const std::string& device = {}) const
    {
        const auto out = publishedClaims(*m_project, device, rule);
        if (!out)
            qFatal("%s", out.error().text().c_str());
        return *out;
    }

private slots:
    void init()
    {
        m_project.reset();
        QFile::remove(m_folder.filePath("p.cudal1"));
        auto opened = store::Project::open(m_folder.filePath("p.cudal1").toStdString());
        QVERIFY(opened.ok());
        m_project = std::move(*opened);
    }
    void cleanup() { m_project.reset(); }

    void rowsClaimOverSeveralPrograms()
    {
        const store::ClaimRecord one = claim("cuda-l1: a100.json", 6.304,
                                             R"({"score_default": 6.304, "score_torch_compile_default": 6.326,
                                                 "score_cuda_graph": null, "score_cudnn": 5.19})");
        const auto over = claimedOver(one);
        QCOMPARE(over.size(), std::size_t(3));
        QVERIFY(over[0].over == "eager" && over[1].over == "torch.compile" && over[2].over == "cuDNN autotuning");
        QVERIFY(over[0].speedup == 6.304 && over[1].speedup == 6.326 && over[2].speedup == 5.19);
        QCOMPARE(claimText(one),
                 std::string(
                     "6.30× over eager, 6.33× over torch.compile, 5.19× over cuDNN autotuning on A100 (by the file's "
                     "name)"));
        QVERIFY(claimedOver(claim("kernelbench-runs: run", {}, "no JSON")).empty());
        QCOMPARE(claimText(claim("kernelbench-runs: run", {})), std::string("no speed-up"));
        QVERIFY(claimJson(one)["speedup"]["cuDNN autotuning"] == 5.19 && claimJson(one)["device"] == "A100" &&
                claimJson(one)["device_from"] == "file_name");
    }

    void devicesAreToldByRowsElseByNames()
    {
        const auto device = [](const char* source, const char* details = "{}") {
            return claimedDevice(claim(source, 2, details));
        };
        QVERIFY(device("cuda-l1: h100_xsm.json") == (ClaimedDevice{"H100", true}));
        QVERIFY(device("cuda-l1: rtx_3090.jsonl") == (ClaimedDevice{"RTX 3090", true}));
        QVERIFY(device("cuda-l1: cuda-l1-l40.json") == (ClaimedDevice{"L40", true}));
        QVERIFY(device("cuda-l1: h20.json") == (ClaimedDevice{"H20", true}));
        QVERIFY(device("kernelbench-runs: my_run") == ClaimedDevice());
        // KernelBench's own results say it; which GPU of its machine it was is no device.
        const char* said = R"({"runtime": 1.0, "metadata": {"hardware": "NVIDIA L40S", "device": "cuda:0"}})";
        QVERIFY(device("kernelbench-runs: h100", said) == (ClaimedDevice{"NVIDIA L40S", false}));
        QVERIFY(device("cuda-l1: a100.json", R"({"gpu": "H20", "score_default": 2})") == (ClaimedDevice{"H20", false}));
        QVERIFY(device("cuda-l1: a100.json", R"({"device": "cuda:0", "metadata": {"device": "0"}})") ==
                (ClaimedDevice{"A100", true}));
        QCOMPARE(claimJson(claim("kernelbench-runs: h100", 2, said))["device_from"].dump(), std::string("\"row\""));
        QCOMPARE(claimJson(claim("kernelbench-runs: run", 2))["device_from"].dump(), std::string("null"));
        QCOMPARE(claimText(claim("kernelbench-runs: h100", 2, said)), std::string("2.00× over eager on NVIDIA L40S"));
    }

    void everyDeviceIsCountedByLevel()
    {
        importFrom("a100", 4);
        importFrom("h100", 9);
        const PublishedClaims got = all();
        QCOMPARE(got.levels.size(), std::size_t(6)); // two files: all, level 1, level 2
        const ClaimLine &a = got.levels[0], &one = got.levels[1], &h = got.levels[3];
        QVERIFY(a.device.name == "A100" && a.device.byFileName && !a.level && a.rows == 3 && a.success == 2 &&
                a.above == 1);
        QVERIFY(a.claimed && a.claimed->count == 2 && near(a.claimed->mean, 2.5) && near(a.claimed->geometricMean, 2));
        QVERIFY(near(a.claimed->maximum, 4) && near(a.claimed->median, 2.5) && near(a.claimed->upperQuartile, 3.25) &&
                near(a.claimed->lowerQuartile, 1.75));
        QVERIFY(one.level == 1 && one.rows == 2 && one.success == 1 && near(one.claimed->mean, 4));
        QVERIFY(h.device.name == "H100" && near(h.claimed->geometricMean, 3) && !h.here && h.judged == 0);
        QVERIFY(near(all(Failures::One).levels[0].claimed->mean, 2)); // 4, 1 for the failure, 1
        // Over the CUDA graph there is one number a file.
        QCOMPARE(got.others.size(), std::size_t(4));
        QVERIFY(got.others[1].over == "CUDA graph" && got.others[1].success == 1 &&
                near(got.others[1].claimed->mean, 2));
    }

    void theSameCodeKeepsTheClaimsOfAllDevices()
    {
        importFrom("a100", 4);
        importFrom("h100", 9);
        const auto claims = m_project->claims();
        const auto variants = m_project->variantRows();
        QCOMPARE(variants->size(), std::size_t(2));
        for (const store::VariantRow& row : *variants)
            QCOMPARE(claimsOf(*claims, row.id).size(), std::size_t(2));
        QVERIFY(claimsOf(*claims, {}).empty());
    }

    void whatWasFoundStandsBeside()
    {
        importFrom("a100", 4);
        const auto variants = m_project->variantRows();
        for (const store::VariantRow& row : *variants) {
            const bool good = row.task.value.starts_with("1/");
            protocol::Evaluation evaluation;
            evaluation.verdict = good ? protocol::Verdict::Correct : protocol::Verdict::Incorrect;
            evaluation.device.model = "NVIDIA H200";
            if (good)
                evaluation.speedup.wall.speedup = {3, 2.9, 3.1};
            QVERIFY(m_project->addEvaluation(row.id, evaluation).ok());
        }
        const PublishedClaims got = all();
        QCOMPARE(got.deviceModel, std::string("NVIDIA H200"));
        QVERIFY(got.levels[0].judged == 2 && got.levels[0].correct == 1 && got.levels[0].here->count == 1 &&
                near(got.levels[0].here->mean, 3));
        QVERIFY(near(all(Failures::One).levels[0].here->mean, 2)); // 3, and 1 for what is wrong
        QVERIFY(all(Failures::LeftOut, "NVIDIA A100").levels[0].judged == 0);
    }

    void theHighestClaimsComeFirst()
    {
        importFrom("a100", 4);
        importFrom("h100", 9);
        const PublishedClaims got = all();
        QCOMPARE(got.ranked.size(), std::size_t(2)); // a task without a claim has none
        QVERIFY(got.ranked[0].claim.task.value.starts_with("1/1") &&
                got.ranked[0].claim.source == "cuda-l1: h100.json" && *got.ranked[0].claim.speedup == 9 &&
                got.ranked[0].level == 1 && !got.ranked[0].found);
        QVERIFY(got.ranked[0].techniques == std::vector<std::string>{"cudnn_benchmark"});
        QVERIFY(got.ranked[1].claim.task.value.starts_with("2/1") && got.ranked[1].techniques.empty());
    }

    void techniquesOfSourcesAreCounted()
    {
        importFrom("a100", 4);
        importFrom("h100", 9);
        const PublishedClaims got = all();
        QCOMPARE(got.variants, 2);
        QCOMPARE(got.uses.size(), std::size_t(1));
        QVERIFY(got.uses[0].technique == "cudnn_benchmark" && got.uses[0].variants == 1);
    }
};

QTEST_GUILESS_MAIN(TestPublishedClaims)
#include "tst_publishedclaims.moc"
