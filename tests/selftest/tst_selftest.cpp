// SPDX-License-Identifier: GPL-3.0-or-later
// A self-test against a recorded evaluator: what is missed and flagged is named, gains are confirmed, deaths are blamed
// on the right program, evaluators are exchanged, and it stops when told.
#include "core/selftest/selftestreport.h"

#include "tests/farm/recording.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using namespace cudal1::selftest;
using nlohmann::json;

namespace {

constexpr int deadline_ms = 30'000;

QByteArray rule(const std::string& candidate, json more)
{
    more["on"] = "evaluate";
    if (!candidate.empty())
        more["candidate_contains"] = candidate;
    return QByteArray::fromStdString(more.dump()) + "\n";
}

json correct(double low, double high)
{
    return {{"verdict", "correct"},
            {"speedup", {{"wall", {{"estimate", (low + high) / 2}, {"low", low}, {"high", high}}}}}};
}

QByteArray answers(const std::string& candidate, const json& reply, int times = 0)
{
    return rule(candidate, {{"reply", reply}, {"times", times}});
}

const json rejected = {{"verdict", "incorrect"}};

Check planted(TestSection section, const std::string& name, const std::vector<std::string>& head)
{
    std::string text = "# SPDX-License-Identifier: GPL-3.0-or-later\n";
    for (const std::string& line : head)
        text += "# " + line + "\n";
    auto program = parseProgram("x/" + name + ".py",
                                text + "# device: any\n# task: row_sum\n# It says how.\n" + name + ";\n");
    if (!program)
        qFatal("%s", program.error().text().c_str());
    Check check;
    check.section = section;
    check.name = name;
    check.task = {"selftest: row_sum", "class Model: pass"};
    check.candidate = program->source;
    check.program = std::make_shared<const PlantedProgram>(*program);
    return check;
}

Check exploit(const std::string& name, const std::string& expect = "reject")
{
    return planted(TestSection::Exploits, name, {"class: c01", "expect: " + expect});
}

Check lookalike(const std::string& name)
{
    return planted(TestSection::Lookalikes, name, {});
}

Check session(const std::string& name, int percent)
{
    Check check;
    check.section = percent ? TestSection::Slower : TestSection::Same;
    check.percent = percent;
    check.name = name;
    check.task = {"selftest: " + name, "class Model: pass"};
    check.candidate = name + ";";
    return check;
}

} // namespace

class TestSelftest : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    Ended m_ended = Ended::Finished;
    base::Error m_error;

    QStringList command(const QByteArray& lines) const { return recording::command(*m_folder, lines); }
    int asked() const { return recording::evaluationsAsked(*m_folder); }
    /// Ids of an evaluator's requests begin at 1, so each 1 is a process.
    int processes() const
    {
        QFile file(m_folder->filePath("log.jsonl"));
        return file.open(QIODevice::ReadOnly) ? int(file.readAll().count("\"id\":1,")) : 0;
    }
    std::vector<CheckRow> run(const QByteArray& lines, std::vector<Check> checks)
    {
        SelfTest session(command(lines));
        QSignalSpy finished(&session, &SelfTest::finished);
        SelfTestOptions options;
        options.device.name = "cpu";
        session.start(options, {std::move(checks), {}});
        if (!finished.wait(deadline_ms))
            qFatal("the self-test did not end");
        m_ended = finished.takeFirst().at(0).value<Ended>();
        m_error = session.error();
        return session.rows();
    }
    static const CheckRow* rowOf(const std::vector<CheckRow>& rows, const std::string& name)
    {
        for (const CheckRow& row : rows)
            if (row.check.name == name)
                return &row;
        qFatal("no row %s", name.c_str());
        return nullptr;
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void passesOnRecordedAnswers()
    {
        const auto rows = run(answers("cheat", rejected) + answers("five", correct(0.94, 0.96)) +
                                  answers("", correct(0.995, 1.004)),
                              {session("one", 0), session("two", 0), session("five", 5), exploit("cheat one"),
                               exploit("cheat two"), lookalike("honest")});
        QVERIFY(m_ended == Ended::Finished);
        QCOMPARE(rows.size(), std::size_t(6));
        const Report report = summarise(rows);
        QVERIFY(report.passed());
        QCOMPARE(report.checks, 6);
        QCOMPARE(report.sections.size(), std::size_t(4));
        QCOMPARE(asked(), 6);
        QCOMPARE(processes(), 1);
    }

    void missedCheatIsNamed()
    {
        // The third is on its way beside the second, and is judged again by another process.
        const auto rows = run(answers("cheat two", correct(0.5, 0.6)) +
                                  rule("cheat three", {{"delay_ms", 500}, {"reply", rejected}}) +
                                  answers("cheat", rejected),
                              {exploit("cheat one"), exploit("cheat two"), exploit("cheat three")});
        const Report report = summarise(rows);
        QVERIFY(!report.passed());
        QCOMPARE(report.sections[0].good, 2);
        QVERIFY2(report.sections[0].meaning.find("cheat two") != std::string::npos &&
                     report.sections[0].meaning.find("cheat one") == std::string::npos,
                 report.sections[0].meaning.c_str());
        QCOMPARE(rowOf(rows, "cheat two")->evaluations, 1); // accepted is accepted
        QCOMPARE(processes(), 2); // what got through may have left the evaluator other than it was
    }

    void flaggedLookalikeIsNamed()
    {
        json labelled = correct(1.0, 1.1);
        labelled["labels"] = json::array({{{"code", "odd"}, {"text", ""}, {"evidence", ""}}});
        const auto rows = run(answers("honest two", labelled) + answers("", correct(1, 1.1)),
                              {lookalike("honest one"), lookalike("honest two")});
        const Report report = summarise(rows);
        QVERIFY(!report.passed());
        QVERIFY(report.sections[0].meaning.find("honest two") != std::string::npos);
        QCOMPARE(rowOf(rows, "honest two")->finding.why, std::string("labelled odd"));
    }

    void gainIsConfirmedByTwoOfThree()
    {
        const json gain = correct(1.5, 1.6), none = correct(0.9, 1.0);
        // Once by chance; then the others decide.
        auto rows = run(answers("cheat", gain, 1) + answers("cheat", none), {exploit("cheat", "no_gain")});
        QVERIFY(rows[0].finding.good());
        QCOMPARE(rows[0].evaluations, 3);
        init();
        rows = run(answers("cheat", gain, 1) + answers("cheat", none, 1) + answers("cheat", gain),
                   {exploit("cheat", "no_gain")});
        QVERIFY(!rows[0].finding.good());
        QCOMPARE(rows[0].evaluations, 3);
        init();
        rows = run(answers("cheat", gain), {exploit("cheat", "no_gain")});
        QVERIFY(!rows[0].finding.good());
        QCOMPARE(rows[0].evaluations, 2);
    }

    void gainIsMeasuredAgainstTheHonestForm()
    {
        Check one = exploit("cheat", "no_gain"), two = exploit("more cheat", "no_gain");
        one.honest = two.honest = "honest form;";
        const QByteArray lines = answers("honest form", correct(2.9, 3.1)) + answers("more cheat", correct(3.5, 3.6)) +
                                 answers("cheat", correct(3.0, 3.2));
        const auto rows = run(lines, {one, two});
        QVERIFY(rowOf(rows, "cheat")->finding.good());
        QVERIFY(!rowOf(rows, "more cheat")->finding.good());
        // one, two, the honest form, each once more with it at hand, and a second look at the gain.
        QVERIFY2(asked() <= 8, std::to_string(asked()).c_str());
    }

    void deathIsBlamedOnTheRightProgram()
    {
        const auto rows = run(rule("killer", {{"act", "crash"}}) + answers("cheat", rejected) +
                                  answers("", correct(1, 1.1)),
                              {exploit("cheat one"), exploit("killer"), exploit("cheat two"), lookalike("honest")});
        QVERIFY(m_ended == Ended::Finished);
        const Report report = summarise(rows);
        QCOMPARE(report.sections[0].good, 2);
        QVERIFY(!rowOf(rows, "killer")->answer.evaluation);
        QVERIFY2(rowOf(rows, "killer")->finding.why.starts_with("no verdict"),
                 rowOf(rows, "killer")->finding.why.c_str());
        QVERIFY(rowOf(rows, "cheat two")->finding.good() && rowOf(rows, "honest")->finding.good());
    }

    void brokenEvaluatorIsTheMachines()
    {
        run(rule("", {{"act", "crash"}}), {exploit("a"), exploit("b"), exploit("c"), exploit("d"), exploit("e")});
        QVERIFY(m_ended == Ended::Failed);
        QVERIFY(m_error.code == base::ErrorCode::ProcessFailed && !m_error.hint.empty());
    }

    void lostDeviceEndsIt()
    {
        run(rule("", {{"act", "error"}, {"reply", {{"code", "unavailable"}, {"message", "no device"}}}}),
            {session("one", 0), session("two", 0)});
        QVERIFY(m_ended == Ended::Failed);
        QCOMPARE(m_error.message, std::string("no device"));
    }

    void attackersAreAloneWithTheirEvaluator()
    {
        Check attacker = exploit("attack");
        attacker.alone = true;
        const QByteArray lines = rule("attack", {{"delay_ms", 300}, {"reply", rejected}}) + answers("", rejected);
        SelfTest session(command(lines));
        QSignalSpy finished(&session, &SelfTest::finished), ready(&session, &SelfTest::rowReady);
        SelfTestOptions options;
        options.device.name = "cpu";
        session.start(options, {{exploit("a"), exploit("b"), attacker, exploit("c"), exploit("d")}, {}});
        QTRY_COMPARE_WITH_TIMEOUT(ready.size(), 2, deadline_ms);
        QTRY_COMPARE_WITH_TIMEOUT(asked(), 3, deadline_ms); // and neither c nor d while it is judged
        QVERIFY(ready.size() == 2);
        QVERIFY(finished.wait(deadline_ms));
        QCOMPARE(session.rows().size(), std::size_t(5));
        QCOMPARE(asked(), 5);
        QCOMPARE(processes(), 2);
    }

    void threadsDecideOnTheProcess()
    {
        Check single = exploit("a");
        single.oneThread = true;
        const auto rows = run(answers("", rejected), {single, exploit("b")});
        QCOMPARE(rows.size(), std::size_t(2));
        QCOMPARE(processes(), 2);
    }

    void progressAndTimeLeft()
    {
        SelfTest session(command(rule("", {{"delay_ms", 60}, {"reply", rejected}})));
        QSignalSpy finished(&session, &SelfTest::finished);
        std::vector<SelfTestProgress> seen;
        connect(&session, &SelfTest::progress, this, [&](const SelfTestProgress& one) { seen.push_back(one); });
        SelfTestOptions options;
        options.device.name = "cpu";
        session.start(options,
                      {{exploit("a"), exploit("b"), exploit("c"), exploit("d"), exploit("e"), exploit("f")}, {}});
        QVERIFY(finished.wait(deadline_ms));
        QVERIFY(seen.size() >= 3);
        QVERIFY(seen.back().done == 6 && seen.back().planned == 6 && seen.back().fraction == 1 &&
                seen.back().secondsLeft == 0);
        for (const SelfTestProgress& one : seen) // 5 s each are usual
            QVERIFY(one.secondsLeft >= 0 && one.secondsLeft <= 6 * 5 && one.guessed == (one.done == 0));
        for (std::size_t i = 1; i < seen.size(); ++i)
            QVERIFY(seen[i].done >= seen[i - 1].done);
    }

    void stopEndsAtOnce()
    {
        SelfTest session(command(answers("a;", rejected) + rule("", {{"delay_ms", 60000}})));
        QSignalSpy finished(&session, &SelfTest::finished), ready(&session, &SelfTest::rowReady);
        SelfTestOptions options;
        options.device.name = "cpu";
        session.start(options, {{exploit("a"), exploit("b"), exploit("c")}, {}});
        QTRY_COMPARE_WITH_TIMEOUT(ready.size(), 1, deadline_ms);
        QElapsedTimer clock;
        clock.start();
        session.stop();
        QVERIFY(finished.wait(deadline_ms));
        QVERIFY(clock.elapsed() < 3000);
        QVERIFY(finished.at(0).at(0).value<Ended>() == Ended::Stopped);
        QCOMPARE(session.rows().size(), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(TestSelftest)
#include "tst_selftest.moc"
