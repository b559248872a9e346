// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 baselines` from outside: what is measured, kill and resume, kinds that need a GPU, tables.
#include "tests/cli/programfolder.h"

#include <QTest>

#include <csignal>

using namespace cudal1;
using nlohmann::json;
using tests::data;
using tests::deadline_ms;
using tests::Ran;

namespace {

const QByteArray correct =
    R"({"on":"evaluate","candidate_contains":"Baseline: eager","reply":{"verdict":"correct","speedup":{"wall":{"estimate":1,"low":0.9,"high":1.1,"reference_ns":4e6,"candidate_ns":4e6}}}}
{"on":"evaluate","candidate_contains":"max-autotune","reply":{"verdict":"crashed","reasons":[{"code":"exception","text":"no compiler"}]}}
{"on":"evaluate","reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":1.9,"high":2.1,"reference_ns":4e6,"candidate_ns":2e6}}}}
)";

} // namespace

class TestBaselines : public QObject, private tests::ProgramFolder {
    Q_OBJECT
private:
    int measured() const
    {
        int count = 0;
        const auto rows = project()->baselineRows();
        for (const auto& row : *rows)
            count += row.evaluation.has_value();
        return count;
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        playLines(correct);
    }

    void measuresTablesAndExcludes()
    {
        const Ran nowhere = cudal1(onSuite({"baselines", "--csv", m_folder->filePath("none/table.csv")}));
        QVERIFY2(nowhere.status == 2 && nowhere.err.contains("Its folder does not exist"), nowhere.err);
        QCOMPARE(asked("evaluate"), 0); // said before anything is measured
        const QString csv = m_folder->filePath("table.csv");
        const Ran ran = cudal1(onSuite({"baselines", "--json", "--csv", csv}));
        QVERIFY2(ran.status == 0, ran.err);
        const json got = ran.parsed();
        QVERIFY(got["complete"] == json(true) &&
                got["judged"] == json(3)); // eager, compile, max-autotune: there is no GPU
        QCOMPARE(got["rows"].size(), std::size_t(3));
        QVERIFY(got["rows"][0]["baseline"] == json("eager") &&
                got["rows"][1]["speedup"]["wall"]["candidate_ns"] == json(2e6));
        QVERIFY(got["rows"][2]["verdict"] == json("crashed") &&
                got["rows"][2]["reason"]["text"] == json("no compiler"));
        QCOMPARE(got["summary"].size(), std::size_t(3));
        QVERIFY(got["summary"][1]["mean"] == json(2.0) && got["summary"][2]["measured"] == json(1) &&
                got["summary"][2]["correct"] == json(0));
        QFile table(csv);
        QVERIFY(table.open(QIODevice::ReadOnly));
        QCOMPARE(table.readAll().count("\r\n"), 4);

        // The task has neither been tried nor failed; `variants` shows baselines apart.
        const json tasks = cudal1(onSuite({"tasks", "--json"})).parsed();
        QVERIFY(tasks["tasks"][0]["state"] == json("not_tried") && tasks["tasks"][0]["variants"] == json(0));
        const Ran variants = cudal1(onSuite({"variants", "1/1"}));
        QVERIFY2(variants.out.contains("No variants yet.") && variants.out.contains("Baselines") &&
                     variants.out.contains("torch.compile, max-autotune"),
                 variants.out);
        QCOMPARE(cudal1(onSuite({"variants", "1/1", "--json"})).parsed()["baselines"].size(), std::size_t(3));

        // What is there is printed without an evaluator, wherever it was measured.
        const QString stored = m_folder->filePath("stored.csv");
        const Ran printed = cudal1(onSuite({"baselines", "--on", "Replay CPU", "--json", "--csv", stored}));
        QCOMPARE(printed.status, 0);
        QVERIFY(printed.parsed()["summary"] == ran.parsed()["summary"] &&
                printed.parsed()["rows"] == ran.parsed()["rows"]);
        QFile one(csv), other(stored);
        QVERIFY(one.open(QIODevice::ReadOnly) && other.open(QIODevice::ReadOnly));
        QCOMPARE(other.readAll(), one.readAll());
        const Ran elsewhere = cudal1(onSuite({"baselines", "--on", "NVIDIA H200"}));
        QVERIFY(elsewhere.status == 2 && elsewhere.err.contains("no such baselines of NVIDIA H200"));
        const Ran quick = cudal1(onSuite({"baselines", "--on", "Replay CPU", "--preset", "quick"}));
        QVERIFY2(quick.status == 2 && quick.err.contains("--preset standard has 3"), quick.err);

        const Ran again = cudal1(onSuite({"baselines", "1/1"}));
        QVERIFY2(again.status == 0 && again.out.contains("Everything has been measured") &&
                     again.out.contains("2.00× (1.90–2.10)") && again.out.contains("geometric"),
                 again.out + again.err);
        QCOMPARE(asked("evaluate"), 3);
        QCOMPARE(cudal1(onSuite({"baselines", "--kinds", "compile", "--again"})).status, 0);
        QCOMPARE(asked("evaluate"), 4);
        QCOMPARE(cudal1(onSuite({"baselines", "--preset", "quick", "--limit", "1"})).status,
                 0); // other settings, other numbers
        QCOMPARE(asked("evaluate"), 5);
    }

    void killLosesNothingAndNothingIsMeasuredTwice()
    {
        playLines(
            R"({"on":"evaluate","candidate_contains":"Baseline: torch.compile.","delay_ms":60000,"reply":{"verdict":"correct"}})"
            "\n" +
            correct);
        QProcess process;
        begin(process, onSuite({"baselines"}));
        QTRY_COMPARE_WITH_TIMEOUT(measured(), 1, deadline_ms);
        ::kill(pid_t(process.processId()), SIGKILL);
        QCOMPARE(end(process).status, -9);
        const int before = asked("evaluate");
        playLines(correct);
        const Ran again = cudal1(onSuite({"baselines"}));
        QVERIFY2(again.status == 0 && again.out.contains("Resuming run 1"), again.out + again.err);
        QCOMPARE(asked("evaluate"), before + 2);
        QCOMPARE(measured(), 3);
        const auto rows = project()->baselineRows();
        for (const auto& row : *rows)
            QCOMPARE(project()->evaluations(row.id)->size(), std::size_t(1));
        QVERIFY(project()->queue({1})->empty());
    }

    void aSecondLimitGoesOn()
    {
        QCOMPARE(cudal1(onSuite({"baselines", "--limit", "1"})).status, 0);
        const Ran ran = cudal1(onSuite({"baselines", "--limit", "1"}));
        QVERIFY2(ran.out.contains("1 row is not measured yet"), ran.out);
        QCOMPARE(asked("evaluate"), 2);
        QCOMPARE(measured(), 2);
    }

    void wrongUse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("unknown kind") << QStringList{"--kinds", "eager,jit"} << 2 << QByteArray("cuda-graph");
        QTest::newRow("no kind") << QStringList{"--kinds", ""} << 2 << QByteArray("--kinds needs a list");
        QTest::newRow("no GPU") << QStringList{"--kinds", "eager,cuda-graph"} << 3
                                << QByteArray("cuda-graph needs a CUDA device");
        QTest::newRow("no task") << QStringList{"--level", "3"} << 2 << QByteArray("No task fits");
        QTest::newRow("unknown task") << QStringList{"9/9"} << 2 << QByteArray("9/9");
        QTest::newRow("limit") << QStringList{"--limit", "none"} << 2 << QByteArray("--limit");
    }
    void wrongUse()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QByteArray, says);
        const Ran ran = cudal1(onSuite(QStringList{"baselines"} + arguments));
        QCOMPARE(ran.status, status);
        QVERIFY2(ran.err.contains(says), ran.err);
        QCOMPARE(asked("evaluate"), 0);
    }
};

QTEST_GUILESS_MAIN(TestBaselines)
#include "tst_baselines.moc"
