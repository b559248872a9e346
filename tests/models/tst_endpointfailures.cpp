// SPDX-License-Identifier: GPL-3.0-or-later
// A server that is busy, refuses, lies, hangs, breaks off and talks without end: each a clear outcome, told once.
#include "tests/models/endpointfixture.h"

#include <QDateTime>
#include <QLocale>
#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace cudal1;
using base::ErrorCode;
using models::Endpoint;
using models::EndpointSettings;
using tests::allTold;
using tests::question;
using tests::Replies;
using tests::ScriptedServer;
using tests::SeenPauses;
using tests::settingsOf;

namespace {

using Script = ScriptedServer::Script;

const QByteArray key = "sk-verysecret-0123456789";

Script always(const QByteArray& answer, bool close = false)
{
    return [=](QTcpSocket& socket, const auto&) {
        socket.write(answer);
        if (close)
            socket.disconnectFromHost();
    };
}

/// `failing` for the first `times` requests, then a good reply.
Script atFirst(int times, Script failing)
{
    return [=](QTcpSocket& socket, const ScriptedServer::Request& request) {
        if (request.number < times)
            failing(socket, request);
        else
            socket.write(ScriptedServer::stream({"good"}));
    };
}

QByteArray errorBody(const std::string& message, const std::string& code = {}, const std::string& param = {})
{
    return QByteArray::fromStdString(
        nlohmann::json{{"error", {{"message", message}, {"code", code}, {"param", param}}}}.dump());
}

} // namespace

class TestEndpointFailures : public QObject {
    Q_OBJECT

    struct Ended {
        Replies replies;
        std::vector<std::int64_t> pauses_ms;
        models::Ledger::Totals totals;
    };

    /// Asks once, with the key, and waits for the end.
    void ask(ScriptedServer& server, Ended& out, const std::function<void(EndpointSettings&)>& change = {})
    {
        qputenv("TINY_KEY", key);
        EndpointSettings settings = settingsOf(server);
        settings.keyVariable = "TINY_KEY";
        if (change)
            change(settings);
        SeenPauses pauses;
        Endpoint endpoint(settings, nullptr, pauses.clock());
        const auto asked = endpoint.ask(question(), out.replies.listener());
        QVERIFY(allTold(out.replies, 1));
        out.pauses_ms = pauses.pauses_ms;
        out.totals = endpoint.ledger().totals();
        if (!out.replies.isGood())
            QVERIFY2(out.replies.bad().text().find(key.toStdString()) == std::string::npos,
                     out.replies.bad().text().c_str());
    }

private slots:
    void triesAgain_data()
    {
        QTest::addColumn<int>("failures");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<bool>("close");
        QTest::addColumn<QList<int>>("pauses_ms");
        const auto row = [](const char* name, int failures, const QByteArray& answer, bool close,
                            const QList<int>& pauses) { QTest::newRow(name) << failures << answer << close << pauses; };
        using S = ScriptedServer;
        row("429", 3, S::http(429, errorBody("slow down")), false, {1000, 2000, 4000});
        row("429 with seconds", 1, S::http(429, "", "Retry-After: 17\r\n"), false, {17'000});
        row("429 with less", 2, S::http(429, "", "Retry-After: 0\r\n"), false, {1000, 2000});
        row("429 and no JSON", 1, S::http(429, "<html>busy</html>", "Content-Type: text/html\r\n"), false, {1000});
        row("500", 1, S::http(500, ""), false, {1000});
        row("502", 1, S::http(502, "<html>"), false, {1000});
        row("503", 1, S::http(503, "", "Retry-After: nonsense\r\n"), false, {1000});
        row("504", 1, S::http(504, ""), false, {1000});
        row("closed in mid-stream", 2, S::streamHead() + S::delta("half "), true, {1000, 2000});
        row("stream that ends without an end", 1, S::streamHead() + S::delta("half ") + "0\r\n\r\n", false, {1000});
        row("half an object", 1, S::http(200, S::object("whole")).chopped(20), true, {1000});
        row("given up in mid-stream", 1, S::streamHead() + S::delta("half ") + S::streamEnd("abort"), false, {1000});
        row("error in mid-stream", 1,
            S::streamHead() + S::delta("half ") + S::event({{"error", {{"message", "overloaded"}, {"code", 503}}}}),
            false, {1000});
        row("empty answer", 1, S::http(200, ""), false, {1000});
    }
    void triesAgain()
    {
        QFETCH(int, failures);
        QFETCH(QByteArray, answer);
        QFETCH(bool, close);
        QFETCH(QList<int>, pauses_ms);
        ScriptedServer server(atFirst(failures, always(answer, close)));
        Ended ended;
        ask(server, ended);
        QVERIFY2(ended.replies.isGood(), ended.replies.isGood() ? "" : ended.replies.bad().text().c_str());
        QCOMPARE(ended.replies.good().text, std::string("good"));
        QCOMPARE(ended.replies.partial[0], std::string("good"));
        QCOMPARE(ended.replies.restarts.contains(0), answer.contains("half "));
        QCOMPARE(server.requests.size(), std::size_t(failures + 1));
        QCOMPARE(QList<int>(ended.pauses_ms.begin(), ended.pauses_ms.end()), pauses_ms);
        QCOMPARE(ended.totals.repeated, failures);
        QCOMPARE(ended.totals.guessedTokens > 0, answer.contains("half ")); // what broke off was paid for
    }

    void waitsUntilADate()
    {
        const QDateTime until = QDateTime::currentDateTimeUtc().addSecs(90);
        const QByteArray date = QLocale::c().toString(until, "ddd, dd MMM yyyy HH:mm:ss 'GMT'").toLatin1();
        ScriptedServer server(atFirst(1, always(ScriptedServer::http(503, "", "Retry-After: " + date + "\r\n"))));
        Ended ended;
        ask(server, ended);
        QVERIFY(ended.replies.isGood());
        QCOMPARE(ended.pauses_ms.size(), std::size_t(1));
        QVERIFY(ended.pauses_ms[0] > 85'000 && ended.pauses_ms[0] <= 90'000);
    }

    void closedSockets()
    {
        ScriptedServer server(atFirst(0, {}));
        int closed = 0;
        server.script = [&](QTcpSocket& socket, const auto&) {
            // Qt itself sends a request again on a connection that was closed before any answer.
            if (++closed <= 20)
                socket.abort();
            else
                socket.write(ScriptedServer::stream({"good"}));
        };
        Ended ended;
        ask(server, ended, [](EndpointSettings& settings) { settings.patience.retries = 20; });
        QVERIFY(ended.replies.isGood());
        QVERIFY(!ended.pauses_ms.empty());
    }

    void givesUp_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("requests");
        QTest::addColumn<QByteArrayList>("says");
        const auto row = [](const char* name, const QByteArray& answer, ErrorCode code, int requests,
                            const QByteArrayList& says) {
            QTest::newRow(name) << answer << int(code) << requests << says;
        };
        using S = ScriptedServer;
        row("429 for ever", S::http(429, errorBody("slow down")), ErrorCode::Unavailable, 4,
            {"too many requests (429): slow down (after 4 attempts)", "--parallel"});
        row("429 for an hour", S::http(429, "", "Retry-After: 3600\r\n"), ErrorCode::Unavailable, 1,
            {"left alone for 1 h 00 min"});
        row("429 without money", S::http(429, errorBody("pay", "insufficient_quota")), ErrorCode::Unavailable, 1,
            {"used up (429): pay"});
        row("402", S::http(402, errorBody("pay")), ErrorCode::Unavailable, 1, {"used up (402): pay"});
        row("401", S::http(401, errorBody("Incorrect key sk-very****6789")), ErrorCode::InvalidArgument, 1,
            {"does not accept the key (401)", "variable TINY_KEY"});
        row("403", S::http(403, errorBody("no")), ErrorCode::InvalidArgument, 1,
            {"does not accept the key (403)", "TINY_KEY"});
        row("404", S::http(404, errorBody("The model does not exist")), ErrorCode::NotFound, 1,
            {"no model tiny-model, or nothing at this URL (404): The model does not exist", "/v1"});
        row("400", S::http(400, errorBody("temperature is too high")), ErrorCode::InvalidArgument, 1,
            {"refuses the request (400): temperature is too high", "sampling"});
        row("400 with the key", S::http(400, errorBody("I got Bearer " + key.toStdString() + " and no text")),
            ErrorCode::InvalidArgument, 1, {"I got Bearer [key] and no text"});
        row("400 without end", S::http(400, errorBody(std::string(5000, 'x'))), ErrorCode::InvalidArgument, 1,
            {"xxx…"});
        row("422 of FastAPI", S::http(422, R"({"detail": [{"loc": ["body"], "msg": "Field required"}]})"),
            ErrorCode::InvalidArgument, 1, {"(422): Field required"});
        row("301", S::http(301, "", "Location: http://example.org/v1\r\n"), ErrorCode::InvalidArgument, 1,
            {"another URL (301): http://example.org/v1"});
        row("501", S::http(501, ""), ErrorCode::Unavailable, 1, {"has failed (501)"});
        row("broken JSON", S::http(200, "{\"choices\": [{]}"), ErrorCode::ProcessFailed, 1,
            {"broken JSON: {\"choices\": [{]}", "/v1"});
        row("broken JSON in a stream", S::streamHead() + S::delta("a") + S::chunk("data: {\"choices\": oops}\n\n"),
            ErrorCode::ProcessFailed, 1, {"broken JSON: {\"choices\": oops}"});
        row("no choices", S::http(200, "{\"choices\": []}"), ErrorCode::ProcessFailed, 1, {"no choices"});
        row("no choices in a stream", S::streamHead() + S::chunk("data: [DONE]\n\n") + "0\r\n\r\n",
            ErrorCode::ProcessFailed, 1, {"no choices"});
        row("HTML", S::http(200, "<html>Welcome</html>", "Content-Type: text/html\r\n"), ErrorCode::ProcessFailed, 1,
            {"no JSON: <html>Welcome", "OpenAI-compatible"});
        row("text that begins like an event", S::http(200, "internal error", "Content-Type: text/plain\r\n"),
            ErrorCode::ProcessFailed, 1, {"no JSON: internal error"});
        row("error of status 200", S::http(200, errorBody("no such adapter")), ErrorCode::ProcessFailed, 1,
            {"no such adapter"});
        row("half a stream for ever", S::streamHead() + S::delta("half ") + "0\r\n\r\n", ErrorCode::ProcessFailed, 4,
            {"broke off in the middle of a reply (after 4 attempts)"});
    }
    void givesUp()
    {
        QFETCH(QByteArray, answer);
        QFETCH(int, code);
        QFETCH(int, requests);
        QFETCH(QByteArrayList, says);
        ScriptedServer server(always(answer));
        Ended ended;
        ask(server, ended, [](EndpointSettings& settings) { settings.patience.retries = 3; });
        QVERIFY(!ended.replies.isGood());
        const base::Error& error = ended.replies.bad();
        QCOMPARE(int(error.code), code);
        QCOMPARE(server.requests.size(), std::size_t(requests));
        for (const QByteArray& text : says)
            QVERIFY2(QByteArray::fromStdString(error.text()).contains(text), error.text().c_str());
        QVERIFY(error.text().size() < 900);
        QVERIFY(error.text().find("sk-very") == std::string::npos);
        QCOMPARE(ended.totals.replies, 0);
    }

    void wantsTheNewNameOfTheLimit()
    {
        ScriptedServer server(atFirst(
            1, always(ScriptedServer::http(400, errorBody("use another", "unsupported_parameter", "max_tokens")))));
        Ended ended;
        ask(server, ended, [](EndpointSettings& settings) { settings.sampling.maxTokens = 9; });
        QVERIFY(ended.replies.isGood());
        QCOMPARE(server.requests.at(0).body["max_tokens"].get<int>(), 9);
        QCOMPARE(server.requests.at(1).body["max_completion_tokens"].get<int>(), 9);
        QVERIFY(!server.requests[1].body.contains("max_tokens"));
    }

    /// Requests that were on their way when the first was refused are sent anew as well.
    void knowsNoOptionsOfStreams()
    {
        using S = ScriptedServer;
        const QByteArray refusal = S::http(
            422, R"({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "No"}]})");
        ScriptedServer server([&](QTcpSocket& socket, const S::Request& request) {
            socket.write(request.body.contains("stream_options") ? refusal : S::stream({"good"}));
        });
        EndpointSettings settings = settingsOf(server);
        settings.parallel = 3;
        Endpoint endpoint(settings);
        Replies replies;
        const auto asked = endpoint.ask(question(3), replies.listener());
        QVERIFY(allTold(replies, 3));
        for (int reply = 0; reply < 3; ++reply)
            QVERIFY2(replies.isGood(reply), replies.isGood(reply) ? "" : replies.bad(reply).text().c_str());
        QCOMPARE(server.requests.size(), std::size_t(6));
        QVERIFY(server.requests[0].body.contains("stream_options"));
        QVERIFY(!server.requests[5].body.contains("stream_options"));
        QCOMPARE(endpoint.ledger().totals().replies, 3);
    }

    void refusedByContent()
    {
        ScriptedServer server(always(ScriptedServer::stream({"I wi"}, "content_filter")));
        Ended ended;
        ask(server, ended);
        QVERIFY(ended.replies.isGood());
        QVERIFY(ended.replies.good().end == policy::ChatReply::End::Refused);
    }

    void hangs_data()
    {
        QTest::addColumn<QByteArray>("begin");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("before headers") << QByteArray() << QByteArray("sent nothing for 100 ms");
        QTest::newRow("in mid-stream") << ScriptedServer::streamHead() + ScriptedServer::delta("half ")
                                       << QByteArray("sent nothing for 100 ms");
    }
    void hangs()
    {
        QFETCH(QByteArray, begin);
        QFETCH(QByteArray, says);
        ScriptedServer server(always(begin));
        Ended ended;
        ask(server, ended, [](EndpointSettings& settings) { settings.patience.silence_s = 0.1; });
        QVERIFY(ended.replies.bad().code == ErrorCode::TimedOut);
        QVERIFY2(QByteArray::fromStdString(ended.replies.bad().text()).contains(says),
                 ended.replies.bad().text().c_str());
        QCOMPARE(server.requests.size(), std::size_t(2)); // a silent server is asked once more
        QVERIFY(tests::waitUntil([&] { return server.clientGone == 2; }));
    }

    void drips()
    {
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::streamHead());
            auto* timer = new QTimer(&socket);
            QObject::connect(timer, &QTimer::timeout, &socket, [&socket] { socket.write(ScriptedServer::chunk(":")); });
            timer->start(20);
        });
        Ended ended;
        ask(server, ended, [](EndpointSettings& settings) {
            settings.patience.silence_s = 5;
            settings.patience.reply_s = 0.3;
        });
        QVERIFY(ended.replies.bad().code == ErrorCode::TimedOut);
        QVERIFY(ended.replies.bad().message.find("not done within 300 ms") != std::string::npos);
        QCOMPARE(server.requests.size(), std::size_t(1));
    }

    void doesNotWaitForTheEndOfAConnection()
    {
        ScriptedServer server(
            always(ScriptedServer::stream({"good"}).chopped(5))); // [DONE] came, the last chunk did not
        Ended ended;
        ask(server, ended);
        QVERIFY(ended.replies.isGood());
        QCOMPARE(ended.replies.good().text, std::string("good"));
    }

    void tooLong()
    {
        QCOMPARE(models::Patience().longestAnswer_bytes, 64 << 20);
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::streamHead());
            static const QByteArray piece = ScriptedServer::delta(std::string(1 << 16, 'x'));
            socket.write(piece);
            QObject::connect(&socket, &QTcpSocket::bytesWritten, &socket, [&socket] {
                if (socket.bytesToWrite() == 0)
                    socket.write(piece);
            });
        });
        Ended ended;
        ask(server, ended, [](EndpointSettings& settings) { settings.patience.longestAnswer_bytes = 2 << 20; });
        QVERIFY(ended.replies.bad().code == ErrorCode::ProcessFailed);
        QVERIFY(ended.replies.bad().message.find("longer than 2.00 MiB") != std::string::npos);
        QCOMPARE(server.requests.size(), std::size_t(1));
    }

    void nobodyThere()
    {
        Ended ended;
        ScriptedServer server({});
        ask(server, ended, [](EndpointSettings& settings) { settings.url = "http://127.0.0.1:1/v1"; });
        QVERIFY(ended.replies.bad().code == ErrorCode::Unavailable);
        QVERIFY(ended.replies.bad().message.find("refused (after 6 attempts)") != std::string::npos);
        QCOMPARE(ended.pauses_ms, (std::vector<std::int64_t>{1000, 2000, 4000, 8000, 16'000}));
    }

    void nobodyTakesTheConnection()
    {
        // A queue of connections that is full: further ones get no answer at all.
        const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        QVERIFY(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(listener, 0) == 0);
        QVERIFY(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        std::vector<int> waiting;
        for (int i = 0; i < 4; ++i) {
            waiting.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
            ::connect(waiting.back(), reinterpret_cast<sockaddr*>(&address), size);
        }
        Ended ended;
        ScriptedServer server({});
        ask(server, ended, [&](EndpointSettings& settings) {
            settings.url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
            settings.patience.connect_s = 0.2;
            settings.patience.retries = 1;
        });
        QVERIFY(ended.replies.bad().code == ErrorCode::TimedOut);
        QVERIFY2(ended.replies.bad().message.find("took no request within 200 ms") != std::string::npos,
                 ended.replies.bad().text().c_str());
        for (const int one : waiting)
            ::close(one);
        ::close(listener);
    }

    void noKey()
    {
        ScriptedServer server(always(ScriptedServer::stream({"good"})));
        Ended ended;
        ask(server, ended, [](EndpointSettings& settings) { settings.keyVariable = "TINY_KEY_THAT_IS_NOT"; });
        QVERIFY(ended.replies.bad().code == ErrorCode::NotFound);
        QVERIFY(ended.replies.bad().message.find("TINY_KEY_THAT_IS_NOT") != std::string::npos);
        QVERIFY(server.requests.empty());
    }
};

QTEST_GUILESS_MAIN(TestEndpointFailures)
#include "tst_endpointfailures.moc"
