// SPDX-License-Identifier: GPL-3.0-or-later
// Readers of published results, with every irregularity that was seen in the wild or can be expected there.
#include "core/tasks/cudal1results.h"
#include "core/tasks/kernelbenchruns.h"
#include "core/tasks/sizes.h"
#include "tests/tasks/taskfolder.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace cudal1;
using namespace cudal1::tasks;
using base::ErrorCode;
using cudal1::tests::TaskFolder;
using nlohmann::json;

namespace {

const char* const good = "class ModelNew:\n    pass\n";

json row(int level, int task, const json& code, const json& score = 1.5)
{
    return {{"level_id", level},
            {"task_id", task},
            {"ref_code", "class Model:\n    pass\n"},
            {"custom_code", code},
            {"cuda_graph_code", nullptr},
            {"score_default", score},
            {"score_cudnn", 2.5}};
}

QByteArray lineOf(const json& value)
{
    return QByteArray::fromStdString(value.dump()) + "\n";
}

const PublishedItem* itemOf(const Publication& publication, const std::string& key)
{
    const auto it = std::find_if(publication.items.begin(), publication.items.end(),
                                 [&](const auto& one) { return one.key == key; });
    return it == publication.items.end() ? nullptr : &*it;
}

std::string codesOf(const PublishedItem& item)
{
    std::string out;
    for (const Irregularity& one : item.irregularities)
        out += (out.empty() ? "" : " ") + one.code;
    return out;
}

Publication readRuns(const TaskFolder& folder, const std::filesystem::path& baseline = {})
{
    auto out = readKernelBenchRuns(folder.path("run"), baseline);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return std::move(*out);
}

} // namespace

class TestPublished : public QObject {
    Q_OBJECT
private slots:
    void codeIsTakenAsItIsFound_data()
    {
        QTest::addColumn<QString>("published");
        QTest::addColumn<QString>("candidate");
        QTest::addColumn<QString>("codes");
        QTest::newRow("plain") << good << good << "";
        QTest::newRow("Model and ModelNew") << "class Model:\n    pass\nclass ModelNew(Model):\n    pass\n"
                                            << "class Model:\n    pass\nclass ModelNew(Model):\n    pass\n"
                                            << "";
        QTest::newRow("Model alone") << "class Model:\n    pass"
                                     << "class Model:\n    pass\n\nModelNew = Model\n"
                                     << "only_model";
        QTest::newRow("neither") << "def forward(x):\n    return x\n"
                                 << "def forward(x):\n    return x\n"
                                 << "no_model_new";
        QTest::newRow("ModelNew inside of a string") << "text = 'class ModelNew: pass'\n"
                                                     << "text = 'class ModelNew: pass'\n"
                                                     << "no_model_new";
        QTest::newRow("empty") << ""
                               << ""
                               << "no_code";
        QTest::newRow("white space") << " \n\t\n"
                                     << ""
                                     << "no_code";
        QTest::newRow("the word None") << "None"
                                       << ""
                                       << "no_code";
        QTest::newRow("the word null") << " null\n"
                                       << ""
                                       << "no_code";
        QTest::newRow("open string") << "x = '''\nclass ModelNew: pass\n"
                                     << "x = '''\nclass ModelNew: pass\n"
                                     << "does_not_parse";
        QTest::newRow("open bracket") << "class ModelNew:\n    x = (1,\n"
                                      << "class ModelNew:\n    x = (1,\n"
                                      << "does_not_parse";
        QTest::newRow("fence") << QString("```python\n%1```\n").arg(good) << good << "fenced";
        QTest::newRow("fence that was cut") << QString("```\n%1").arg(good) << "class ModelNew:\n    pass"
                                            << "fenced";
        QTest::newRow("Windows' line ends") << "class ModelNew:\r\n    pass\r\n"
                                            << "class ModelNew:\r\n    pass\r\n"
                                            << "";
    }
    void codeIsTakenAsItIsFound()
    {
        QFETCH(QString, published);
        QFETCH(QString, candidate);
        QFETCH(QString, codes);
        PublishedItem item;
        takeCandidate(item, published.toStdString());
        QCOMPARE(QString::fromStdString(item.candidate), candidate);
        QCOMPARE(QString::fromStdString(codesOf(item)), codes);
    }

    void cudaL1Rows()
    {
        const TaskFolder folder;
        json textual = row(2, 7, good, "3.25");
        textual["level_id"] = "2";
        textual["task_id"] = "7";
        QByteArray lines = "\xef\xbb\xbf" + lineOf(row(1, 1, good)) + "\n" // a byte order mark and an empty line
                         + lineOf(row(1, 2, nullptr, nullptr)) + lineOf(row(1, 3, "None", nullptr)) +
                           lineOf(row(1, 4, "x = '''", 1.25)) + lineOf(row(1, 1, good)) +
                           lineOf(row(1, 1, "class ModelNew:\n    x = 2\n", 2.0)) + lineOf(textual) +
                           "{\"level_id\": 3, \"task_id\": 9, \"custom_code\": \"class ModelNew: NaN = 1\", "
                           "\"score_default\": NaN, \"score_cudnn\": -Infinity}\n" +
                           lineOf(row(1, 5, good, -1.0)) + lineOf(row(1, 8, "None", 7.5)) +
                           "{\"level_id\": 1, \"task\n" + "[1, 2]\n" + "{\"level_id\": 1}\n" +
                           "{\"level_id\": 0, \"task_id\": 4}\n";
        lines += QByteArray::fromStdString(row(1, 6, good).dump()).replace("\n", "") + "\r"; // the last line has no end
        const auto read = readCudaL1Results(folder.write("h100.jsonl", lines));
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->source, std::string("cuda-l1: h100.jsonl"));
        QCOMPARE(read->items.size(), std::size_t(11));

        const PublishedItem* first = itemOf(*read, "1/1");
        QVERIFY(first && first->line == 1 && first->level == 1 && first->number == 1);
        QVERIFY(first->claimedSpeedup == 1.5 && first->claimedCorrect == true);
        QCOMPARE(first->reference, std::string("class Model:\n    pass\n"));
        QCOMPARE(codesOf(*first), std::string());
        const json details = json::parse(first->details);
        QVERIFY(details["score_cudnn"] == json(2.5) && details["cuda_graph_code"] == json(nullptr) &&
                !details.contains("ref_code"));

        for (const char* key : {"1/2", "1/3"}) {
            const PublishedItem* item = itemOf(*read, key);
            QVERIFY(item && item->candidate.empty() && !item->claimedSpeedup && !item->claimedCorrect);
            QCOMPARE(codesOf(*item), std::string("no_code"));
        }
        QCOMPARE(codesOf(*itemOf(*read, "1/4")), std::string("does_not_parse"));
        QCOMPARE(read->items[4].key, std::string("1/1")); // the same again
        QVERIFY(read->items[4].has("repeated") &&
                QString::fromStdString(read->items[4].irregularities[0].text).contains("line 1"));
        const PublishedItem* second = itemOf(*read, "1/1#2"); // the same task, another code
        QVERIFY(second && !second->has("repeated") && second->claimedSpeedup == 2.0);
        QVERIFY(itemOf(*read, "2/7")->claimedSpeedup == 3.25);
        const PublishedItem* boast = itemOf(*read, "1/8");
        QVERIFY(boast && boast->candidate.empty() && boast->claimedSpeedup == 7.5);
        QCOMPARE(codesOf(*boast), std::string("no_code claim_without_code"));
        const PublishedItem* notANumber = itemOf(*read, "3/9");
        QVERIFY(notANumber && !notANumber->claimedSpeedup && notANumber->reference.empty());
        QCOMPARE(notANumber->candidate, std::string("class ModelNew: NaN = 1")); // words in strings stay
        QCOMPARE(codesOf(*notANumber), std::string("no_result"));
        QCOMPARE(codesOf(*itemOf(*read, "1/5")), std::string("no_result")); // a ratio of times is positive
        QVERIFY(itemOf(*read, "1/6"));

        QCOMPARE(read->problems.size(), std::size_t(4));
        QCOMPARE(read->problems[0].where, std::string("line 12"));
        QVERIFY(QString::fromStdString(read->problems[0].message).contains("no JSON"));
        QVERIFY(QString::fromStdString(read->problems[1].message).contains("object"));
        QVERIFY(QString::fromStdString(read->problems[2].message).contains("task_id"));
        QVERIFY(QString::fromStdString(read->problems[3].message).contains("level_id"));
    }

    void cudaL1RowsInAnArray()
    {
        const TaskFolder folder;
        const json rows = json::array({row(1, 1, good), row(1, 2, good), 5});
        const auto read = readCudaL1Results(folder.write("rows.json", QByteArray::fromStdString(rows.dump(2))));
        QVERIFY(read.ok());
        QCOMPARE(read->items.size(), std::size_t(2));
        QCOMPARE(read->problems.size(), std::size_t(1));
        QCOMPARE(read->problems[0].where, std::string("row 3"));
    }

    void whatIsNoResultFile_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("my diary\n");
        QTest::newRow("other JSON") << QByteArray("{\"a\": 1}\n");
        QTest::newRow("array that was cut") << QByteArray("[{\"level_id\": 1, \"task_id\": 1");
        QTest::newRow("binary") << QByteArray("\x7f"
                                              "ELF\0\0\xff",
                                              7);
    }
    void whatIsNoResultFile()
    {
        QFETCH(QByteArray, text);
        const TaskFolder folder;
        const auto read = readCudaL1Results(folder.write("f.jsonl", text));
        QVERIFY(!read.ok());
        QCOMPARE(int(read.error().code), int(ErrorCode::Unreadable));
        QVERIFY(!read.error().hint.empty());
        QCOMPARE(int(readCudaL1Results(folder.path("none")).error().code), int(ErrorCode::NotFound));
        QCOMPARE(int(readCudaL1Results(folder.path()).error().code), int(ErrorCode::InvalidArgument));
    }

    void runsWithSamples()
    {
        const TaskFolder folder;
        const QByteArray other = "class ModelNew:\n    x = 2\n";
        folder.write("run/level_1_problem_3_sample_0_kernel.py", good);
        folder.write("run/level_1_problem_3_sample_1_kernel.py", other);
        folder.write("run/level_1_problem_4_sample_0_kernel.py", good);
        folder.write("run/level_1_problem_5_sample_0_kernel.py", "");
        folder.write("run/level_1_problem_6_sample_0_kernel.py", "\xff\xfe");
        folder.write("run/level_1_problem_3_sample_0_prompt.txt", "a prompt");
        folder.write("run/level_x_problem_3_sample_0_kernel.py", good);
        folder.write("run/generation_config.yaml", "a: 1");
        folder.write("run/eval_results.json", R"({
            "3": [{"sample_id": 0, "compiled": true, "correctness": false, "metadata": {}, "runtime": -1.0, "runtime_stats": {}},
                  {"sample_id": 0, "compiled": true, "correctness": true, "metadata": {"hardware": "H100"}, "runtime": 2.0,
                   "runtime_stats": {"std": NaN}},
                  {"sample_id": 1, "compiled": true, "correctness": false, "runtime": -1.0}],
            "9": [{"sample_id": 2, "compiled": false, "correctness": false}],
            "total": 3})");
        const auto baseline = folder.write(
            "baseline.json", R"({"level1": {"3_Batched.py": {"mean": 5.0, "std": 0.1}, "4_B.py": {}}, "note": 1})");

        const Publication plain = readRuns(folder);
        QCOMPARE(plain.source, std::string("kernelbench-runs: run"));
        QCOMPARE(plain.items.size(), std::size_t(4));
        const PublishedItem* item = itemOf(plain, "level_1_problem_3_sample_0_kernel");
        QVERIFY(item && item->level == 1 && item->number == 3 && item->reference.empty());
        QVERIFY(item->claimedCorrect == true && !item->claimedSpeedup); // a time alone is no speed-up
        QVERIFY(json::parse(item->details)["runtime"] == json(2.0));
        item = itemOf(plain, "level_1_problem_3_sample_1_kernel");
        QVERIFY(item && item->claimedCorrect == false);
        QCOMPARE(codesOf(*itemOf(plain, "level_1_problem_4_sample_0_kernel")), std::string("no_result"));
        QCOMPARE(codesOf(*itemOf(plain, "level_1_problem_5_sample_0_kernel")), std::string("no_code no_result"));
        std::string problems;
        for (const PublishedProblem& one : plain.problems)
            problems += one.where + ": " + one.message + "\n";
        QVERIFY2(plain.problems.size() == 3 && problems.find("problem 9, sample 2") != std::string::npos &&
                     problems.find("\"total\"") != std::string::npos && problems.find("UTF-8") != std::string::npos,
                 problems.c_str());

        QVERIFY(itemOf(readRuns(folder, baseline), "level_1_problem_3_sample_0_kernel")->claimedSpeedup == 2.5);
        const auto useless = readKernelBenchRuns(folder.path("run"), folder.write("b.json", "{}"));
        QCOMPARE(int(useless.error().code), int(ErrorCode::Unreadable));
    }

    void runsOfOlderVersions()
    {
        const TaskFolder folder;
        folder.write("run/level_2_problem_3_sample_0_kernel.py", good);
        folder.write("run/level_2_problem_4_kernel.py", good);
        folder.write("run/eval_results.json", R"({
            "3": {"sample_id": 0, "compiled": true, "correctness": true, "runtime": 2.0, "ref_runtime": 3.0},
            "4": {"compiled": true, "correctness": true, "runtime": 4.0, "ref_runtime": -1.0}})");
        const Publication read = readRuns(folder);
        QVERIFY(read.problems.empty());
        QVERIFY(itemOf(read, "level_2_problem_3_sample_0_kernel")->claimedSpeedup == 1.5);
        const PublishedItem* item = itemOf(read, "level_2_problem_4_kernel");
        QVERIFY(item && item->claimedCorrect == true && !item->claimedSpeedup);
    }

    void levelsInOneRun()
    {
        const TaskFolder folder;
        folder.write("run/level_1_problem_3_sample_0_kernel.py", good);
        folder.write("run/level_2_problem_3_sample_0_kernel.py", good);
        folder.write("run/eval_results.json",
                     R"({"3": [{"sample_id": 0, "correctness": true, "runtime": 1.0, "ref_runtime": 9.0}]})");
        folder.write("run/level3/level_3_problem_1_sample_0_kernel.py", good);
        folder.write("run/level3/eval_results.json", "{\"1\": [");
        const Publication read = readRuns(folder);
        QCOMPARE(read.items.size(), std::size_t(3));
        for (const char* key : {"level_1_problem_3_sample_0_kernel", "level_2_problem_3_sample_0_kernel"}) {
            QVERIFY(!itemOf(read, key)->claimedSpeedup && !itemOf(read, key)->claimedCorrect);
            QCOMPARE(codesOf(*itemOf(read, key)), std::string("ambiguous_result"));
        }
        QVERIFY(itemOf(read, "level3/level_3_problem_1_sample_0_kernel"));
        QCOMPARE(read.problems.size(), std::size_t(1));
        QCOMPARE(read.problems[0].where, std::string("level3/eval_results.json"));
    }

    void whatIsNoRun()
    {
        const TaskFolder folder;
        folder.write("run/notes.txt", "x");
        QCOMPARE(int(readKernelBenchRuns(folder.path("run"), {}).error().code), int(ErrorCode::NotFound));
        QCOMPARE(int(readKernelBenchRuns(folder.path("none"), {}).error().code), int(ErrorCode::NotFound));
        QCOMPARE(int(readKernelBenchRuns(folder.path("run/notes.txt"), {}).error().code),
                 int(ErrorCode::InvalidArgument));
    }

    void sizes()
    {
        const auto of = [](const char* text) {
            const auto found = sizesOf(text);
            return std::vector<std::uint64_t>(found.begin(), found.end());
        };
        using Sizes = std::vector<std::uint64_t>;
        QCOMPARE(of("batch = 128\nin_features = 4_096  # not 77\nshape = (7, 32, 32)\n"), (Sizes{32, 128, 4096}));
        QCOMPARE(of("class Model:\n    hidden = 512\n\n    def f(self):\n        return 1024\n\ndef get_inputs():\n    "
                    "return [16]\n"),
                 Sizes{16});
        QCOMPARE(of("'''batch = 99\n88'''\nx = \"77\" + 'a\\'66'\ny = 9\n"), Sizes{9});
        QCOMPARE(of("a = 31.5\nb = 0x20\nc = x64\nd = 1e9\ne = [\n    48,\n]\n"), Sizes{48});
        QCOMPARE(of("class A: pass\nrows = 256\n@wrapped\nclass B:\n    x = 10\nend = 11"), (Sizes{11, 256}));
        QVERIFY(of("").empty());
    }
};

QTEST_GUILESS_MAIN(TestPublished)
#include "tst_published.moc"
