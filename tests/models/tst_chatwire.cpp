// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of chat completions as servers write them, in pieces of every size.
#include "core/models/chatwire.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace cudal1;
using models::AnswerReader;
using nlohmann::json;
using policy::ChatReply;

namespace {

base::Result<ChatReply> read(const QByteArray& bytes, int size, QByteArray* added = nullptr)
{
    AnswerReader reader;
    for (int at = 0; at < bytes.size() && !reader.complete(); at += size) {
        const auto text = reader.feed(bytes.mid(at, size).toStdString());
        if (!text)
            return text.error();
        for (const std::string& piece : *text)
            if (added)
                *added += QByteArray::fromStdString(piece);
    }
    return reader.finish(true);
}

} // namespace

class TestChatWire : public QObject {
    Q_OBJECT
private slots:
    void answers_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("end");
        QTest::addColumn<int>("replyTokens"); // -1: not told
        const auto row = [](const char* name, const QByteArray& bytes, const char* text, ChatReply::End end,
                            int tokens) { QTest::newRow(name) << bytes << QByteArray(text) << int(end) << tokens; };
        using End = ChatReply::End;
        row("OpenAI's stream",
            R"(data: {"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"Grüße"},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"id":"1","model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21}}

data: [DONE]

)",
            "Grüße", End::Stop, 12);
        row("stream without [DONE]",
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\"}]}\n\n", "a", End::Length,
            -1);
        row("stream without a reason", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n", "a",
            End::Stop, -1);
        row("stream with comments first",
            ": OPENROUTER PROCESSING\n\ndata: "
            "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
            "a", End::Stop, -1);
        row("other choices",
            "data: "
            "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}},{\"index\":0,\"delta\":{\"content\":\"a\"},"
            "\"finish_reason\":\"stop\"}]}\n\n",
            "a", End::Stop, -1);
        row("reasoning apart",
            "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\",\"content\":null}}]}\n\ndata: "
            "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
            "a", End::Stop, -1);
        row("whole object",
            " \n{\"choices\":[{\"message\":{\"content\":\"a\\nb\"},\"finish_reason\":\"eos\"}],\"usage\":{\"prompt_"
            "tokens\":1,\"completion_tokens\":2}}\n",
            "a\nb", End::Stop, 2);
        row("whole object without a reason", R"({"choices":[{"message":{"content":"a"}}]})", "a", End::Stop, -1);
        row("refusal", R"({"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]})", "No.",
            End::Refused, -1);
        row("filter", R"({"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]})", "", End::Refused,
            -1);
        row("nonsense in usage",
            R"({"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":"x","completion_tokens":-3}})", "a",
            End::Stop, -1);
    }
    void answers()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, text);
        QFETCH(int, end);
        QFETCH(int, replyTokens);
        for (int size = 1; size <= bytes.size(); size = size < 20 ? size + 1 : size * 2) {
            QByteArray added;
            const auto reply = read(bytes, size, &added);
            QVERIFY2(reply.ok(), reply ? "" : reply.error().text().c_str());
            QCOMPARE(QByteArray::fromStdString(reply->text), text);
            QVERIFY(added == text || (added.isEmpty() && bytes.trimmed().startsWith('{')));
            QCOMPARE(int(reply->end), end);
            QCOMPARE(int(reply->usage.replyTokens.value_or(-1)), replyTokens);
        }
    }

    void failures_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<bool>("brokenOff");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QByteArray& bytes, bool brokenOff, const char* says) {
            QTest::newRow(name) << bytes << brokenOff << QByteArray(says);
        };
        row("nothing", "", true, "is empty");
        row("half a word", "dat", true, "is empty");
        row("half a stream", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", true, "broke off");
        row("given up",
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"abort\"}]}\n\ndata: [DONE]\n\n",
            true, "given up");
        row("no choices", "{\"choices\":[]}", false, "no choices");
        row("choices that are none", "{\"choices\":[1,2]}", false, "no choices");
        row("another object", "{\"hello\":\"world\"}", false, "no choices");
        row("a list", "[1]", false, "no JSON");
        row("HTML", "<html>", false, "no JSON");
        row("words", "data is missing", false, "no JSON");
        row("broken", "{\"choices\"", false, "broken JSON");
        row("not UTF-8", "{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}", false, "broken JSON");
    }
    void failures()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(bool, brokenOff);
        QFETCH(QByteArray, says);
        AnswerReader reader;
        const auto fed = reader.feed(bytes.toStdString());
        const auto reply = fed ? reader.finish(true) : base::Result<ChatReply>(fed.error());
        QVERIFY(!reply);
        QVERIFY(reply.error().code == base::ErrorCode::ProcessFailed);
        QVERIFY2(QByteArray::fromStdString(reply.error().text()).contains(says), reply.error().text().c_str());
        QCOMPARE(reader.brokenOff(), brokenOff);
    }

    void finishedRepliesSurviveTheConnection()
    {
        AnswerReader reader;
        QVERIFY(reader.feed(
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"cho"));
        QVERIFY(reader.finish(false));
        AnswerReader half;
        QVERIFY(half.feed("{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]"));
        QVERIFY(!half.finish(false));
        QVERIFY(half.brokenOff());
    }

    /// Where a server counts no tokens, the limits guess from the bytes that it charges for.
    void thoughtsCountAsReceived()
    {
        AnswerReader reader;
        QVERIFY(
            reader.feed("data: {\"choices\":[{\"delta\":{\"reasoning\":\"hmm\",\"reasoning_content\":\"hmm\"}}]}\n\n"));
        QVERIFY(reader.feed("data: {\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}\n\n"));
        QCOMPARE(reader.textBytes(), std::size_t(5));
    }

    void serverErrors_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<QByteArray>("code");
        const auto row = [](const char* body, const char* message, const char* code) {
            QTest::newRow(body) << QByteArray(body) << QByteArray(message) << QByteArray(code);
        };
        row(R"({"error":{"message":"No.","type":"invalid_request_error","code":null}})", "No", "invalid_request_error");
        row(R"({"error":{"message":"No","code":400}})", "No", "400");
        row(R"({"error":"model not found"})", "model not found", "");
        row(R"({"object":"error","message":"too long","code":40303})", "too long", "40303");
        row(R"({"detail":"Not Found"})", "Not Found", "");
        row(R"({"detail":[{"msg":"Field required","loc":["body","x"]},{"msg":"more"}]})", "Field required; more", "");
        row(R"([{"error":{"message":"in a list","code":400}}])", "in a list", "400");
        row("{}", "", "");
        row("<html>x</html>", "", "");
        row("  plain\n words\x01 ", "plain words", "");
        row("", "", "");
    }
    void serverErrors()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, message);
        QFETCH(QByteArray, code);
        const auto error = models::serverError(body.toStdString());
        QCOMPARE(QByteArray::fromStdString(error.message), message);
        QCOMPARE(QByteArray::fromStdString(error.code), code);
    }

    void longErrorsAreCut()
    {
        std::string text;
        for (int i = 0; i < 300; ++i)
            text += "ü";
        const auto error = models::serverError(json{{"error", text}}.dump());
        QVERIFY(error.message.ends_with("ü…"));
        QVERIFY(error.message.size() <= 403);
        QVERIFY(!QString::fromStdString(error.message).contains(QChar::ReplacementCharacter));
    }

    void seedsOfReplies()
    {
        models::EndpointSettings settings;
        policy::ChatRequest request;
        request.settings.seed = 40;
        QCOMPARE(json::parse(models::requestBody(settings, request, 2, {}))["seed"].get<int>(), 42);
    }
};

QTEST_APPLESS_MAIN(TestChatWire)
#include "tst_chatwire.moc"
