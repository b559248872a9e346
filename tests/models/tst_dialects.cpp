// SPDX-License-Identifier: GPL-3.0-or-later
// Streams as servers of this kind write them, each with habits of its own, sent by a scripted server in pieces that cut
// lines and letters.
#include "tests/models/endpointfixture.h"

#include <QFile>
#include <QTest>

using namespace cudal1;
using policy::ChatReply;
using tests::allTold;
using tests::question;
using tests::Replies;
using tests::ScriptedServer;
using tests::SeenPauses;
using tests::settingsOf;

namespace {

QByteArray recorded(const char* name)
{
    QFile file(QStringLiteral(STREAMS "/%1.txt").arg(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestDialects : public QObject {
    Q_OBJECT

    /// The bytes in chunks of this size, each in a write of its own.
    static void write(QTcpSocket& socket, const QByteArray& bytes, int size)
    {
        socket.write(ScriptedServer::streamHead());
        for (int at = 0; at < bytes.size(); at += size) {
            socket.write(ScriptedServer::chunk(bytes.mid(at, size)));
            socket.flush();
        }
        socket.write("0\r\n\r\n");
    }

private slots:
    void replies_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<bool>("counted");
        const auto row = [](const char* name, bool counted) { QTest::newRow(name) << recorded(name) << counted; };
        row("vllm", true);              // recorded: 0.32 on a CPU
        row("transformers", true);      // recorded: `transformers serve` 5.24; no [DONE], no keys that are null
        row("llama-cpp-python", false); // comments between, lines with a return, no tokens counted
        row("llama-server", true);      // a content that is null, times behind the tokens
        row("ollama", true);            // the role each time, thoughts in a field of their own
        row("router", true);            // comments first, a delta that is null, tokens that grow from event to event
        row("parts", true);             // content as a list of parts, thoughts among them
    }
    /// All say the same, cut off at the limit, and nothing of what a model thinks is a part of it.
    void replies()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(bool, counted);
        QVERIFY(!bytes.isEmpty());
        for (const int size : {7, 100, 100'000}) {
            ScriptedServer server([&](QTcpSocket& socket, const auto&) { write(socket, bytes, size); });
            models::EndpointSettings settings = settingsOf(server);
            settings.price = {1.0, 2.0, "EUR"};
            models::Endpoint endpoint(settings);
            Replies replies;
            const auto asked = endpoint.ask(question(), replies.listener());
            QVERIFY(allTold(replies, 1));
            QVERIFY2(replies.isGood(), replies.isGood() ? "" : replies.bad().text().c_str());
            const ChatReply& reply = replies.good();
            QCOMPARE(reply.text, std::string("Hello! How can"));
            QCOMPARE(replies.partial[0], reply.text);
            QVERIFY(reply.end == ChatReply::End::Length);
            QVERIFY(!reply.model.empty());
            QCOMPARE(reply.usage.promptTokens.value_or(-1), counted ? 31 : -1);
            QCOMPARE(reply.usage.replyTokens.value_or(-1), counted ? 4 : -1);
            // (31 + 2 · 4) / 10⁶; without a count there is no cost, and a guess for the limits.
            QCOMPARE(reply.usage.cost.value_or(-1), counted ? 39e-6 : -1.0);
            QCOMPARE(endpoint.ledger().totals().guessedTokens > 0, !counted);
            QCOMPARE(server.requests.size(), std::size_t(1));
        }
    }

    void errors_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("object") << QByteArray(
                                       R"({"error":{"message":"out of memory","type":"x","param":null,"code":400}})")
                                << QByteArray("out of memory");
        QTest::newRow("text") << QByteArray(R"({"error":"model runner has stopped"})")
                              << QByteArray("model runner has stopped");
        QTest::newRow("vLLM of old")
            << QByteArray(R"({"object":"error","message":"engine is dead","type":"y","param":null,"code":400})")
            << QByteArray("engine is dead");
        QTest::newRow("named event") << QByteArray(R"({"type":"error","error":{"type":"z","message":"not today"}})")
                                     << QByteArray("not today");
    }
    /// What had come of the reply is no reply.
    void errors()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, says);
        const QByteArray begun = R"(data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]})"
                                 "\n\n";
        ScriptedServer server([&](QTcpSocket& socket, const auto&) {
            write(socket, begun + "event: error\ndata: " + bytes + "\n\n", 30);
        });
        SeenPauses pauses;
        models::Endpoint endpoint(settingsOf(server), nullptr, pauses.clock());
        Replies replies;
        const auto asked = endpoint.ask(question(), replies.listener());
        QVERIFY(allTold(replies, 1));
        QVERIFY(!replies.isGood());
        QVERIFY2(QByteArray::fromStdString(replies.bad().text()).contains(says), replies.bad().text().c_str());
        QCOMPARE(endpoint.ledger().totals().replies, 0);
    }
};

QTEST_GUILESS_MAIN(TestDialects)
#include "tst_dialects.moc"
