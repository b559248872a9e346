// SPDX-License-Identifier: GPL-3.0-or-later
// Endpoints that get what they ask for: streams, whole answers, parallel requests, limits, taking back.
#include "tests/models/endpointfixture.h"

#include <QTest>

#include <utility>

using namespace cudal1;
using models::Endpoint;
using models::EndpointSettings;
using policy::ChatReply;
using tests::allTold;
using tests::question;
using tests::Replies;
using tests::ScriptedServer;
using tests::SeenPauses;
using tests::settingsOf;

class TestEndpoint : public QObject {
    Q_OBJECT
private slots:
    void streams()
    {
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::stream({"def ", "f", "():"}));
        });
        EndpointSettings settings = settingsOf(server);
        settings.price = {2.0, 8.0, "EUR"};
        settings.sampling.temperature = 0.5;
        settings.sampling.maxTokens = 100;
        settings.sampling.seed = 7;
        Endpoint endpoint(settings);
        QCOMPARE(endpoint.name(), std::string("endpoint: tiny"));
        Replies replies;
        policy::ChatRequest request = question();
        request.settings.temperature = 0.25;
        request.settings.stop = {"END"};
        const auto asked = endpoint.ask(request, replies.listener());
        QVERIFY(replies.told.empty());
        QVERIFY(allTold(replies, 1));
        QVERIFY(replies.isGood());
        const ChatReply& reply = replies.good();
        QCOMPARE(reply.text, std::string("def f():"));
        QCOMPARE(replies.partial[0], reply.text);
        QVERIFY(reply.end == ChatReply::End::Stop);
        QCOMPARE(reply.model, std::string("tiny-1"));
        QCOMPARE(*reply.usage.promptTokens, 10);
        QCOMPARE(*reply.usage.replyTokens, 4);
        QCOMPARE(*reply.usage.cost, (10 * 2.0 + 4 * 8.0) / 1e6);
        QCOMPARE(reply.usage.costUnit, std::string("EUR"));
        const auto& sent = server.requests.at(0);
        QVERIFY(sent.head.startsWith("POST /v1/chat/completions HTTP/1.1"));
        QVERIFY(sent.header("Authorization").isEmpty());
        QCOMPARE(sent.body.dump(), nlohmann::json::parse(R"({"model": "tiny-model", "stream": true,
            "stream_options": {"include_usage": true}, "temperature": 0.25, "max_tokens": 100, "seed": 7, "stop": ["END"],
            "messages": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Write a kernel."}]})")
                                       .dump());
        const auto totals = endpoint.ledger().totals();
        QCOMPARE(totals.requests, 1);
        QCOMPARE(totals.replies, 1);
        QCOMPARE(totals.promptTokens + totals.replyTokens, 14);
        QCOMPARE(totals.guessedTokens, 0);
        QCOMPARE(totals.cost.at("EUR"), *reply.usage.cost);
    }

    void sendsTheKey()
    {
        qputenv("TINY_KEY", "sk-0123456789abcdef\n");
        ScriptedServer server([](QTcpSocket& socket, const auto&) { socket.write(ScriptedServer::stream({"x"})); });
        EndpointSettings settings = settingsOf(server);
        settings.keyVariable = "TINY_KEY";
        Endpoint endpoint(settings);
        Replies replies;
        const auto asked = endpoint.ask(question(), replies.listener());
        QVERIFY(allTold(replies, 1));
        QVERIFY(replies.isGood());
        QCOMPARE(server.requests.at(0).header("Authorization"), QByteArray("Bearer sk-0123456789abcdef"));
        qunsetenv("TINY_KEY");
    }

    void takesWholeAnswers()
    {
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::http(200, ScriptedServer::object("whole", "length")));
        });
        Endpoint endpoint(settingsOf(server));
        Replies replies;
        const auto asked = endpoint.ask(question(), replies.listener());
        QVERIFY(allTold(replies, 1));
        QVERIFY(replies.isGood());
        QCOMPARE(replies.good().text, std::string("whole"));
        QCOMPARE(replies.partial[0], std::string("whole"));
        QVERIFY(replies.good().end == ChatReply::End::Length);
    }

    void unpacksGzip()
    {
        // gzip of {"choices":[{"message":{"content":"packed"},"finish_reason":"stop"}]}
        static const QByteArray packed = QByteArray::fromBase64(
            "H4sIAAAAAAAC/w3JQQqAMAwEwL/s2Rf0KyJS4mqLmBSTW+jfda6TkGZd6Chr4qF7vYiSENOgBgpGlZsH5oKza/"
            "e2v6xu+o+HDcxtfn8uFAdFAAAA");
        ScriptedServer server([](QTcpSocket& socket, const auto& request) {
            QVERIFY(request.header("Accept-Encoding").contains("gzip"));
            socket.write(ScriptedServer::http(200, packed, "Content-Encoding: gzip\r\n"));
        });
        Endpoint endpoint(settingsOf(server));
        Replies replies;
        const auto asked = endpoint.ask(question(), replies.listener());
        QVERIFY(allTold(replies, 1));
        QVERIFY2(replies.isGood(), replies.isGood() ? "" : replies.bad().text().c_str());
        QCOMPARE(replies.good().text, std::string("packed"));
    }

    void givesLogProbabilitiesWhenAsked()
    {
        ScriptedServer server([](QTcpSocket& socket, const auto& request) {
            QCOMPARE(request.body.value("logprobs", false), true);
            socket.write(ScriptedServer::streamHead() +
                         ScriptedServer::event(
                             {{"choices",
                               {{{"delta", {{"content", "ab"}}},
                                 {"logprobs", {{"content", {{{"logprob", -0.5}}, {{"logprob", -1.25}}}}}}}}}}) +
                         ScriptedServer::streamEnd());
        });
        Endpoint endpoint(settingsOf(server));
        Replies replies;
        policy::ChatRequest request = question();
        request.logProbabilities = true;
        const auto asked = endpoint.ask(request, replies.listener());
        QVERIFY(allTold(replies, 1));
        QCOMPARE(replies.good().logProbabilities, (std::vector<float>{-0.5F, -1.25F}));
    }

    void tenThousandRequestsThroughEight()
    {
        // Some are refused, some broken off.
        std::map<std::uint64_t, int> attempts;
        std::vector<std::function<void()>> held; // answers, until eight requests are open for the first time
        ScriptedServer server({});
        server.script = [&](QTcpSocket& socket, const ScriptedServer::Request& request) {
            const auto seed = request.body["seed"].get<std::uint64_t>();
            const bool first = attempts[seed]++ == 0;
            held.push_back([&server, &socket, seed, first] {
                server.answered();
                if (first && seed % 501 == 0) {
                    socket.write(ScriptedServer::http(429, "{}", "Retry-After: 3\r\n"));
                } else if (first && seed % 1009 == 0) {
                    socket.write(ScriptedServer::streamHead() + ScriptedServer::delta("half of "));
                    socket.disconnectFromHost();
                } else {
                    socket.write(ScriptedServer::http(200, ScriptedServer::object("reply " + std::to_string(seed))));
                }
            });
            if (request.number < 7)
                return;
            for (const auto& answer : std::exchange(held, {}))
                answer();
        };
        EndpointSettings settings = settingsOf(server);
        settings.parallel = 8;
        SeenPauses pauses;
        Endpoint endpoint(settings, nullptr, pauses.clock());
        constexpr int questions = 100, each = 100;
        std::vector<Replies> replies(questions);
        std::vector<std::unique_ptr<policy::Question>> asked;
        for (int i = 0; i < questions; ++i) {
            policy::ChatRequest request = question(each);
            request.settings.seed = std::uint64_t(i * each);
            asked.push_back(endpoint.ask(request, replies[std::size_t(i)].listener()));
        }
        const auto done = [&] {
            return std::all_of(replies.begin(), replies.end(),
                               [](const Replies& one) { return one.told.size() == each; });
        };
        QVERIFY(tests::waitUntil(done, 8 * tests::deadline_ms));
        QCoreApplication::processEvents();
        for (int i = 0; i < questions; ++i)
            for (int reply = 0; reply < each; ++reply) {
                const Replies& one = replies[std::size_t(i)];
                QCOMPARE(one.told.at(reply), 1);
                QVERIFY2(one.isGood(reply), one.isGood(reply) ? "" : one.bad(reply).text().c_str());
                QCOMPARE(one.good(reply).text, "reply " + std::to_string(i * each + reply));
                QCOMPARE(one.partial.at(reply), one.good(reply).text);
            }
        QCOMPARE(server.most, 8);
        // 0, 501, …, 9519 and 1009, 2018, …, 9081; 0 is among the first.
        QCOMPARE(pauses.pauses_ms.size(), std::size_t(20 + 9));
        QCOMPARE(std::count(pauses.pauses_ms.begin(), pauses.pauses_ms.end(), 3000), 20);
        QCOMPARE(server.requests.size(), std::size_t(10'000 + 20 + 9));
        QCOMPARE(endpoint.ledger().totals().replies, 10'000);
        QCOMPARE(endpoint.ledger().totals().repeated, 29);
    }

    void takingBackClosesConnections()
    {
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::streamHead() + ScriptedServer::delta("a"));
        });
        EndpointSettings settings = settingsOf(server);
        settings.parallel = 2;
        Endpoint endpoint(settings);
        Replies back, stays;
        auto first = endpoint.ask(question(5), back.listener());
        QVERIFY(tests::waitUntil([&] { return back.partial.size() == 2; }));
        QCOMPARE(server.requests.size(), std::size_t(2));
        const auto second = endpoint.ask(question(), stays.listener());
        server.script = [](QTcpSocket& socket, const auto&) { socket.write(ScriptedServer::stream({"b"})); };
        first.reset();
        QVERIFY(tests::waitUntil([&] { return server.clientGone == 2; }));
        QVERIFY(allTold(stays, 1));
        QVERIFY(stays.isGood());
        QVERIFY(back.told.empty());
        QCOMPARE(server.requests.size(), std::size_t(3));
    }

    void listenersMayLetGo_data()
    {
        QTest::addColumn<bool>("inPartial");
        QTest::addColumn<bool>("ofTheEndpoint");
        for (const bool inPartial : {false, true})
            for (const bool endpoint : {false, true})
                QTest::addRow("%s in %s", endpoint ? "endpoint" : "question", inPartial ? "partial" : "replied")
                    << inPartial << endpoint;
    }
    void listenersMayLetGo()
    {
        QFETCH(bool, inPartial);
        QFETCH(bool, ofTheEndpoint);
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::stream({"a", "b"}));
        });
        auto endpoint = std::make_unique<Endpoint>(settingsOf(server));
        std::unique_ptr<policy::Question> asked;
        int partials = 0, replied = 0;
        const auto letGo = [&] {
            if (ofTheEndpoint)
                endpoint.reset();
            else
                asked.reset();
        };
        policy::ChatListener listener;
        listener.partial = [&](int, const std::string&) {
            ++partials;
            if (inPartial)
                letGo();
        };
        listener.replied = [&](int, base::Result<ChatReply>) {
            ++replied;
            letGo();
        };
        asked = endpoint->ask(question(3), listener);
        QVERIFY(tests::waitUntil([&] { return !(ofTheEndpoint ? endpoint != nullptr : asked != nullptr); }));
        QTest::qWait(50); // for what must not come
        QCOMPARE(replied, inPartial ? 0 : 1);
        QVERIFY(!inPartial || partials == 1);
    }

    void limits_data()
    {
        QTest::addColumn<QByteArray>("what");
        QTest::newRow("tokens") << QByteArray("tokens");
        QTest::newRow("money") << QByteArray("money");
        QTest::newRow("tokens that nobody tells") << QByteArray("untold");
        QTest::newRow("of the run") << QByteArray("run");
    }
    void limits()
    {
        QFETCH(QByteArray, what);
        ScriptedServer server([&](QTcpSocket& socket, const auto&) {
            // Without usage a reply of 30 bytes and a prompt of 24 are guessed as 10 + 8 tokens.
            socket.write(
                ScriptedServer::http(200, ScriptedServer::object(std::string(30, 'x'), "stop", what != "untold")));
        });
        EndpointSettings settings = settingsOf(server);
        settings.parallel = 1;
        settings.price = {100.0, 1000.0, "USD"}; // 0.005 a reply
        models::RunLimits runLimits;
        if (what == "money")
            settings.limits.cost = 0.0075;
        else if (what == "tokens")
            settings.limits.tokens = 15;
        else if (what == "untold")
            settings.limits.tokens = 19;
        else
            runLimits.tokens = 15;
        Endpoint endpoint(settings, std::make_shared<models::Ledger>(runLimits));
        Replies replies;
        const auto asked = endpoint.ask(question(4), replies.listener());
        QVERIFY(allTold(replies, 4));
        QVERIFY(replies.isGood(0) && replies.isGood(1));
        for (const int reply : {2, 3}) {
            QVERIFY(!replies.isGood(reply));
            QVERIFY(replies.bad(reply).code == base::ErrorCode::LimitReached);
            QVERIFY(replies.bad(reply).message.find(what == "money" ? "money, 0.0075 USD" : "tokens, 1") !=
                    std::string::npos);
        }
        QCOMPARE(server.requests.size(), std::size_t(2));
        QCOMPARE(endpoint.ledger().totals().guessedTokens, what == "untold" ? 36 : 0);
    }

    void limitOfTimeEndsWhatIsOnItsWay()
    {
        ScriptedServer server([](QTcpSocket& socket, const auto&) {
            socket.write(ScriptedServer::streamHead() + ScriptedServer::delta("a"));
        });
        EndpointSettings settings = settingsOf(server);
        settings.parallel = 1;
        settings.limits.seconds = 1.0;
        Endpoint endpoint(settings);
        Replies replies;
        const auto asked = endpoint.ask(question(2), replies.listener());
        QVERIFY(allTold(replies, 2));
        for (const int reply : {0, 1}) {
            QVERIFY(replies.bad(reply).code == base::ErrorCode::LimitReached);
            QVERIFY(replies.bad(reply).message.find("time, 1.0 s") != std::string::npos);
        }
        QCOMPARE(server.requests.size(), std::size_t(1));
        QVERIFY(tests::waitUntil([&] { return server.clientGone == 1; }));
    }
};

QTEST_GUILESS_MAIN(TestEndpoint)
#include "tst_endpoint.moc"
