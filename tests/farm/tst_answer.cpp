// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of an evaluator as values.
#include "core/farm/answer.h"

#include "core/protocol/wireerror.h"

#include <QTest>

using namespace cudal1;

class TestAnswer : public QObject {
    Q_OBJECT
private slots:
    void readsAnEvaluation()
    {
        protocol::Evaluation sent;
        sent.verdict = protocol::Verdict::TimedOut;
        sent.reasons = {{"hang", "It hung", "trace"}};
        const auto message = farm::readMessage(QByteArray::fromStdString(protocol::line("evaluation", 7, sent)));
        QVERIFY(message.ok());
        QCOMPARE(message->id, 7u);
        const auto got = std::get<std::shared_ptr<const protocol::Evaluation>>(
            std::get<farm::Answer>(message->payload));
        QVERIFY(got->verdict == protocol::Verdict::TimedOut);
        QCOMPARE(got->reasons.at(0).evidence, std::string("trace"));
    }

    void readsATimeline()
    {
        protocol::TimelineAnswer sent;
        sent.task = "3/41";
        sent.reference.windows = {{0, 1, -1, 2}};
        const auto message = farm::readMessage(QByteArray::fromStdString(protocol::line("timeline", 9, sent)));
        QVERIFY(message.ok());
        const auto got = std::get<std::shared_ptr<const protocol::TimelineAnswer>>(
            std::get<farm::Answer>(message->payload));
        QCOMPARE(got->task, std::string("3/41"));
        QCOMPARE(got->reference.windows.at(0).end_ns, std::int64_t(2));
        QVERIFY(!got->candidate);
    }

    void readsErrorsByCode()
    {
        const auto message = farm::readMessage(
            R"({"type":"error","id":3,"code":"unavailable","message":"No GPU","context":"cuda:1","hint":"Use the CPU"})");
        QVERIFY(message.ok());
        const auto& error = std::get<base::Error>(message->payload);
        QCOMPARE(error.code, base::ErrorCode::Unavailable);
        QCOMPARE(error.text(), std::string("No GPU (cuda:1). Use the CPU"));
    }

    void everyErrorCodeHasAWordOfItsOwn()
    {
        for (int value = 0; value <= int(base::ErrorCode::Internal); ++value) {
            const auto code = base::ErrorCode(value);
            QCOMPARE(protocol::errorCode(protocol::errorWord(code)), code);
        }
        QCOMPARE(protocol::errorCode("no such word"), base::ErrorCode::Internal);
    }

    void knowsNothingOfLaterMessages()
    {
        const auto message = farm::readMessage(R"({"type":"telepathy","id":3})");
        QVERIFY(message.ok());
        QVERIFY(std::holds_alternative<std::monostate>(message->payload));
    }

    void refusesWhatIsNoMessage_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("text") << QByteArray("Segmentation fault");
        QTest::newRow("no object") << QByteArray("[1,2]");
        QTest::newRow("no type") << QByteArray("{\"id\":1}");
        QTest::newRow("wrong type of a field") << QByteArray(R"({"type":"progress","id":1,"fraction":"half"})");
        QTest::newRow("cut short") << QByteArray(R"({"type":"progress","id":1)");
        QTest::newRow("invalid UTF-8") << QByteArray("{\"type\":\"\xff\xfe\",\"id\":1}");
    }
    void refusesWhatIsNoMessage()
    {
        QFETCH(QByteArray, line);
        const auto message = farm::readMessage(line);
        QVERIFY(!message.ok());
        QCOMPARE(message.error().code, base::ErrorCode::ProcessFailed);
    }
};

QTEST_GUILESS_MAIN(TestAnswer)
#include "tst_answer.moc"
