// SPDX-License-Identifier: GPL-3.0-or-later
// Reading recorded facts: the bundled suite's, broken ones, folded lists.
#include "core/tasks/factsfile.h"
#include "core/tasks/suite.h"
#include "tests/tasks/taskfolder.h"

#include <QTest>

using namespace cudal1;
using base::ErrorCode;
using nlohmann::json;
using tests::TaskFolder;

class TestFactsFile : public QObject {
    Q_OBJECT

private slots:
    void bundledFactsAreThoseOfTheBundledTasks()
    {
        const std::filesystem::path folder = CUDAL1_SOURCE_DIR "/kernelbench";
        const auto suite = tasks::readSuite(folder);
        const auto facts = tasks::FactsFile::read(tasks::factsOfSuite(folder));
        QVERIFY(suite);
        QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
        QCOMPARE(facts->tasks().size(), suite->tasks.size());
        for (const tasks::Task& task : suite->tasks) {
            const json* row = facts->row(task.id);
            QVERIFY2(row && row->at("name") == task.name, task.id.value.c_str());
        }
        QVERIFY(facts->row({"1/1"})->at("inputs").at(0).at("shape") == json({2048, 2048}));
        QVERIFY(!facts->row({"9/9"}));
    }

    void rowsKeepTheFilesOrder()
    {
        const TaskFolder folder;
        const auto file = folder.write("facts.jsonl", "{\"level\":2,\"id\":10,\"name\":\"B\"}\n\n"
                                                      "{\"level\":2,\"id\":9,\"name\":\"A\"}\r\n");
        const auto facts = tasks::FactsFile::read(file);
        QVERIFY(facts);
        QVERIFY(facts->tasks() == (std::vector<base::TaskId>{{"2/10"}, {"2/9"}}));
        QVERIFY(facts->row({"2/9"})->at("name") == "A");
    }

    /// As Python's json writes what JSON has no number for; what the evaluator derives has words for them.
    void numbersOfPython()
    {
        const TaskFolder folder;
        const QByteArray written = R"([-Infinity, {"of": [Infinity, NaN]}, "-Infinity, NaN"])",
                         read = R"(["-inf", {"of": ["inf", "nan"]}, "-Infinity, NaN"])";
        const auto file = folder.write("facts.jsonl",
                                       "{\"level\":1,\"id\":1,\"name\":\"A\",\"init_inputs\":" + written + "}\n");
        const auto facts = tasks::FactsFile::read(file);
        QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
        QCOMPARE(facts->row({"1/1"})->at("init_inputs").dump(), json::parse(read.toStdString()).dump());
    }

    void brokenLinesAreNamed_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("cut") << QByteArray("{\"level\":1,\"id\":2,") << QByteArray("no JSON");
        QTest::newRow("word") << QByteArray("{\"level\":1,\"id\":2,\"name\":\"A\",\"inputs\":+Infinity}")
                              << QByteArray("no JSON");
        QTest::newRow("list") << QByteArray("[1, 2]") << QByteArray("no JSON object");
        QTest::newRow("level") << QByteArray("{\"id\":2,\"name\":\"A\"}") << QByteArray("no level");
        QTest::newRow("id") << QByteArray("{\"level\":1,\"id\":0,\"name\":\"A\"}") << QByteArray("no id");
        QTest::newRow("name") << QByteArray("{\"level\":1,\"id\":2}") << QByteArray("no name");
        QTest::newRow("twice") << QByteArray("{\"level\":1,\"id\":1,\"name\":\"A\"}")
                               << QByteArray("facts of 1/1 already");
    }
    void brokenLinesAreNamed()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, says);
        const TaskFolder folder;
        const auto file = folder.write("facts.jsonl", "{\"level\":1,\"id\":1,\"name\":\"A\"}\n\n" + line + "\n");
        const auto facts = tasks::FactsFile::read(file);
        QVERIFY(!facts);
        QVERIFY(facts.error().code == ErrorCode::Unreadable);
        QVERIFY2(facts.error().message.find(says.toStdString()) != std::string::npos, facts.error().text().c_str());
        QCOMPARE(facts.error().context, file.string() + ":3");
    }

    void noFile()
    {
        const TaskFolder folder;
        QVERIFY(tasks::FactsFile::read(folder.path("none.jsonl")).error().code == ErrorCode::NotFound);
        QVERIFY(tasks::FactsFile::read(folder.path()).error().code == ErrorCode::InvalidArgument);
    }

    void foldsAreWrittenOut()
    {
        const json folded = json::parse(
            R"(["a", {"repeat": 2, "block": ["b", {"repeat": 2, "block": [["c", [{"repeat": 3, "block": [1]}]]]}]},
                                            {"repeat": 0, "block": ["d"]}, {"repeat": 1, "block": ["e"], "more": 0}])");
        const json plain = json::parse(
            R"(["a", "b", ["c", [1, 1, 1]], ["c", [1, 1, 1]], "b", ["c", [1, 1, 1]], ["c", [1, 1, 1]],
                                           {"repeat": 1, "block": ["e"], "more": 0}])");
        QCOMPARE(tasks::unfolded(folded).dump(), plain.dump());
        QCOMPARE(tasks::unfolded({{"out", folded}}).dump(), json({{"out", plain}}).dump());
    }

    void foldsThatWouldFillTheMemoryStay()
    {
        const json folded = json::parse(
            R"([{"repeat": 999999999999, "block": []}, {"repeat": 600000, "block": [1, 2]}, {"repeat": -1, "block": [1]}])");
        QCOMPARE(tasks::unfolded(folded).dump(), folded.dump());
    }
};

QTEST_GUILESS_MAIN(TestFactsFile)
#include "tst_factsfile.moc"
