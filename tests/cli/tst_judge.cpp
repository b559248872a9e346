// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 judge selftest` from outside, with the real corpus and recorded answers: tables, what failed, exit statuses.
#include "tests/cli/programfolder.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>

using namespace cudal1;
using nlohmann::json;
using tests::deadline_ms;
using tests::Ran;

namespace {

QByteArray answers(const std::string& candidate, const json& reply)
{
    json line = {{"on", "evaluate"}, {"reply", reply}};
    if (!candidate.empty())
        line["candidate_contains"] = candidate;
    return QByteArray::fromStdString(line.dump()) + "\n";
}

json timed(double low, double high)
{
    return {{"verdict", "correct"},
            {"speedup", {{"wall", {{"estimate", (low + high) / 2}, {"low", low}, {"high", high}}}}}};
}

const json rejected = {{"verdict", "incorrect"}};

/// What a judge without fault on an idle machine would answer.
QByteArray faultless()
{
    return answers("# expect: incorrect", rejected) + answers("# expect: faster", timed(1.9, 2.1)) +
           answers("# expect: slower", timed(0.4, 0.6)) + answers("# class: ", rejected) +
           answers("range(1):", timed(0.988, 0.992)) + answers("range(2):", timed(0.978, 0.982)) +
           answers("range(5):", timed(0.950, 0.954)) + answers("", timed(0.996, 1.003));
}

} // namespace

class TestJudge : public QObject, private tests::ProgramFolder {
    Q_OBJECT
private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void passes()
    {
        playLines(faultless());
        const Ran ran = cudal1({"judge", "selftest", "--device", "cpu"});
        QVERIFY2(ran.status == 0, ran.out + ran.err);
        QVERIFY2(ran.out.contains("selftest passed: ") && ran.out.contains("half_the_work") &&
                     ran.out.contains("c01/1_pointer_memo") && ran.out.contains("5 %, ") &&
                     ran.out.contains("prepared_weights") && ran.out.contains("left out: class t06"),
                 ran.out);
        QVERIFY(!ran.out.contains("✗"));
        QVERIFY(!QFile::exists(projectFile())); // it stores nothing
    }

    void missedCheatFailsAndIsNamed()
    {
        playLines(answers("Keeps results by the address of the input.", timed(3, 3.2)) + faultless());
        const Ran ran = cudal1({"judge", "selftest", "--only", "exploits,canaries"});
        QVERIFY2(ran.status == 1, ran.out + ran.err);
        QVERIFY2(ran.out.contains("selftest failed") &&
                     ran.out.contains("These cheats got through: c01/1_pointer_memo."),
                 ran.out);
        QVERIFY2(!ran.out.contains("prepared_weights"), ran.out);
    }

    void jsonHasEveryCheck()
    {
        playLines(answers("Keeps a transposed copy", rejected) + faultless());
        const Ran ran = cudal1({"judge", "selftest", "--json", "--sessions", "2"});
        QCOMPARE(ran.status, 1);
        const json got = ran.parsed();
        QVERIFY2(got.is_object(), ran.out);
        QVERIFY(got["passed"] == json(false) && got["complete"] == json(true) && got["preset"] == json("quick"));
        QCOMPARE(got["sections"].size(), std::size_t(5));
        QVERIFY(got["sections"][1]["checks"].size() == 2 && got["sections"][2]["checks"].size() == 9);
        int checks = 0;
        for (const json& section : got["sections"]) {
            checks += int(section["checks"].size());
            QVERIFY2(section["passed"] == json(section["section"] != json("lookalikes")), section.dump().c_str());
        }
        QVERIFY(got["checks"] == json(checks) && got["planned"] == json(checks));
        bool named = false;
        for (const json& check : got["sections"][4]["checks"])
            if (!check["ok"].get<bool>()) {
                named = check["name"] == json("prepared_weights") && check["found"] == json("incorrect");
                QVERIFY2(named, check.dump().c_str());
            }
        QVERIFY(named &&
                got["sections"][4]["meaning"].get<std::string>().find("prepared_weights") != std::string::npos);
    }

    void noisyMachineIsToldWhatItMeans()
    {
        json crowded = timed(0.8, 0.9);
        crowded["labels"] = json::array({{{"code", "crowded"}, {"text", ""}, {"evidence", ""}}});
        playLines(answers("range(0):", crowded) + faultless());
        const Ran ran = cudal1({"judge", "selftest", "--only", "same"});
        QCOMPARE(ran.status, 1);
        QVERIFY2(ran.out.contains("up to 15 % apart") &&
                     ran.out.contains("8 of 8 sessions say that other work wanted the machine"),
                 ran.out);
    }

    void aCanaryThatABusyMachineMadeUnclearIsJudgedAgain()
    {
        json crowded = timed(0.3, 5);
        crowded["labels"] = json::array({{{"code", "crowded"}, {"text", ""}, {"evidence", ""}}});
        playLines(answers("# expect: faster", crowded) + faultless());
        const Ran ran = cudal1({"judge", "selftest", "--only", "canaries"});
        QCOMPARE(ran.status, 1);
        QVERIFY2(ran.out.contains("each time that half_the_work was judged, so that nothing follows"), ran.out);
        QCOMPARE(asked("evaluate"), 3 + 5); // the three others once
    }

    void aCanaryWithAnIntervalTooWideToTellIsJudgedAgain()
    {
        // No label says so, yet the interval holds anything: a neighbour on the same host can do that.
        playLines(R"({"on":"evaluate","candidate_contains":"# expect: faster","times":1,"reply":)" +
                  QByteArray::fromStdString(timed(0.87, 1.75).dump()) + "}\n" + faultless());
        const Ran ran = cudal1({"judge", "selftest", "--only", "canaries"});
        QCOMPARE(ran.status, 0);
        QCOMPARE(asked("evaluate"), 4 + 1);
    }

    void aCanaryThatIsMeasuredWellAndNotSeenFails()
    {
        playLines(answers("# expect: faster", timed(0.98, 1.03)) + faultless());
        const Ran ran = cudal1({"judge", "selftest", "--only", "canaries"});
        QCOMPARE(ran.status, 1);
        QVERIFY2(ran.out.contains("does not see what nobody could miss (half_the_work)"), ran.out);
        QCOMPARE(asked("evaluate"), 4);
    }

    void wrongUseAndMissingMachine()
    {
        playLines(faultless());
        QCOMPARE(cudal1({"judge"}).status, 2);
        QCOMPARE(cudal1({"judge", "selfcheck"}).status, 2);
        QCOMPARE(cudal1({"judge", "selftest", "--only", "some"}).status, 2);
        QCOMPARE(cudal1({"judge", "selftest", "--quick", "--full"}).status, 2);
        QCOMPARE(cudal1({"judge", "selftest", "--sessions", "0"}).status, 2);
        QCOMPARE(asked("evaluate"), 0);
        const Ran gpu = cudal1({"judge", "selftest", "--device", "cuda:0"});
        QVERIFY2(gpu.status == 3 && gpu.err.contains("no device cuda:0"), gpu.err);
        m_evaluator = "/nowhere/evaluator";
        QCOMPARE(cudal1({"judge", "selftest"}).status, 3);
    }

    void deadEvaluatorIsTheMachines()
    {
        playLines(R"({"on":"evaluate","act":"crash"})"
                  "\n");
        const Ran ran = cudal1({"judge", "selftest", "--only", "same", "--json"});
        QCOMPARE(ran.status, 3);
        const json got = ran.parsed();
        QVERIFY2(got["complete"] == json(false) && got["passed"] == json(false) && got.contains("error"), ran.out);
        QVERIFY2(ran.err.contains("in a row"), ran.err);
    }

    void interruptStopsAtOnce()
    {
        if (holdsSignals())
            QSKIP("the thread sanitizer holds signals back");
        playLines(R"({"on":"evaluate","delay_ms":60000,"reply":{"verdict":"correct"}})"
                  "\n");
        QProcess process;
        begin(process, {"judge", "selftest"});
        QTRY_VERIFY_WITH_TIMEOUT(asked("evaluate") >= 4, deadline_ms);
        QElapsedTimer clock;
        clock.start();
        ::kill(pid_t(process.processId()), SIGINT);
        const Ran stopped = end(process);
        QVERIFY(clock.elapsed() < 5000);
        QCOMPARE(stopped.status, 130);
        QVERIFY2(stopped.out.contains("selftest not finished"), stopped.out);
    }
};

QTEST_GUILESS_MAIN(TestJudge)
#include "tst_judge.moc"
