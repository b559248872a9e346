// SPDX-License-Identifier: GPL-3.0-or-later
// The client of `cudal1-model` against a scripted one: replies, many at a time, taking back, every way to fail.
#include "core/models/localmodel.h"

#include "core/models/makechatmodel.h"
#include "core/models/modeltrial.h"
#include "tests/models/endpointfixture.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using base::ErrorCode;
using models::Ledger;
using models::LocalModel;
using models::LocalSettings;
using nlohmann::json;
using tests::allTold;
using tests::Replies;
using tests::waitUntil;

namespace {

policy::ChatRequest about(const std::string& what, int replies = 1)
{
    policy::ChatRequest out;
    out.messages = {{"system", "Be short."}, {"user", what}};
    out.replies = replies;
    return out;
}

} // namespace

class TestLocalModel : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;
    LocalSettings m_settings;

    farm::Launcher scripted(json script = json::object()) const
    {
        script["log"] = m_folder->filePath("log").toStdString();
        return {QString(SCRIPTED_MODEL), QString::fromStdString(script.dump())};
    }
    std::unique_ptr<LocalModel> model(json script = json::object(), std::shared_ptr<Ledger> run = nullptr) const
    {
        return std::make_unique<LocalModel>(m_settings, std::move(run), scripted(std::move(script)));
    }
    /// Requests of this type that came to any of the processes.
    std::vector<json> logged(const std::string& type) const
    {
        std::vector<json> out;
        QFile file(m_folder->filePath("log"));
        if (!file.open(QIODevice::ReadOnly))
            return out;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (const json one = json::parse(line.toStdString(), nullptr, false);
                one.is_object() && one["type"] == type)
                out.push_back(one);
        return out;
    }

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings = {};
        m_settings.name = "tiny";
        m_settings.path = "/models/it's tiny";
    }

    void repliesOfAQuestionAreOneRequest()
    {
        m_settings.sampling.temperature = 0.5;
        m_settings.sampling.seed = 3;
        auto request = about("hello", 3);
        request.settings.seed = 7;
        request.settings.maxTokens = 1;
        request.logProbabilities = true;
        Replies replies;
        const auto local = model();
        QCOMPARE(local->name(), std::string("local: tiny"));
        const auto asked = local->ask(request, replies.listener());
        QVERIFY(replies.told.empty());
        QVERIFY(allTold(replies, 3));
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(replies.good(i).text, std::to_string(7 + i) + ":" + std::to_string(i) + ":hello");
            QCOMPARE(replies.partial[i], replies.good(i).text);
            QCOMPARE(replies.good(i).logProbabilities, (std::vector<float>{-0.5F, -1.5F}));
            QVERIFY(replies.good(i).end == policy::ChatReply::End::Length);
            QCOMPARE(replies.good(i).model, std::string("scripted.gguf"));
            QCOMPARE(replies.good(i).usage.costUnit, std::string("CPU s"));
            QVERIFY(*replies.good(i).usage.cost >= 0 && *replies.good(i).usage.cost < 30);
        }
        const auto sent = logged("generate");
        QCOMPARE(sent.size(), std::size_t(1));
        QVERIFY(sent[0]["replies"] == 3 && sent[0]["settings"]["temperature"] == 0.5 &&
                sent[0]["settings"]["seed"] == 7);
        QCOMPARE(sent[0]["messages"][0]["role"].get<std::string>(), std::string("system"));
        QCOMPARE(local->facts()->context, 8192);
        const auto totals = local->ledger().totals(); // the prompt was read once
        QVERIFY(totals.requests == 1 && totals.replies == 3 && totals.promptTokens == 30 && totals.replyTokens == 21);
        QVERIFY(totals.cost.contains("CPU s") && totals.guessedTokens == 0);
    }

    void manyQuestionsShareAProcess()
    {
        std::vector<Replies> replies(6);
        std::vector<std::unique_ptr<policy::Question>> asked;
        const auto one = model(), other = model();
        for (std::size_t i = 0; i < replies.size(); ++i)
            asked.push_back((i % 2 ? *one : *other).ask(about("q" + std::to_string(i), 2), replies[i].listener()));
        for (std::size_t i = 0; i < replies.size(); ++i) {
            QVERIFY(allTold(replies[i], 2));
            QCOMPARE(replies[i].good(1).text, "none:1:q" + std::to_string(i));
        }
        QCOMPARE(logged("hello").size(), std::size_t(1));
        QVERIFY(one->ledger().totals().replies == 6 && other->ledger().totals().replies == 6);
    }

    void takesBack()
    {
        const auto local = model();
        Replies hanging, other;
        auto asked = local->ask(about("hang", 2), hanging.listener());
        QVERIFY(waitUntil([&] { return hanging.pieces[0] == 1; }));
        const auto second = local->ask(about("go on"), other.listener());
        asked.reset();
        QVERIFY(allTold(other, 1) && other.isGood());
        QVERIFY(waitUntil([&] { return logged("cancel").size() == 1; }));
        QVERIFY(logged("cancel")[0]["id"] == logged("generate")[0]["id"] && hanging.told.empty());
        QCOMPARE(logged("hello").size(), std::size_t(1));
        QCOMPARE(local->ledger().totals().replies, 1);
    }

    void aListenerMayEndItAll()
    {
        auto local = model();
        std::unique_ptr<policy::Question> asked;
        int told = 0;
        policy::ChatListener listener;
        listener.partial = [&](int, const std::string&) {
            asked.reset();
            local.reset();
        };
        listener.replied = [&](int, base::Result<policy::ChatReply>) { ++told; };
        asked = local->ask(about("hello", 3), listener);
        QVERIFY(waitUntil([&] { return !local; }));
        QTest::qWait(20); // for what must not come
        QCOMPARE(told, 0);
    }

    void aProcessThatIsKilledIsStartedAgain()
    {
        const auto local = model();
        auto request = about("die", 3);
        request.settings.seed = 7;
        Replies replies;
        const auto asked = local->ask(request, replies.listener());
        QVERIFY(allTold(replies, 3));
        for (int i = 0; i < 3; ++i) {
            QVERIFY2(replies.isGood(i), replies.isGood(i) ? "" : replies.bad(i).text().c_str());
            QVERIFY(replies.good(i).text.starts_with(std::to_string(7 + i) + ":"));
            QCOMPARE(replies.partial[i], replies.good(i).text);
        }
        QVERIFY(replies.restarts[0] == 1 && replies.restarts[1] == 0 && replies.restarts[2] == 0);
        const auto sent = logged("generate"); // reply 1 had come, so the others are two requests
        QCOMPARE(sent.size(), std::size_t(3));
        QVERIFY(sent[1]["replies"] == 1 && sent[1]["settings"]["seed"] == 7 && sent[2]["settings"]["seed"] == 9);
        QCOMPARE(logged("hello").size(), std::size_t(2));
        QCOMPARE(local->ledger().totals().repeated, 2);
    }

    void aSecondDeathIsAnError()
    {
        const auto local = model();
        Replies replies, next;
        const auto asked = local->ask(about("die always", 3), replies.listener());
        QVERIFY(allTold(replies, 3));
        QVERIFY(replies.isGood(1) && !replies.isGood(0) && !replies.isGood(2));
        QVERIFY(replies.bad(0).code == ErrorCode::ProcessFailed);
        QVERIFY2(replies.bad(2).text().find("my last words") != std::string::npos, replies.bad(2).text().c_str());
        const auto again = local->ask(about("hello"), next.listener());
        QVERIFY(allTold(next, 1) && next.isGood());
    }

    void errorsOfOneRequest()
    {
        const auto local = model();
        Replies wrong, good;
        const auto one = local->ask(about("error", 2), wrong.listener());
        const auto two = local->ask(about("hello"), good.listener());
        QVERIFY(allTold(wrong, 2) && allTold(good, 1) && good.isGood());
        QVERIFY(wrong.bad(1).code == ErrorCode::InvalidArgument && wrong.bad(1).hint == "Shorten it");
        QCOMPARE(logged("hello").size(), std::size_t(1));
    }

    void wrongLines()
    {
        const auto local = model();
        for (const char* how : {"garbage", "stray"}) {
            Replies wrong, next;
            const auto one = local->ask(about(how, 2), wrong.listener());
            QVERIFY(allTold(wrong, 2));
            QVERIFY2(wrong.bad(0).code == ErrorCode::ProcessFailed &&
                         wrong.bad(0).message.find("a line that is no message") != std::string::npos,
                     wrong.bad(0).text().c_str());
            const auto two = local->ask(about("hello"), next.listener());
            QVERIFY(allTold(next, 1) && next.isGood());
        }
    }

    void whatCannotBeStarted_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("version") << QByteArray(R"({"protocol": 9})") << QByteArray("speaks version 9 of the protocol");
        QTest::newRow("damaged") << QByteArray(R"({"load": "error"})") << QByteArray("The file is damaged");
        QTest::newRow("exit") << QByteArray(R"({"load": "exit"})") << QByteArray("no such model");
        QTest::newRow("no model at all") << QByteArray(R"({"noise": 200, "load": "hang"})")
                                         << QByteArray("no greeting");
        QTest::newRow("no program") << QByteArray() << QByteArray("could not be started");
    }
    void whatCannotBeStarted()
    {
        QFETCH(QByteArray, script);
        QFETCH(QByteArray, says);
        const farm::Launcher none{QStringLiteral("/nowhere/cudal1-model")};
        LocalModel local(m_settings, nullptr, script.isEmpty() ? none : scripted(json::parse(script.toStdString())));
        for (int times = 0; times < 2; ++times) { // it is tried anew for each question
            Replies replies;
            const auto asked = local.ask(about("hello", 2), replies.listener());
            QVERIFY(allTold(replies, 2));
            QVERIFY2(replies.bad(1).text().find(says.toStdString()) != std::string::npos,
                     replies.bad(1).text().c_str());
            QVERIFY(replies.bad(0).code == ErrorCode::Unavailable || replies.bad(0).code == ErrorCode::Unreadable);
        }
    }

    void aGreetingOfAShellIsPassedOver()
    {
        Replies replies;
        const auto local = model({{"noise", 3}});
        const auto asked = local->ask(about("hello"), replies.listener());
        QVERIFY(allTold(replies, 1) && replies.isGood());
    }

    void loadingIsToldAndHasNoEnd()
    {
        for (const char* load : {"hang", "silent"}) {
            Replies replies;
            std::string waits;
            auto listener = replies.listener();
            listener.waiting = [&](const std::string& text) { waits = text; };
            const auto local = model({{"load", load}});
            auto asked = local->ask(about("hello"), listener);
            QVERIFY(waitUntil([&] { return !waits.empty(); }));
            QCOMPARE(waits, std::string("The model tiny is being loaded"));
            QVERIFY(waitUntil([&] { return !logged("hello").empty(); }));
            asked.reset();
            QVERIFY(replies.told.empty() && !local->facts());
        }
    }

    void limitsOfARun()
    {
        models::RunLimits limits;
        limits.tokens = 60;
        const auto run = std::make_shared<Ledger>(limits);
        const auto local = model({}, run);
        Replies first, second;
        const auto one = local->ask(about("hello", 5), first.listener()); // 30 + 5 x 7
        QVERIFY(allTold(first, 5) && first.isGood(4));
        const auto two = local->ask(about("hello", 2), second.listener());
        QVERIFY(allTold(second, 2));
        QVERIFY(second.bad(1).code == ErrorCode::LimitReached);
        QCOMPARE(logged("generate").size(), std::size_t(1));
    }

    void timeIsOver()
    {
        m_settings.limits.seconds = 0.2;
        const auto local = model();
        Replies replies;
        const auto asked = local->ask(about("hang", 2), replies.listener());
        QVERIFY(allTold(replies, 2));
        QVERIFY2(replies.bad(0).code == ErrorCode::LimitReached, replies.bad(0).text().c_str());
        QVERIFY(waitUntil([&] { return logged("cancel").size() == 1; }));
    }

    void aTrialCountsNoLoading()
    {
        m_settings.sampling.maxTokens = 5000;
        LocalModel local(models::forTrial(m_settings), nullptr, scripted());
        std::optional<base::Result<models::TrialResult>> result;
        std::vector<std::string> waits;
        const auto asked = models::tryModel(
            local, [&](base::Result<models::TrialResult> answer) { result.emplace(std::move(answer)); },
            [&](const std::string& text) { waits.push_back(text); });
        QVERIFY(waitUntil([&] { return result.has_value(); }));
        QVERIFY(result->ok() && (*result)->streams());
        QVERIFY(waits.size() == 2 && waits[1].empty());
        QVERIFY(logged("generate")[0]["settings"]["max_tokens"] == 64);
    }

    void aPathIsQuotedForAShell()
    {
        const QStringList arguments = models::serveArguments(m_settings);
        QCOMPARE(farm::Launcher({"ssh", "gpu1", "cudal1-model"}).withArguments(arguments).words().mid(3),
                 (QStringList{"'serve'", "'/models/it'\\''s tiny'", "'--device'", "'cpu'"}));
        QCOMPARE(farm::Launcher({"/bin/cudal1-model"}).withArguments(arguments).words()[2],
                 QString("/models/it's tiny"));
    }

    void madeByName()
    {
        models::ModelSources sources;
        sources.registry = models::ModelRegistry(m_folder->filePath("models.json").toStdString());
        QVERIFY(sources.registry.add(m_settings));
        const auto made = models::makeChatModel("local:tiny", sources);
        QVERIFY(made && (*made)->name() == "local: tiny");
        QVERIFY(models::makeChatModel("local:other", sources).error().code == ErrorCode::NotFound);
        const auto other = models::makeChatModel("endpoint:tiny", sources);
        QVERIFY(!other && other.error().hint == "Ask it as local:tiny");
    }
};

QTEST_GUILESS_MAIN(TestLocalModel)
#include "tst_localmodel.moc"
