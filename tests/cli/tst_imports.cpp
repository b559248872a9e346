// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 import` and `cudal1 rejudge` from outside: what is named, what is stored, kill and resume, both columns.
#include "tests/cli/programfolder.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

#include <csignal>

using namespace cudal1;
using nlohmann::json;
using tests::data;
using tests::deadline_ms;
using tests::Ran;

class TestImports : public QObject, private tests::ProgramFolder {
    Q_OBJECT
private:
    Ran importRows() const { return cudal1(onSuite({"import", "cuda-l1", data + "/published.jsonl", "--json"})); }
    static const json* rowOf(const json& rows, const std::string& key)
    {
        for (const json& row : rows)
            if (row["key"] == json(key))
                return &row;
        return nullptr;
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        play(data + "/evaluations.jsonl");
    }

    void importNamesWhatIsIrregularAndIsIdempotent()
    {
        const Ran first = importRows();
        QVERIFY2(first.status == 1, first.err); // a line is no row
        QVERIFY2(first.err.contains("1 part of it is no row and was left out"), first.err);
        const json got = first.parsed();
        QVERIFY(got["source"] == json("cuda-l1: published.jsonl"));
        QVERIFY(got["rows"] == json(7) && got["with_code"] == json(4) && got["no_code"] == json(2) &&
                got["repeated"] == json(1));
        QVERIFY(got["suite_tasks"] == json(1) &&
                got["own_tasks"] == json(5)); // 1/1 of the suite; 1/1 of other sizes is its own
        QVERIFY(got["new"]["variants"] == json(4) && got["new"]["claims"] == json(6));
        QVERIFY(got["problems"][0]["where"] == json("line 8"));
        std::string irregular;
        for (const json& one : got["irregular"])
            irregular += one["key"].get<std::string>() + " " + one["code"].get<std::string>() + "; ";
        QCOMPARE(irregular, std::string("1/3 no_code; 1/4 no_code; 1/1 repeated; 2/5 does_not_parse; "));

        const Ran again = cudal1(onSuite({"import", "cuda-l1", data + "/published.jsonl"}));
        QCOMPARE(again.status, 1);
        QVERIFY2(again.out.contains("0 new variants, 0 new tasks, 0 new claims, 0 changed claims"), again.out);
        QVERIFY2(again.out.contains("1/3, 1/4") && again.out.contains("2/5") && again.out.contains("line 8"),
                 again.out);
        QCOMPARE(asked("evaluate"), 0);
    }

    void anotherProjectComesAlong()
    {
        const QString other = m_folder->filePath("other.cudal1");
        QCOMPARE(importRows().status, 1);
        QVERIFY(QFile::rename(projectFile(), other));
        const Ran first = cudal1(onSuite({"import", "project", other, "--json"}));
        QVERIFY2(first.status == 0, first.err);
        const json got = first.parsed();
        QVERIFY2(got["new"]["variants"] == json(4) && got["new"]["claims"] == json(6), first.out);
        QCOMPARE(project()->claims()->size(), std::size_t(6));
        QVERIFY(cudal1(onSuite({"import", "project", other})).out.contains("nothing new"));

        const Ran missing = cudal1(onSuite({"import", "project", m_folder->filePath("none.cudal1")}));
        QVERIFY(missing.status != 0 && missing.err.contains("no such project file") &&
                !QFile::exists(m_folder->filePath("none.cudal1")));
        const Ran wrong = cudal1(onSuite({"import", "project", other, "--own-tasks"}));
        QVERIFY(wrong.status != 0 && wrong.err.contains("--own-tasks"));
    }

    void claimsOfAllRowsComeByOneVerb()
    {
        const Ran none = cudal1({"claims"});
        QVERIFY2(none.status == 2 && none.err.contains("no project"), none.err);
        QCOMPARE(importRows().status, 1);
        const QString csv = m_folder->filePath("claims.csv");
        const Ran ran = cudal1({"claims", "--json", "--csv", csv});
        QVERIFY2(ran.status == 0, ran.err);
        const json got = ran.parsed(), &all = got["levels"][0];
        QVERIFY2(all["source"] == "cuda-l1: published.jsonl" && all["level"].is_null() && all["over"] == "eager",
                 ran.out);
        QVERIFY2(all["rows"] == 6 && all["judged"] == 0 && all["wall"].is_null(), ran.out);
        const auto claims = *project()->claims();
        const auto claimed = std::count_if(claims.begin(), claims.end(),
                                           [](const store::ClaimRecord& claim) { return claim.speedup.has_value(); });
        QVERIFY2(all["success"] == claimed && all["claimed"]["count"] == claimed, ran.out);
        QVERIFY2(all["device"].is_null() && all["device_from"].is_null(), ran.out); // neither row nor name tells it
        QVERIFY2(got["ranked"].size() == 4 && got["ranked"][0]["speedup"]["eager"] == 449.0 &&
                     got["ranked"][0]["task"].get<std::string>().starts_with("1/2") &&
                     got["ranked"][0]["found"].is_null(),
                 ran.out);
        QFile table(csv);
        QVERIFY(table.open(QIODevice::ReadOnly) && table.readAll().startsWith("published,device,level,rows,success"));

        const Ran text = cudal1({"claims", "--failures", "one"});
        QVERIFY2(text.status == 0 && text.out.contains("count as 1×") && text.out.contains("rejudge"), text.out);
        QCOMPARE(cudal1({"claims", "--failures", "two"}).status, 2);

        // Each variant has its claims with it.
        const auto with = std::find_if(claims.begin(), claims.end(),
                                       [](const store::ClaimRecord& claim) { return claim.variant && claim.speedup; });
        QVERIFY(with != claims.end());
        const json shown = cudal1({"show", QString::number(with->variant.value), "--json"}).parsed();
        QVERIFY2(shown["claims"].size() == 1 && shown["claims"][0]["speedup"]["eager"] == *with->speedup,
                 shown.dump().c_str());
        const Ran listed = cudal1({"variants", QString::fromStdString(with->task.value)});
        QVERIFY2(listed.out.contains("Claims of others") && listed.out.contains("published.jsonl, row"), listed.out);
    }

    void whatIsNoFileIsRefused()
    {
        for (const char* kind : {"cuda-l1", "kernelbench-runs", "project"}) {
            const Ran ran = cudal1(onSuite({"import", kind, "/dev/zero"}));
            QVERIFY2(ran.status == 2 && !ran.err.contains("expect"), ran.err);
        }
        const Ran trace = cudal1({"timeline", "show", "/dev/zero"});
        QVERIFY2(trace.status == 2 && trace.err.contains("device"), trace.err);
    }

    void kernelBenchRuns()
    {
        const QString run = m_folder->filePath("my_run");
        QVERIFY(QDir().mkpath(run));
        QVERIFY(QFile::copy(data + "/same.py", run + "/level_1_problem_1_sample_0_kernel.py"));
        QVERIFY(QFile::copy(data + "/wrong.py", run + "/level_9_problem_9_sample_0_kernel.py"));
        QFile results(run + "/eval_results.json");
        QVERIFY(results.open(QIODevice::WriteOnly) &&
                results.write(R"({"1": [{"sample_id": 0, "correctness": true, "runtime": 2.0, "ref_runtime": 5.0}]})") >
                    0);
        results.close();
        const Ran ran = cudal1(onSuite({"import", "kernelbench-runs", run, "--json"}));
        QVERIFY2(ran.status == 0, ran.err);
        const json got = ran.parsed();
        QVERIFY(got["source"] == json("kernelbench-runs: my_run"));
        QVERIFY(got["no_task"] == json(1) && got["new"]["variants"] == json(1));
        const auto claims = project()->claims();
        QVERIFY(claims->size() == 1 && claims->front().speedup == 2.5 && claims->front().task.value == "1/1");
    }

    void claimsStandBesideFindings()
    {
        QCOMPARE(importRows().status, 1);
        const QString csv = m_folder->filePath("table.csv");
        const Ran ran = cudal1({"rejudge", "--json", "--csv", csv});
        QVERIFY2(ran.status == 3, ran.err); // the recording has nothing for the row that does not parse
        const json got = ran.parsed();
        QCOMPARE(asked("evaluate"), 4);
        QVERIFY(got["judged"] == json(3) && got["complete"] == json(false));
        QCOMPARE(got["rows"].size(), std::size_t(6));
        const json& good = *rowOf(got["rows"], "1/1");
        QVERIFY(good["claimed"]["speedup"] == json(28.5) && good["speedup"]["wall"]["estimate"] == json(3.86) &&
                good["speedup"]["event"]["estimate"] == json(28.9));
        QVERIFY(good["labels"][0] == json("large_speedup"));
        const json& wrong = *rowOf(got["rows"], "1/2");
        QVERIFY(wrong["verdict"] == json("incorrect") && wrong["reasons"][0]["code"] == json("wrong_values") &&
                wrong["speedup"]["wall"] == json(nullptr));
        QVERIFY(rowOf(got["rows"], "1/3")->at("verdict") == json("no_code"));
        const json& summary = got["summary"];
        QVERIFY(summary["verdicts"] == json({{"correct", 2}, {"incorrect", 1}, {"no_code", 2}, {"not_judged", 1}}));
        QVERIFY(summary["failures_as"] == json("one"));
        QVERIFY(std::abs(summary["wall"]["mean"].get<double>() - (3.86 + 3.86 + 1 + 1 + 1) / 5) < 1e-9);
        QVERIFY(std::abs(summary["event"]["mean"].get<double>() - (28.9 + 28.9 + 1 + 1 + 1) / 5) < 1e-9);
        QVERIFY(std::abs(summary["claimed"]["mean"].get<double>() - (28.5 + 449 + 2 + 1 + 1) / 5) < 1e-9);
        QVERIFY(summary["disagreements"][0]["claimed"] == json(28.5));
        QFile table(csv);
        QVERIFY(table.open(QIODevice::ReadOnly));
        const QByteArray written = table.readAll();
        QCOMPARE(written.count("\r\n"), 7);

        // What is there is printed without an evaluator, wherever it was measured.
        const QString stored = m_folder->filePath("stored.csv");
        const Ran printed = cudal1({"rejudge", "--on", "Replay CPU", "--json", "--csv", stored});
        QVERIFY2(printed.status == 0 && printed.parsed()["summary"] == summary &&
                     printed.parsed()["rows"] == got["rows"],
                 printed.out + printed.err);
        QFile other(stored);
        QVERIFY(other.open(QIODevice::ReadOnly));
        QCOMPARE(other.readAll(), written);
        const Ran elsewhere = cudal1({"rejudge", "--on", "NVIDIA H200"});
        QVERIFY2(elsewhere.status == 2 && elsewhere.err.contains("None of these was judged on NVIDIA H200"),
                 elsewhere.err);
        const Ran otherwise = cudal1({"rejudge", "--on", "Replay CPU", "--preset", "paper"});
        QVERIFY2(otherwise.status == 2 && otherwise.err.contains("--preset standard has 3"), otherwise.err);
        QCOMPARE(asked("evaluate"), 4);

        const Ran text = cudal1({"rejudge", "--task", "1/1", "--failures", "left-out"}); // judged already
        QCOMPARE(text.status, 0);
        QCOMPARE(asked("evaluate"), 4);
        QVERIFY2(text.out.contains("Everything has been judged") && text.out.contains("28.5×") &&
                     text.out.contains("3.86× (3.83–3.89)") && text.out.contains("failures are left out") &&
                     text.out.contains("largest disagreements"),
                 text.out);
        QCOMPARE(cudal1({"rejudge", "--task", "1/2", "--again"}).status, 0);
        QCOMPARE(asked("evaluate"), 5);
        QCOMPARE(cudal1({"rejudge", "--level", "3"}).status, 2);
    }

    void killLosesNothingAndTheNextStartGoesOn()
    {
        QCOMPARE(importRows().status, 1);
        playLines(
            R"({"on":"evaluate","candidate_contains":"x * 2.0","times":1,"delay_ms":60000,"reply":{"verdict":"incorrect"}})"
            "\n"
            R"({"on":"evaluate","reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":1.9,"high":2.1}}}})"
            "\n");
        QProcess process;
        begin(process, {"rejudge"});
        // The suite's task comes first, then 1/1 of other sizes, then the slow one.
        const auto judged = [this] {
            int count = 0;
            const auto rows = project()->variantRows();
            for (const auto& row : *rows)
                count += row.evaluation.has_value();
            return count;
        };
        QTRY_COMPARE_WITH_TIMEOUT(judged(), 2, deadline_ms);
        ::kill(pid_t(process.processId()), SIGKILL);
        QCOMPARE(end(process).status, -9);
        const int before = asked("evaluate");
        playLines(
            R"({"on":"evaluate","reply":{"verdict":"correct","speedup":{"wall":{"estimate":2,"low":1.9,"high":2.1}}}})"
            "\n");
        const Ran again = cudal1({"rejudge"});
        QVERIFY2(again.status == 0 && again.out.contains("Resuming run 1"), again.out + again.err);
        QCOMPARE(asked("evaluate"), before + 2); // only what was not judged
        QCOMPARE(judged(), 4);
        QVERIFY(project()->queue({1})->empty());
    }

    void interruptStopsAtOnce()
    {
        if (holdsSignals())
            QSKIP("the thread sanitizer holds signals back");
        QCOMPARE(importRows().status, 1);
        playLines(R"({"on":"evaluate","delay_ms":60000,"reply":{"verdict":"correct"}})"
                  "\n");
        QProcess process;
        begin(process, {"rejudge"});
        QTRY_COMPARE_WITH_TIMEOUT(asked("evaluate"), 4, deadline_ms);
        QElapsedTimer clock;
        clock.start();
        ::kill(pid_t(process.processId()), SIGINT);
        const Ran stopped = end(process);
        QVERIFY(clock.elapsed() < 5000);
        QCOMPARE(stopped.status, 130);
        QVERIFY2(stopped.err.contains("again to go on"), stopped.err);
        QVERIFY(project()->runs()->at(0).state == store::RunState::Stopped);
        QCOMPARE(project()->queue({1})->size(), std::size_t(4));
    }
};

QTEST_GUILESS_MAIN(TestImports)
#include "tst_imports.moc"
