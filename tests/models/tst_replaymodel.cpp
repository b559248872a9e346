// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded replies, and the texts that models are named by.
#include "core/models/replaymodel.h"

#include "core/models/endpoint.h"
#include "core/models/makechatmodel.h"
#include "tests/models/endpointfixture.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using base::ErrorCode;
using models::makeChatModel;
using models::ReplayModel;
using tests::allTold;
using tests::Replies;

namespace {

policy::ChatRequest about(const std::string& what, int replies = 1)
{
    policy::ChatRequest out;
    out.messages = {{"user", what}};
    out.replies = replies;
    return out;
}

policy::ChatReply reply(const std::string& text)
{
    policy::ChatReply out;
    out.text = text;
    return out;
}

} // namespace

class TestReplayModel : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::filesystem::path put(const QByteArray& text)
    {
        QFile file(m_folder.filePath("replies.jsonl"));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write");
        return file.fileName().toStdString();
    }

private slots:
    void givesThemInOrder()
    {
        ReplayModel model("replay: test");
        const std::string prompt = policy::messagesText({{"user", "a"}});
        for (const char* text : {"1", "2", "3"})
            model.record(prompt, "", reply(text));
        model.record(policy::messagesText({{"user", "b"}}), "", reply("other"));
        Replies first, second, other;
        const auto one = model.ask(about("a", 2), first.listener());
        const auto two = model.ask(about("a", 2), second.listener());
        const auto three = model.ask(about("b"), other.listener());
        QVERIFY(first.told.empty());
        QVERIFY(allTold(first, 2) && allTold(second, 2) && allTold(other, 1));
        QCOMPARE(first.good(0).text, std::string("1"));
        QCOMPARE(first.good(1).text, std::string("2"));
        QCOMPARE(first.partial[1], std::string("2"));
        QCOMPARE(second.good(0).text, std::string("3"));
        QVERIFY(second.bad(1).code == ErrorCode::NotFound);
        QVERIFY(second.bad(1).message.find("have been given") != std::string::npos);
        QCOMPARE(other.good().text, std::string("other"));
        QCOMPARE(model.left(), std::size_t(0));
    }

    void findsBySettings()
    {
        ReplayModel model("replay: test");
        const std::string prompt = policy::messagesText({{"user", "a"}});
        model.record(prompt, R"({"temperature": 0.5, "max_tokens": 9})", reply("warm"));
        policy::ChatRequest request = about("a");
        Replies cold, warm;
        const auto one = model.ask(request, cold.listener());
        QVERIFY(allTold(cold, 1));
        QVERIFY(cold.bad().message.find("other settings") != std::string::npos);
        request.settings.temperature = 0.5;
        request.settings.maxTokens = 9;
        const auto two = model.ask(request, warm.listener());
        QVERIFY(allTold(warm, 1));
        QCOMPARE(warm.good().text, std::string("warm"));
    }

    void nothingRecorded()
    {
        ReplayModel model("replay: test");
        Replies replies;
        const auto asked = model.ask(about("what is this"), replies.listener());
        QVERIFY(allTold(replies, 1));
        QVERIFY(replies.bad().code == ErrorCode::NotFound);
        QVERIFY(replies.bad().text().find("what is this") != std::string::npos);
    }

    void saysHowThePromptDiffers()
    {
        // The second has more in common with the question, and was recorded with an older wording of its third line.
        ReplayModel model("replay: test");
        for (const char* task : {"1/2", "1/1"})
            model.record(policy::messagesText(
                             {{"user", std::string("Make it fast\nTask: ") + task + "\nAll 1 are correct\nEnd"}}),
                         "", reply("1"));
        Replies replies;
        const auto asked = model.ask(about("Make it fast\nTask: 1/1\nAll of them are correct\nEnd"),
                                     replies.listener());
        QVERIFY(allTold(replies, 1));
        const std::string text = replies.bad().text();
        QVERIFY2(text.find("has \"All 1 are correct\" where this one has \"All of them are correct\"") !=
                         std::string::npos &&
                     text.find("the wording of prompts") != std::string::npos,
                 text.c_str());
    }

    void takesBack()
    {
        ReplayModel model("replay: test", [](const auto& messages) { return messages.at(0).content; });
        model.record("a", "", reply("1"));
        model.record("a", "", reply("2"));
        Replies replies;
        auto asked = model.ask(about("a"), replies.listener());
        asked.reset();
        QTest::qWait(20); // for what must not come
        QVERIFY(replies.told.empty());
        // A listener may let go within the call.
        policy::ChatListener listener;
        int told = 0;
        listener.partial = [&](int, const std::string&) { asked.reset(); };
        listener.replied = [&](int, base::Result<policy::ChatReply>) { ++told; };
        asked = model.ask(about("a"), listener);
        QVERIFY(tests::waitUntil([&] { return !asked; }));
        QTest::qWait(20);
        QCOMPARE(told, 0);
    }

    void readsFiles()
    {
        const auto path = put(
            R"({"prompt": "<|user|>\na\n", "reply": "1", "end": "length", "model": "m", "prompt_tokens": 3, "reply_tokens": 4}

{"prompt": "<|user|>\na\n", "settings": {"temperature": 1.0}, "reply": "2"}
)");
        const auto model = makeChatModel("replay:" + path.string());
        QVERIFY2(model.ok(), model ? "" : model.error().text().c_str());
        QCOMPARE((*model)->name(), std::string("replay: replies.jsonl"));
        Replies replies;
        const auto asked = (*model)->ask(about("a"), replies.listener());
        QVERIFY(allTold(replies, 1));
        QCOMPARE(replies.good().text, std::string("1"));
        QVERIFY(replies.good().end == policy::ChatReply::End::Length);
        QCOMPARE(*replies.good().usage.replyTokens, 4);
        for (const char* wrong : {"x", "{\"prompt\": 1}", "{\"prompt\": \"a\", \"reply\": \"b\", \"end\": \"oops\"}"}) {
            const auto bad = ReplayModel::read(put(QByteArray("\n") + wrong));
            QVERIFY(!bad);
            QVERIFY(bad.error().text().find("replies.jsonl:2") != std::string::npos);
        }
        QVERIFY(ReplayModel::read("/nowhere/x.jsonl").error().code == ErrorCode::NotFound);
    }

    void makesModelsByName()
    {
        models::ModelSources sources;
        sources.registry = models::ModelRegistry(m_folder.filePath("models.json").toStdString());
        models::EndpointSettings settings;
        settings.name = "qwen3";
        settings.url = "http://localhost:1";
        settings.model = "m";
        QVERIFY(sources.registry.add(settings));
        const auto endpoint = makeChatModel("endpoint:qwen3", sources);
        QVERIFY(endpoint);
        QCOMPARE((*endpoint)->name(), std::string("endpoint: qwen3"));
        QVERIFY(makeChatModel("endpoint:other", sources).error().code == ErrorCode::NotFound);
        QVERIFY(!makeChatModel("local:smollm2", sources));
        // What a model was made for one task of a run counts for the next one.
        QVERIFY(sources.registry.add([&] {
            models::EndpointSettings limited = settings;
            limited.name = "limited";
            limited.limits.tokens = 10;
            return limited;
        }()));
        sources.run = std::make_shared<models::RunLedgers>();
        QVERIFY(makeChatModel("endpoint:limited", sources));
        sources.run->of("endpoint:limited", {})->answered({10, 1, {}, {}}, {}, 0, 0, true);
        QVERIFY(!sources.run->of("endpoint:limited", {})->mayAsk());
        for (const char* wrong : {"", "qwen3", "endpoint:", "endpont:qwen3", ":x"})
            QVERIFY(makeChatModel(wrong, sources).error().code == ErrorCode::InvalidArgument);
    }
};

QTEST_GUILESS_MAIN(TestReplayModel)
#include "tst_replaymodel.moc"
