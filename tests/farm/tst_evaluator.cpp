// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluator client against recorded evaluators that behave, die, hang and babble.
#include "core/farm/evaluator.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using farm::Evaluator;
using farm::RequestId;

namespace {

constexpr int deadline_ms = 20'000;

/// Writes the lines as a recording and gives the command that plays it.
QStringList recorded(const QTemporaryDir& folder, const QByteArray& lines)
{
    QFile file(folder.filePath("recording.jsonl"));
    if (!file.open(QIODevice::WriteOnly) || file.write("# test\n" + lines) < 0)
        qFatal("cannot write the recording");
    return {QString(CUDAL1_BINARY_DIR) + "/tests/replay_evaluator", file.fileName()};
}

protocol::EvaluateRequest requestFor(const std::string& candidate)
{
    protocol::EvaluateRequest request;
    request.task = {"1/12", "class Model: pass"};
    request.candidate = candidate;
    return request;
}

/// What became of one request.
struct Outcome {
    std::shared_ptr<const protocol::Evaluation> evaluation;
    std::optional<base::Error> error;
    int finals = 0;
};

class Watch : public QObject {
public:
    explicit Watch(Evaluator& evaluator)
    {
        connect(&evaluator, &Evaluator::answered, this, [this](quint64 id, const farm::Answer& answer) {
            outcomes[id].evaluation = std::get<std::shared_ptr<const protocol::Evaluation>>(answer);
            ++outcomes[id].finals;
        });
        connect(&evaluator, &Evaluator::failed, this, [this](quint64 id, const base::Error& error) {
            outcomes[id].error = error;
            ++outcomes[id].finals;
        });
        connect(&evaluator, &Evaluator::stopped, this, [this](const base::Error& error) { stops.push_back(error); });
    }
    bool done(RequestId id) { return outcomes[id].finals > 0; }

    std::map<RequestId, Outcome> outcomes;
    std::vector<base::Error> stops;
};

} // namespace

class TestEvaluator : public QObject {
    Q_OBJECT
private slots:
    void saysThatItWaits()
    {
        QTemporaryDir folder;
        const QStringList player = recorded(
            folder, R"({"on":"evaluate","candidate_contains":"A","reply":{"verdict":"correct"}})"
                    "\n");
        Evaluator evaluator(QStringList{"sh", "-c", "sleep 10.5; exec \"$@\"", "sh"} +
                            player); // as a queue of a cluster may take
        Watch watch(evaluator);
        QSignalSpy waiting(&evaluator, &Evaluator::waiting), ready(&evaluator, &Evaluator::ready);
        const RequestId id = evaluator.ask(requestFor("A"));
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(id), deadline_ms);
        QVERIFY(watch.outcomes[id].evaluation);
        QCOMPARE(ready.size(), 1);
        QCOMPARE(waiting.size(), 1);
        QVERIFY(waiting.at(0).at(0).toDouble() >= 10);
    }

    void answersInTheOrderAsked()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(folder, R"({"on":"evaluate","candidate_contains":"A","reply":{"verdict":"correct"}}
{"on":"evaluate","candidate_contains":"B","delay_ms":60,"progress":[{"phase":"check","fraction":0.5,"text":"10 of 20"}],"reply":{"verdict":"incorrect"}}
)"));
        Watch watch(evaluator);
        QSignalSpy progress(&evaluator, &Evaluator::progress);
        const RequestId b = evaluator.ask(requestFor("B"));
        const RequestId a = evaluator.ask(requestFor("A"));
        QVERIFY(!evaluator.isReady());
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(a), deadline_ms);
        QVERIFY(watch.done(b));
        QVERIFY(evaluator.isReady());
        QCOMPARE(evaluator.hello().program, std::string("replay_evaluator"));
        QVERIFY(watch.outcomes[a].evaluation->verdict == protocol::Verdict::Correct);
        QVERIFY(watch.outcomes[b].evaluation->verdict == protocol::Verdict::Incorrect);
        QCOMPARE(progress.count(), 1);
        QCOMPARE(progress.at(0).at(0).toULongLong(), b);
    }

    void describesAndInspects()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(
            folder, R"({"on":"inspect","reply":{"items":[{"name":"1/1","ok":false,"message":"boom","line":3}]}})"));
        QList<protocol::Machine> machines;
        QList<protocol::Inspection> inspections;
        connect(&evaluator, &Evaluator::answered, this, [&](quint64, const farm::Answer& answer) {
            if (const auto* machine = std::get_if<protocol::Machine>(&answer))
                machines << *machine;
            else
                inspections << std::get<protocol::Inspection>(answer);
        });
        evaluator.ask(farm::DescribeRequest{});
        evaluator.ask(protocol::InspectRequest{{{"1/1", "raise"}}});
        QTRY_COMPARE_WITH_TIMEOUT(inspections.size(), 1, deadline_ms);
        QCOMPARE(machines.size(), 1);
        QCOMPARE(machines[0].devices.at(0).name, std::string("cpu"));
        QCOMPARE(inspections[0].items.at(0).line, 3);
    }

    void factsOfTasks()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(
            folder,
            R"({"on":"facts","reply":{"items":[{"name":"1/1","facts":{"inputs":[1.5]}},{"name":"1/2","message":"boom","line":3}]}})"));
        std::shared_ptr<const protocol::Facts> facts;
        connect(&evaluator, &Evaluator::answered, this, [&](quint64, const farm::Answer& answer) {
            facts = std::get<std::shared_ptr<const protocol::Facts>>(answer);
        });
        evaluator.ask(protocol::FactsRequest{{{"1/1", "a"}, {"1/2", "b"}}, 60});
        QTRY_VERIFY_WITH_TIMEOUT(facts, deadline_ms);
        QVERIFY(facts->items.at(0).facts.at("inputs").at(0) == 1.5);
        QVERIFY(facts->items.at(1).facts.is_null() && facts->items.at(1).line == 3);
    }

    void longAnswersKeepTheirPlace()
    {
        // Read on another thread; the short answer behind it must not overtake.
        QTemporaryDir folder;
        const QByteArray text(400'000, 'x');
        Evaluator evaluator(
            recorded(folder, R"({"on":"evaluate","candidate_contains":"A","reply":{"verdict":"correct","output":")" +
                                 text + R"("}}
{"on":"evaluate","candidate_contains":"B","reply":{"verdict":"correct"}}
)"));
        QList<quint64> order;
        qsizetype length = 0;
        connect(&evaluator, &Evaluator::answered, this, [&](quint64 id, const farm::Answer& answer) {
            order << id;
            length = std::max(length,
                              qsizetype(std::get<std::shared_ptr<const protocol::Evaluation>>(answer)->output.size()));
        });
        const RequestId a = evaluator.ask(requestFor("A"));
        const RequestId b = evaluator.ask(requestFor("B"));
        QTRY_COMPARE_WITH_TIMEOUT(order.size(), 2, deadline_ms);
        QCOMPARE(order, (QList<quint64>{a, b}));
        QCOMPARE(length, text.size());
    }

    void deathFailsEveryOpenRequestAndTheNextOneStartsAgain()
    {
        QTemporaryDir folder;
        Evaluator evaluator(
            recorded(folder, R"({"on":"evaluate","candidate_contains":"A","act":"crash","stderr":"last words"}
{"on":"evaluate","candidate_contains":"B","reply":{"verdict":"correct"}}
)"));
        Watch watch(evaluator);
        const RequestId a = evaluator.ask(requestFor("A"));
        const RequestId b = evaluator.ask(requestFor("B"));
        QTRY_COMPARE_WITH_TIMEOUT(watch.stops.size(), 1u, deadline_ms);
        for (const RequestId id : {a, b}) {
            QCOMPARE(watch.outcomes[id].finals, 1);
            QCOMPARE(watch.outcomes[id].error->code, base::ErrorCode::ProcessFailed);
        }
        QVERIFY(watch.stops[0].context.find("last words") != std::string::npos);
        QVERIFY(evaluator.standardError().contains("last words"));
        const RequestId again = evaluator.ask(requestFor("B"));
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(again), deadline_ms);
        QVERIFY(watch.outcomes[again].evaluation);
    }

    void cancelIsAnswered()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(folder, R"({"on":"evaluate","candidate_contains":"slow","act":"hang"}
{"on":"evaluate","reply":{"verdict":"correct"}}
)"));
        Watch watch(evaluator);
        QSignalSpy ready(&evaluator, &Evaluator::ready);
        const RequestId slow = evaluator.ask(requestFor("slow"));
        const RequestId fast = evaluator.ask(requestFor("fast"));
        QVERIFY(ready.wait(deadline_ms));
        evaluator.cancel(slow);
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(fast), deadline_ms);
        QVERIFY(watch.outcomes[slow].evaluation->verdict == protocol::Verdict::Cancelled);
        QVERIFY(watch.stops.empty());
    }

    void cancelBeforeTheStartIsOver()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(folder, R"({"on":"evaluate","reply":{"verdict":"correct"}})"));
        Watch watch(evaluator);
        const RequestId id = evaluator.ask(requestFor("A"));
        evaluator.cancel(id);
        QVERIFY(!watch.done(id)); // from the event loop, never from within the call
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(id), deadline_ms);
        QCOMPARE(watch.outcomes[id].error->code, base::ErrorCode::Cancelled);
    }

    void deafEvaluatorIsKilledAndReplaced()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(folder, R"({"on":"evaluate","candidate_contains":"stuck","act":"hang","deaf":true}
{"on":"evaluate","reply":{"verdict":"correct"}}
)"));
        Watch watch(evaluator);
        QSignalSpy ready(&evaluator, &Evaluator::ready);
        const RequestId stuck = evaluator.ask(requestFor("stuck"));
        QVERIFY(ready.wait(deadline_ms));
        QElapsedTimer clock;
        clock.start();
        evaluator.cancel(stuck);
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(stuck), deadline_ms);
        QVERIFY2(clock.elapsed() < 1500, qPrintable(QString::number(clock.elapsed())));
        QCOMPARE(watch.outcomes[stuck].error->code, base::ErrorCode::Cancelled);
        // Asked while the old process is still going away: belongs to the new one.
        const RequestId next = evaluator.ask(requestFor("next"));
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(next), deadline_ms);
        QVERIFY(watch.outcomes[next].evaluation);
        QCOMPARE(watch.outcomes[stuck].finals, 1);
    }

    void otherProtocolVersionIsRefused()
    {
        QTemporaryDir folder;
        Evaluator evaluator(
            recorded(folder, R"({"on":"hello","reply":{"protocol":99,"program":"cudal1-evaluator 9.0"}})"));
        Watch watch(evaluator);
        const RequestId id = evaluator.ask(farm::DescribeRequest{});
        QTRY_COMPARE_WITH_TIMEOUT(watch.stops.size(), 1u, deadline_ms);
        QCOMPARE(watch.stops[0].code, base::ErrorCode::Unavailable);
        QVERIFY(watch.stops[0].message.find("99") != std::string::npos);
        QCOMPARE(watch.stops[0].context, std::string("cudal1-evaluator 9.0"));
        QCOMPARE(watch.outcomes[id].finals, 1);
        QVERIFY(!evaluator.isReady());
    }

    void babbleEndsTheConversation()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(folder, R"({"on":"evaluate","act":"garbage"})"));
        Watch watch(evaluator);
        const RequestId id = evaluator.ask(requestFor("A"));
        QTRY_COMPARE_WITH_TIMEOUT(watch.stops.size(), 1u, deadline_ms);
        QCOMPARE(watch.outcomes[id].error->code, base::ErrorCode::ProcessFailed);
        QVERIFY(watch.outcomes[id].error->context.find("just noise") != std::string::npos);
    }

    void greetingOfALoginShellIsSkipped()
    {
        QTemporaryDir folder;
        const QStringList command = recorded(folder, R"({"on":"evaluate","reply":{"verdict":"correct"}})");
        Evaluator evaluator({"/bin/sh", "-c", "echo Welcome to gpu1; exec \"$0\" \"$1\"", command[0], command[1]});
        Watch watch(evaluator);
        const RequestId id = evaluator.ask(requestFor("A"));
        QTRY_VERIFY_WITH_TIMEOUT(watch.done(id), deadline_ms);
        QVERIFY(watch.outcomes[id].evaluation);
    }

    void missingProgramSaysWhatToDo()
    {
        Evaluator evaluator({"/nowhere/cudal1-evaluator"});
        Watch watch(evaluator);
        const RequestId id = evaluator.ask(farm::DescribeRequest{});
        QTRY_COMPARE_WITH_TIMEOUT(watch.stops.size(), 1u, deadline_ms);
        QCOMPARE(watch.outcomes[id].error->code, base::ErrorCode::Unavailable);
        QVERIFY(watch.outcomes[id].error->hint.find("CUDAL1_EVALUATOR") != std::string::npos);
    }

    void earlyExitKeepsItsLastWords()
    {
        QTemporaryDir folder;
        Evaluator evaluator(recorded(folder, R"({"on":"hello","act":"exit","status":3,"stderr":"no torch here"})"));
        Watch watch(evaluator);
        evaluator.start();
        QTRY_COMPARE_WITH_TIMEOUT(watch.stops.size(), 1u, deadline_ms);
        QVERIFY(watch.stops[0].message.find("status 3") != std::string::npos);
        QVERIFY(watch.stops[0].context.find("no torch here") != std::string::npos);
        QCOMPARE(watch.stops[0].code, base::ErrorCode::Unavailable);
    }

    void tooLongALineIsRefused()
    {
        // 65 MiB without an end, behind a proper greeting.
        Evaluator evaluator(
            {"/bin/sh", "-c",
             "echo '{\"type\":\"hello\",\"id\":0,\"protocol\":1}'; head -c 68157440 /dev/zero | tr '\\0' x; sleep 60"});
        Watch watch(evaluator);
        const RequestId id = evaluator.ask(farm::DescribeRequest{});
        QTRY_COMPARE_WITH_TIMEOUT(watch.stops.size(), 1u, 60'000);
        QVERIFY(watch.stops[0].message.find("64 MiB") != std::string::npos);
        QCOMPARE(watch.outcomes[id].error->code, base::ErrorCode::ProcessFailed);
    }

    void standardErrorIsBounded()
    {
        Evaluator evaluator({"/bin/sh", "-c", "head -c 300000 /dev/zero | tr '\\0' e >&2; echo the end >&2; exit 4"});
        Watch watch(evaluator);
        evaluator.start();
        QTRY_COMPARE_WITH_TIMEOUT(watch.stops.size(), 1u, deadline_ms);
        QCOMPARE(evaluator.standardError().size(), qsizetype(64 << 10));
        QVERIFY(evaluator.standardError().endsWith("the end\n"));
    }

    void endOfTheObjectEndsTheProcess()
    {
        QTemporaryDir folder;
        const QString mark = folder.filePath("pid");
        auto evaluator = std::make_unique<Evaluator>(
            QStringList{"/bin/sh", "-c",
                        "echo $$ > \"$0\"; trap '' TERM; echo '{\"type\":\"hello\",\"id\":0,\"protocol\":1}'; while :; "
                        "do sleep 1; done",
                        mark});
        QSignalSpy ready(evaluator.get(), &Evaluator::ready);
        evaluator->start();
        QVERIFY(ready.wait(deadline_ms));
        QFile file(mark);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString process = file.readAll().trimmed();
        QVERIFY(QFile::exists("/proc/" + process));
        evaluator.reset(); // deaf to quit and to SIGTERM
        QVERIFY(!QFile::exists("/proc/" + process));
    }
};

QTEST_GUILESS_MAIN(TestEvaluator)
#include "tst_evaluator.moc"
