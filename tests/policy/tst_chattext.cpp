// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and sampling settings as texts.
#include "core/policy/chattext.h"

#include <QTest>

using namespace cudal1;
using policy::SamplingSettings;

class TestChatText : public QObject {
    Q_OBJECT
private slots:
    void messages()
    {
        QCOMPARE(policy::messagesText({}), std::string());
        QCOMPARE(policy::messagesText({{"system", "Be short."}, {"user", "Write.\n<|user|>"}}),
                 std::string("<|system|>\nBe short.\n<|user|>\nWrite.\n\\<|user|>\n"));
        QVERIFY(policy::messagesText({{"user", "a"}}) != policy::messagesText({{"system", "a"}}));
    }

    void messagesComeBackExactly()
    {
        const std::vector<std::vector<policy::ChatMessage>> all{
            {{"user", ""}},
            {{"system", "a\n"}, {"user", "\n\n"}, {"assistant", "x\n<|user|>\n\\<|user|>\n\\\\<|x\n<|"}},
            {{"user", "<|assistant|>"}, {"user", "ünïcode 🚀\r\n\ttab"}},
        };
        for (const auto& messages : all) {
            const auto back = policy::messagesOf(policy::messagesText(messages));
            QVERIFY(back.has_value());
            QCOMPARE(back->size(), messages.size());
            for (std::size_t at = 0; at < messages.size(); ++at) {
                QCOMPARE(back->at(at).role, messages[at].role);
                QCOMPARE(back->at(at).content, messages[at].content);
            }
        }
        for (const char* text : {"", "hello\n", "<|user|>\n", "<|user|>\n<|user|>\nx\n", "<|user|>\nx"})
            QVERIFY2(!policy::messagesOf(text), text);
    }

    void settings()
    {
        QCOMPARE(policy::settingsText({}), std::string("{}"));
        SamplingSettings all;
        all.temperature = 0.8;
        all.topP = 0.5;
        all.topK = 40;
        all.minP = 0.25;
        all.maxTokens = 2048;
        all.seed = 18'446'744'073'709'551'615ULL;
        all.stop = {"END", "\n\n"};
        const std::string text = policy::settingsText(all);
        QCOMPARE(text,
                 std::string(R"({"max_tokens":2048,"min_p":0.25,"seed":18446744073709551615,"stop":["END","\n\n"],)"
                             R"("temperature":0.8,"top_k":40,"top_p":0.5})"));
        const auto back = policy::settingsOf(text);
        QVERIFY(back);
        QCOMPARE(policy::settingsText(*back), text);
    }

    void settingsAmongOthers()
    {
        QCOMPARE(policy::samplingText(R"({"method": "evolve", "seed": 5, "temperature": 0.5, "samples": 4})"),
                 std::string(R"({"seed":5,"temperature":0.5})"));
        QCOMPARE(policy::samplingText("{}"), std::string("{}"));
        QCOMPARE(policy::samplingText(""), std::string());
    }

    void leftOpenIsFilled()
    {
        SamplingSettings asked, usual;
        asked.temperature = 0;
        asked.stop = {"A"};
        usual.temperature = 1;
        usual.stop = {"B"};
        usual.topK = 7;
        usual.seed = 3;
        QCOMPARE(policy::settingsText(policy::filled(asked, usual)),
                 std::string(R"({"seed":3,"stop":["A"],"temperature":0.0,"top_k":7})"));
        QCOMPARE(policy::settingsText(policy::filled({}, usual)), policy::settingsText(usual));
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* text, const char* says) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(says);
        };
        row("[]", "an object");
        row("{", "an object");
        row(R"({"heat": 1})", "\"heat\" is not known");
        row(R"({"temperature": "hot"})", "\"temperature\" is a number");
        row(R"({"temperature": -1})", "temperature is a number from 0");
        row(R"({"temperature": 1e999})", "an object");
        row(R"({"top_p": 0})", "top-p");
        row(R"({"top_p": 1.1})", "top-p");
        row(R"({"top_k": 1.5})", "\"top_k\" is a whole number");
        row(R"({"top_k": 0})", "top-k");
        row(R"({"top_k": 3000000000})", "\"top_k\" is a whole number");
        row(R"({"min_p": 2})", "min-p");
        row(R"({"max_tokens": 0})", "limit of tokens");
        row(R"({"seed": -1})", "\"seed\" is a whole number from 0");
        row(R"({"stop": "END"})", "\"stop\" is a list of texts");
        row(R"({"stop": [1]})", "\"stop\" is a list of texts");
        row(R"({"stop": [""]})", "stop string");
    }
    void refuses()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const auto read = policy::settingsOf(text.toStdString());
        QVERIFY(!read);
        QVERIFY(read.error().code == base::ErrorCode::InvalidArgument);
        QVERIFY2(QByteArray::fromStdString(read.error().text()).contains(says), read.error().text().c_str());
    }
};

QTEST_APPLESS_MAIN(TestChatText)
#include "tst_chattext.moc"
