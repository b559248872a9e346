// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 ablate` from outside: which combinations are judged, what is taken from the store, kill and resume, wrong
// use.
#include "tests/cli/programfolder.h"

#include <QTest>

#include <cmath>
#include <csignal>

using namespace cudal1;
using nlohmann::json;
using tests::data;
using tests::deadline_ms;
using tests::Ran;

namespace {

const QByteArray candidate =
    "import torch\nUSE_A = True\nUSE_B = True\n\n\nclass ModelNew(torch.nn.Module):\n    pass\n";

QByteArray reply(const char* a, const char* b, double speedup)
{
    return QStringLiteral(
               R"({"on":"evaluate","candidate_contains":"USE_A = %1\nUSE_B = %2","reply":{"verdict":"correct","speedup":{"wall":{"estimate":%3,"low":%4,"high":%5,"reference_ns":4e6,"candidate_ns":%6}},"seconds":{"total":3}}})")
               .arg(a, b)
               .arg(speedup)
               .arg(speedup * 0.99)
               .arg(speedup * 1.01)
               .arg(4e6 / speedup)
               .toUtf8() +
           "\n";
}

/// b does nothing without a.
const QByteArray recording = reply("False", "False", 1) + reply("True", "False", 2) + reply("False", "True", 1) +
                             reply("True", "True", 4);

} // namespace

class TestAblate : public QObject, private tests::ProgramFolder {
    Q_OBJECT
private:
    QStringList ablate(const QStringList& more = {}) const
    {
        return onSuite(QStringList{"ablate", "1/1", "mine.py"} + more);
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        playLines(recording);
        QFile file(m_folder->filePath("mine.py"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(candidate) == candidate.size());
    }

    void allCombinations()
    {
        const Ran ran = cudal1(ablate({"--json", "--csv", m_folder->filePath("t.csv")}));
        QVERIFY2(ran.status == 0, ran.err);
        QVERIFY2(ran.err.isEmpty(), ran.err);
        const json got = ran.parsed();
        QVERIFY(got["complete"] == json(true) && got["judged"] == json(4) && got["design"] == json("full") &&
                got["variant"] == json(1));
        QCOMPARE(got["rows"].size(), std::size_t(4));
        QVERIFY(got["rows"][0]["on"] == json({"USE_A", "USE_B"}) &&
                got["rows"][0]["speedup"]["wall"]["estimate"] == json(4.0)); // fastest first
        QVERIFY(got["rows"][0]["variant"] == json(1) &&
                got["rows"][0]["bottleneck"].get<std::string>().starts_with("CPU-bound"));
        const json wall = got["effects"]["wall"];
        QVERIFY(std::abs(wall["main"][0]["factor"]["estimate"].get<double>() - std::sqrt(8.0)) < 1e-9);
        QVERIFY(std::abs(wall["interactions"][0]["factor"]["estimate"].get<double>() - 2) < 1e-9);
        QVERIFY(std::abs(wall["total"]["estimate"].get<double>() - 4) < 1e-9);
        QVERIFY(wall["gatekeepers"][0]["toggle"] == json("USE_B") && wall["gatekeepers"][0]["gate"] == json("USE_A"));
        QVERIFY(got["effects"]["event"]["main"].empty()); // there is no GPU
        QFile table(m_folder->filePath("t.csv"));
        QVERIFY(table.open(QIODevice::ReadOnly));
        QCOMPARE(table.readAll().count("\r\n"), 5);

        // From the store: nothing is judged, and the table has what the paper's has.
        const Ran text = cudal1(ablate());
        QVERIFY2(text.status == 0 && text.out.contains("everything is judged") &&
                     text.out.contains("4.00× (3.96–4.04)") && text.out.contains("✓  ✓") && text.out.contains("✗  ✓") &&
                     text.out.contains("a is the gatekeeper of b") && text.out.contains("Shapley"),
                 text.out + text.err);
        QCOMPARE(asked("evaluate"), 4);
        QCOMPARE(cudal1(onSuite({"ablate", "1/1", "1", "--design", "one"})).status,
                 0); // by its number, a part of what is known
        QCOMPARE(asked("evaluate"), 4);
        QCOMPARE(cudal1(ablate({"--preset", "quick", "--combinations", "none,a"})).status,
                 0); // other settings, other numbers
        QCOMPARE(asked("evaluate"), 6);
        QCOMPARE(cudal1(ablate({"--design", "leave-one-out", "--toggles", "USE_B", "--again"})).status, 0);
        QCOMPARE(asked("evaluate"), 8);
        const auto stored = project()->ablations({"1/1"});
        QVERIFY(stored->size() == 4 && stored->back().run && stored->back().rows.size() == 4);
        QCOMPARE(project()->variantRows()->size(), std::size_t(4));
    }

    void incorrectOnesAreRows()
    {
        playLines(
            R"({"on":"evaluate","candidate_contains":"USE_B = True","reply":{"verdict":"incorrect","reasons":[{"code":"wrong_values","text":"It differs"}]}})"
            "\n" +
            recording);
        const Ran ran = cudal1(ablate());
        QVERIFY2(
            ran.status == 0 && ran.out.count("It differs") == 4 &&
                ran.out.contains("What makes results wrong\nWith b no combination is correct; without it all are.") &&
                ran.out.contains("2 have no speed-up"),
            ran.out + ran.err); // twice in the log, twice in the table
    }

    void killLosesNothingAndNothingIsJudgedTwice()
    {
        playLines(
            R"({"on":"evaluate","candidate_contains":"USE_A = False\nUSE_B = True","delay_ms":60000,"reply":{"verdict":"correct"}})"
            "\n" +
            recording);
        QProcess process;
        begin(process, ablate());
        const auto judged = [&] {
            int count = 0;
            const auto rows = project()->variantRows();
            for (const auto& row : *rows)
                count += row.evaluation.has_value();
            return count;
        };
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 2, deadline_ms);
        ::kill(pid_t(process.processId()), SIGKILL);
        QCOMPARE(end(process).status, -9);
        playLines(recording);
        const Ran planned = cudal1(ablate({"--plan", "--json"}));
        QVERIFY2(planned.status == 0 && planned.parsed()["forecast"]["waiting"] == json(2) &&
                     planned.parsed()["judged"] == json(0) && planned.parsed()["complete"] == json(false),
                 planned.out + planned.err);
        const int before = asked("evaluate");
        const Ran again = cudal1(ablate());
        QVERIFY2(again.status == 0 && again.out.contains("Resuming run 1") &&
                     again.out.contains("2 to judge, about 6.0 s"),
                 again.out + again.err);
        QCOMPARE(asked("evaluate"), before + 2);
        QCOMPARE(judged(), 4);
        QCOMPARE(project()->ablations()->size(), std::size_t(1));

        // What is there is printed without an evaluator, wherever it was measured.
        const Ran stored = cudal1(ablate({"--on", "Replay CPU", "--json"}));
        QVERIFY2(stored.status == 0 && stored.parsed()["rows"].size() == 4 &&
                     stored.parsed()["effects"] == cudal1(ablate({"--json"})).parsed()["effects"],
                 stored.out + stored.err);
        const Ran elsewhere = cudal1(ablate({"--on", "NVIDIA H200"}));
        QVERIFY2(elsewhere.status == 2 &&
                     elsewhere.err.contains("None of these combinations was judged on NVIDIA H200"),
                 elsewhere.err);
    }

    void wrongUse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QStringList& arguments, const char* says) {
            QTest::newRow(name) << arguments << QByteArray(says);
        };
        row("no variant", {"1/1"}, "A variant is missing");
        row("both", {"1/1", "mine.py", "--example"}, "takes the place");
        row("no example", {"1/1", "--example"}, "no example for 1/1");
        row("no file", {"1/1", "other.py"}, "there is no such file (other.py)");
        row("no number", {"1/1", "mine"}, "no number of a variant");
        row("no such project", {"1/1", "7"}, "There is no project yet");
        row("no toggles", {"1/1", data + "/same.py"}, "no toggle to switch");
        row("unknown toggle", {"1/1", "mine.py", "--toggles", "USE_C"}, "it has USE_A, USE_B");
        row("unknown design", {"1/1", "mine.py", "--design", "half"}, "full, one, leave-one-out or list");
        row("list without one", {"1/1", "mine.py", "--design", "list"}, "belong together");
        row("unknown combination", {"1/1", "mine.py", "--combinations", "none,c"}, "no toggle of this ablation");
        row("unknown order", {"1/1", "mine.py", "--sort", "age"}, "speedup, event");
    }

    void wrongUse()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const Ran ran = cudal1(onSuite(QStringList{"ablate"} + arguments));
        QVERIFY2(ran.status == 2 && ran.err.contains(says), QByteArray::number(ran.status) + ran.err);
        QCOMPARE(asked("evaluate"), 0);
    }

    void theExamples()
    {
        playLines(
            R"({"on":"evaluate","reply":{"verdict":"correct","speedup":{"wall":{"estimate":1,"low":0.99,"high":1.01,"reference_ns":4e6,"candidate_ns":4e6}}}})"
            "\n");
        const Ran gru = cudal1({"ablate", "3/41", "--example", "--json"}),
                  conv = cudal1({"ablate", "1/66", "--example", "--json"});
        QVERIFY2(gru.status == 0 && conv.status == 0, gru.err + conv.err);
        QVERIFY(gru.parsed()["rows"].size() == 16 && gru.parsed()["toggles"].size() == 4);
        QVERIFY(conv.parsed()["rows"].size() == 8 && conv.parsed()["toggles"].size() == 3);
    }
};

QTEST_GUILESS_MAIN(TestAblate)
#include "tst_ablate.moc"
