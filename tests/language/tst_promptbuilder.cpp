// SPDX-License-Identifier: GPL-3.0-or-later
// Templates with their placeholders, the parts of prompts, methods, and which questions a turn asks.
#include "core/language/promptbuilder.h"
#include "core/language/tokenestimate.h"
#include "core/policy/chattext.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace cudal1;
using namespace cudal1::language;
using base::ErrorCode;
using policy::ChatMessage;

namespace {

const std::filesystem::path bundled = std::filesystem::path(CUDAL1_SOURCE_DIR) / "resources/prompts";

Templates own()
{
    auto out = Templates::load(bundled);
    if (!out)
        qFatal("%s", out.error().text().c_str());
    return std::move(*out);
}

policy::Exemplar exemplar(std::int64_t id, double speedup, const std::string& source)
{
    policy::Exemplar out;
    out.source = source;
    out.verdict = protocol::Verdict::Correct;
    out.wall = {speedup, speedup - 0.02, speedup + 0.02};
    out.variant = {id};
    out.techniques = {"cuda_graph"};
    return out;
}

policy::Exemplar failed(std::int64_t id, protocol::Verdict verdict, const std::string& reason)
{
    policy::Exemplar out;
    out.source = "failed source";
    out.verdict = verdict;
    out.reason = reason;
    out.variant = {id};
    return out;
}

policy::Prompt fullPrompt()
{
    policy::Prompt out;
    out.task = {"1/12", "class Model: pass\n\n\nREFERENCE = 1\n"};
    out.taskName = "Diagonal";
    out.device.name = "cuda:0";
    out.device.model = "Some GPU";
    out.device.processors = 132;
    out.graph.nodes = {{0, "aten.mm.default", "fc", nlohmann::json::array(), nlohmann::json::object(), {}, 30'000},
                       {1, "aten.relu.default", "", nlohmann::json::array(), nlohmann::json::object(), {}, 5'000},
                       {2, "aten.relu.default", "", nlohmann::json::array(), nlohmann::json::object(), {}, 5'000}};
    out.graph.total_ns = 45'000;
    out.exemplars = {exemplar(4, 2.019, "SOURCE OF FOUR\n"), exemplar(3, 1.2, "SOURCE OF THREE {{source}}\n"),
                     failed(5, protocol::Verdict::Incorrect, "Values differ by 3.5\nand more"),
                     failed(6, protocol::Verdict::DoesNotBuild, "No such header")};
    out.seed = 77;
    out.least = policy::LeastWork{2e9, 1 << 20, 1 << 10, 1 << 19, 310, 4e12, true};
    out.timeline = "- A call takes 45 µs.";
    out.effects = {{"tf32", 3, {1.5, 1.4, 1.6}}};
    return out;
}

std::string userText(const std::vector<PlannedQuestion>& questions)
{
    return questions.at(0).request.messages.back().content;
}

AskMethod methodOf(AskMethod::Kind kind)
{
    AskMethod out;
    out.kind = kind;
    return out;
}

policy::PastAnswer answer(std::int64_t sample, int turn, std::optional<protocol::Verdict> verdict)
{
    policy::PastAnswer out;
    out.sample = {sample};
    out.policy = "me";
    out.turn = turn;
    out.prompt = policy::messagesText({{"user", "make it faster"}});
    out.reply = "<think>hm</think>reply " + std::to_string(sample);
    if (!verdict) {
        out.unusable = "It has no block of code.";
        return out;
    }
    out.variant = {100 + sample};
    out.evaluation.emplace();
    out.evaluation->verdict = *verdict;
    out.evaluation->speedup.wall = {{1.5, 1.4, 1.6}, 3e6, 2e6};
    if (*verdict != protocol::Verdict::Correct)
        out.evaluation->reasons = {{"wrong_values", "The values differ.", std::string(5000, 'e') + "END"}};
    return out;
}

} // namespace

class TestPromptBuilder : public QObject {
    Q_OBJECT
private:
    void write(const char* name, const std::string& text) const
    {
        std::ofstream(m_folder->filePath(name).toStdString()) << text;
    }

    std::unique_ptr<QTemporaryDir> m_folder;

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void theUsersTemplatesTakePrecedence()
    {
        const Templates plain = own();
        QCOMPARE(Templates::load(bundled, m_folder->filePath("none").toStdString())->digest(), plain.digest());
        write("reference.md", "Look:\n\n{{source}}\n");
        const auto mine = Templates::load(bundled, m_folder->path().toStdString());
        QVERIFY2(mine.ok(), mine ? "" : mine.error().text().c_str());
        QCOMPARE(mine->fill("reference", {{"source", "x"}}), std::string("Look:\n\nx"));
        QVERIFY(mine->digest() != plain.digest() && mine->digest().size() == 16);
        QVERIFY(mine->ownNames() == std::vector<std::string>{"reference"});
    }

    void emptyValuesTakeTheirParagraphsAlong()
    {
        write("costs.md", "# Title\n\n{{work}}\n\n{{floor}} {{work}}\n\nend {{floor}}\n\n\n");
        const auto mine = *Templates::load(bundled, m_folder->path().toStdString());
        QCOMPARE(mine.fill("costs", {{"work", "w"}}), std::string("# Title\n\nw\n\n w\n\nend "));
        QCOMPARE(mine.fill("costs", {}), std::string("# Title\n\nend "));
        // A value is never looked through.
        QCOMPARE(mine.fill("costs", {{"work", "{{floor}}\n\n\n  {{"}}),
                 std::string("# Title\n\n{{floor}}\n\n\n  {{\n\n {{floor}}\n\n\n  {{\n\nend "));
    }

    void wrongTemplatesAreSaid_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown") << "task.md"
                                 << "a\n{{task}} {{tsak}}"
                                 << "no placeholder {{tsak}}";
        QTest::newRow("of another template") << "protocol.md"
                                             << "{{source}}"
                                             << "no placeholder {{source}}";
        QTest::newRow("blanks") << "task.md"
                                << "{{ task }}"
                                << "no placeholder {{ task }}";
        QTest::newRow("none at all") << "restrictions.md"
                                     << "{{task}}"
                                     << "It has none";
        QTest::newRow("open") << "task.md"
                              << "{{task\n}}"
                              << "{{ without }}";
        QTest::newRow("no template") << "tasks.md"
                                     << "x"
                                     << "no template of prompts tasks";
    }
    void wrongTemplatesAreSaid()
    {
        QFETCH(QString, file);
        QFETCH(QString, text);
        QFETCH(QString, says);
        write(qPrintable(file), text.toStdString());
        const auto loaded = Templates::load(bundled, m_folder->path().toStdString());
        QVERIFY(!loaded.ok());
        QCOMPARE(loaded.error().code, ErrorCode::InvalidArgument);
        const QString error = QString::fromStdString(loaded.error().text());
        QVERIFY2(error.contains(says) && error.contains(file), qPrintable(error));
        if (file == "task.md" && text.startsWith('a'))
            QVERIFY(error.contains("task.md:2") && error.contains("{{device}}"));
    }

    void aMissingFolderIsSaid()
    {
        QCOMPARE(Templates::load(m_folder->path().toStdString()).error().code, ErrorCode::Unreadable);
        qputenv("CUDAL1_PROMPTS", "");
        QCOMPARE(Templates::bundled("/nowhere/bin")->string(), bundled.string());
    }

    void everyPartIsASwitch()
    {
        // A text that is in the prompt exactly when its part is.
        const std::vector<std::pair<PromptPart, std::string>> signs{
            {PromptPart::Task, "1/12 Diagonal"},
            {PromptPart::Reference, "REFERENCE = 1"},
            {PromptPart::Costs, "2 GFLOP"},
            {PromptPart::Operators, "aten.relu.default, 2 times"},
            {PromptPart::Timeline, "A call takes 45 µs"},
            {PromptPart::Exemplars, "SOURCE OF FOUR"},
            {PromptPart::Failures, "Values differ by 3.5"},
            {PromptPart::Effects, "tf32: 1.50×"},
            {PromptPart::Protocol, "## Algorithm Design"},
            {PromptPart::Toggles, "USE_FUSED_KERNEL"},
            {PromptPart::Restrictions, "Wrong results score 0"}};
        QCOMPARE(signs.size(), parts().size());
        AskMethod method = methodOf(AskMethod::Kind::Contrastive);
        const std::string all = userText(PromptBuilder(method, own()).questions(fullPrompt(), "me"));
        for (const auto& [part, sign] : signs) {
            QVERIFY2(all.find(sign) != std::string::npos, sign.c_str());
            method.without = {part};
            const std::string less = userText(PromptBuilder(method, own()).questions(fullPrompt(), "me"));
            QVERIFY2(less.find(sign) == std::string::npos, sign.c_str());
            QVERIFY(less.size() < all.size());
            for (const auto& [other, otherSign] : signs)
                if (other != part)
                    QVERIFY2(less.find(otherSign) != std::string::npos, otherSign.c_str());
        }
        QVERIFY(all.find("{{") == all.find("{{source}}")); // the exemplar's own
        QVERIFY(all.find("\n\n\n\n") == std::string::npos);
    }

    void whatIsNotKnownHasNoHeading()
    {
        policy::Prompt bare;
        bare.task = {"1/1", "class Model: pass"};
        bare.device.name = "cpu";
        const std::string text = userText(
            PromptBuilder(methodOf(AskMethod::Kind::Evolve), own()).questions(bare, "me"));
        for (const char* heading :
             {"done at least", "Operators of", "recorded call", "with their scores", "that failed", "have brought"})
            QVERIFY2(text.find(heading) == std::string::npos, heading);
        QVERIFY(text.find("Where does its time go?") != std::string::npos);
        QVERIFY(text.find("there is no C++ compiler") != std::string::npos);
    }

    void vanillaKnowsNothingOfWhatWasJudged()
    {
        for (const auto kind : {AskMethod::Kind::Vanilla, AskMethod::Kind::MultiTurn}) {
            const auto asked = PromptBuilder(methodOf(kind), own()).questions(fullPrompt(), "me");
            const std::string text = userText(asked);
            for (const char* sign : {"SOURCE OF", "Values differ", "A call takes 45 µs"})
                QVERIFY2(text.find(sign) == std::string::npos, sign);
            QVERIFY(text.find("tf32: 1.50×") != std::string::npos); // of other tasks
            QVERIFY(asked[0].shown.empty());
        }
    }

    void exemplarsStandByScore()
    {
        const auto asked = PromptBuilder(methodOf(AskMethod::Kind::Contrastive), own()).questions(fullPrompt(), "me");
        QCOMPARE(asked.size(), std::size_t(1));
        QVERIFY((asked[0].shown == std::vector<base::VariantId>{{3}, {4}})); // two buckets, so both
        const std::string text = userText(asked);
        QVERIFY(text.find("Variant A, score 1.20") < text.find("Variant B, score 2.01")); // rounded toward 1
        QVERIFY(text.find("Compare the variants") != std::string::npos);
        QVERIFY(text.find("failed source") == std::string::npos);
        QCOMPARE(asked[0].request.messages.at(0).role, std::string("system"));
        QCOMPARE(asked[0].request.replies, 4);
    }

    void theSeedDecidesTheExemplars()
    {
        policy::Prompt prompt = fullPrompt();
        prompt.exemplars.clear();
        for (int at = 0; at < 30; ++at)
            prompt.exemplars.push_back(exemplar(at + 1, 1 + at * 0.1, "s" + std::to_string(at)));
        const PromptBuilder builder(methodOf(AskMethod::Kind::Contrastive), own());
        std::set<std::vector<std::size_t>> all;
        std::set<std::uint64_t> seeds;
        for (int round = 0; round < 20; ++round) {
            prompt.round = round;
            QVERIFY(builder.chosen(prompt, "me") == builder.chosen(prompt, "me"));
            all.insert(builder.chosen(prompt, "me"));
            const auto asked = builder.questions(prompt, "me");
            seeds.insert(*asked[0].request.settings.seed);
            QVERIFY(*asked[0].request.settings.seed < 0x80000000U);
        }
        QVERIFY(all.size() > 5);
        QCOMPARE(seeds.size(), std::size_t(20));
        QVERIFY(seedOf(prompt, "me", 0) != seedOf(prompt, "you", 0));
    }

    void whatAKillCutShortIsCompleted()
    {
        policy::Prompt prompt = fullPrompt();
        prompt.answers = {answer(1, 0, protocol::Verdict::Correct)};
        const PromptBuilder builder(methodOf(AskMethod::Kind::Vanilla), own());
        QCOMPARE(builder.questions(prompt, "me").at(0).request.replies, 3);
        QCOMPARE(builder.questions(prompt, "you").at(0).request.replies, 4);
        for (std::int64_t sample = 2; sample <= 4; ++sample)
            prompt.answers.push_back(answer(sample, 0, protocol::Verdict::Correct));
        QVERIFY(builder.questions(prompt, "me").empty());
    }

    void rejectedRepliesAreMendedOnce()
    {
        policy::Prompt prompt = fullPrompt();
        prompt.turn = 1;
        prompt.answers = {answer(1, 0, protocol::Verdict::Correct), answer(2, 0, protocol::Verdict::Incorrect),
                          answer(3, 0, std::nullopt), answer(4, 0, protocol::Verdict::Incorrect),
                          answer(5, 0, protocol::Verdict::Incorrect)};
        prompt.answers[3].variant = prompt.answers[1].variant; // the same program again
        prompt.answers[4].policy = "you";
        const PromptBuilder builder(methodOf(AskMethod::Kind::Vanilla), own());
        QCOMPARE(builder.method().furtherTurns(), 1);
        const auto asked = builder.questions(prompt, "me");
        QCOMPARE(asked.size(), std::size_t(2));
        QVERIFY(asked[0].parent == base::SampleId{2} && asked[0].repair && asked[0].request.replies == 1);
        const auto& messages = asked[0].request.messages;
        QCOMPARE(messages.size(), std::size_t(3));
        QCOMPARE(messages[0].content, std::string("make it faster"));
        QVERIFY(messages[1].role == "assistant" && messages[1].content == "reply 2"); // without what it thought
        QVERIFY(messages[2].content.find("verdict: incorrect") != std::string::npos &&
                messages[2].content.find("The values differ.") != std::string::npos &&
                messages[2].content.find("[…]") != std::string::npos &&
                messages[2].content.find("END") != std::string::npos && messages[2].content.size() < 4000);
        QVERIFY(asked[1].parent == base::SampleId{3});
        // In another project its samples have other numbers; the seeds are the same, so that it can be replayed.
        policy::Prompt elsewhere = prompt;
        for (policy::PastAnswer& one : elsewhere.answers)
            one.sample.value += 90;
        const auto again = builder.questions(elsewhere, "me");
        QVERIFY(again[0].parent == base::SampleId{92} && asked[0].request.settings.seed &&
                again[0].request.settings.seed == asked[0].request.settings.seed &&
                again[1].request.settings.seed == asked[1].request.settings.seed &&
                asked[0].request.settings.seed != asked[1].request.settings.seed);
        QVERIFY(asked[1].request.messages[2].content.find("It has no block of code.") != std::string::npos);
        // One that was followed is not followed again, and what mends is not mended.
        prompt.answers.push_back(answer(6, 1, protocol::Verdict::Crashed));
        prompt.answers.back().parent = {2};
        prompt.answers.back().repair = true;
        QCOMPARE(builder.questions(prompt, "me").size(), std::size_t(1));
        prompt.turn = 2;
        QVERIFY(builder.questions(prompt, "me").empty());
        AskMethod without = methodOf(AskMethod::Kind::Vanilla);
        without.repair = false;
        QCOMPARE(without.furtherTurns(), 0);
    }

    void conversationsGoOn()
    {
        AskMethod method = methodOf(AskMethod::Kind::MultiTurn);
        method.turns = 3;
        QCOMPARE(method.furtherTurns(), 2);
        const PromptBuilder builder(method, own());
        policy::Prompt prompt = fullPrompt();
        prompt.turn = 1;
        prompt.answers = {answer(1, 0, protocol::Verdict::Correct), answer(2, 0, protocol::Verdict::Incorrect)};
        const auto asked = builder.questions(prompt, "me");
        QCOMPARE(asked.size(), std::size_t(2));
        QVERIFY(!asked[0].repair && asked[0].parent == base::SampleId{1});
        const std::string& told = asked[0].request.messages.back().content;
        QVERIFY2(told.find("1.50× (1.40–1.60)") != std::string::npos && told.find("2.00 ms") != std::string::npos,
                 told.c_str());
        QVERIFY(asked[1].request.messages.back().content.find("rejected") != std::string::npos);
        QVERIFY(asked[0].request.settings.seed != asked[1].request.settings.seed);
        // A reply that was not judged yet, or is gone, is not followed.
        prompt.answers[0].evaluation.reset();
        QCOMPARE(builder.questions(prompt, "me").size(), std::size_t(1));
    }

    void methodsAreOneTextAndBack()
    {
        for (const std::string_view word : methodWords()) {
            AskMethod method;
            method.kind = *kindFromText(std::string(word));
            method.samples = 7;
            method.without = {PromptPart::Costs, PromptPart::Operators};
            QVERIFY(check(method).ok());
            const auto back = methodFromJson(toJson(method));
            QVERIFY2(back.ok(), back ? "" : back.error().text().c_str());
            QCOMPARE(toJson(*back), toJson(method));
            QCOMPARE(wordOf(back->kind), word);
            QVERIFY(back->samples == 7 && back->without == method.without);
        }
        QCOMPARE(kindFromText("chain").error().code, ErrorCode::InvalidArgument);
        for (const char* text : {"", "{}", "[1]", R"({"method":"evolve"})"})
            QCOMPARE(methodFromJson(text).error().code, ErrorCode::Unreadable);
        AskMethod method;
        for (const int samples : {0, -1, 5000}) {
            method.samples = samples;
            QCOMPARE(check(method).error().code, ErrorCode::InvalidArgument);
        }
        method = methodOf(AskMethod::Kind::Vanilla);
        method.sampler = "bucket";
        QVERIFY(check(method).error().message.find("vanilla") != std::string::npos);
        method.kind = AskMethod::Kind::Evolve;
        QVERIFY(check(method).ok());
        QCOMPARE(methodOf(AskMethod::Kind::Evolve).samplerName(), std::string("islands"));
        QCOMPARE(methodOf(AskMethod::Kind::Contrastive).samplerName(), std::string("bucket"));
        method.sampler = "luck";
        QCOMPARE(check(method).error().code, ErrorCode::InvalidArgument);
    }

    void aGivenTextIsAskedWordForWord()
    {
        const policy::Prompt prompt = fullPrompt();
        AskMethod method = methodOf(AskMethod::Kind::Contrastive);
        const PromptBuilder built(method, own());
        const auto usual = built.questions(prompt, "me");
        QVERIFY(!usual.at(0).shown.empty());
        method.text = policy::messagesText({{"system", "s"}, {"user", "edited\n<|user|>\n"}});
        QVERIFY(check(method).ok());
        const PromptBuilder given(*methodFromJson(toJson(method)), own());
        const auto asked = given.questions(prompt, "me");
        QCOMPARE(asked.size(), std::size_t(1));
        QCOMPARE(policy::messagesText(asked[0].request.messages), method.text);
        QVERIFY(asked[0].shown.empty() && asked[0].request.replies == usual[0].request.replies &&
                asked[0].request.settings.seed == usual[0].request.settings.seed);
        const auto settings = nlohmann::json::parse(given.settingsText({}));
        QVERIFY(settings["given_text"] == true && !settings.contains("text"));
        QVERIFY(!nlohmann::json::parse(built.settingsText({})).contains("given_text"));
        method.text = "no role above it\n";
        QCOMPARE(check(method).error().code, ErrorCode::InvalidArgument);
    }

    void partsByName()
    {
        QVERIFY((*partsFromText("costs,effects") == std::set<PromptPart>{PromptPart::Costs, PromptPart::Effects}));
        QVERIFY(partsFromText("")->empty());
        QCOMPARE(textOf({PromptPart::Effects, PromptPart::Costs}), std::string("costs,effects"));
        const auto unknown = partsFromText("costs,price");
        QVERIFY(!unknown.ok() && unknown.error().message.find("\"price\"") != std::string::npos &&
                unknown.error().hint.find("restrictions") != std::string::npos);
        QVERIFY(!partsFromText("costs,").ok());
    }

    void settingsSayWhatWasAskedWith()
    {
        policy::SamplingSettings settings;
        settings.temperature = 0.8;
        settings.seed = 5;
        const auto j = nlohmann::json::parse(
            PromptBuilder(methodOf(AskMethod::Kind::Evolve), own()).settingsText(settings));
        QVERIFY(j["temperature"] == 0.8 && j["seed"] == 5 && j["method"] == "evolve" && j["sampler"] == "islands" &&
                j["templates"] == own().digest() && !j.contains("top_p"));
    }

    void tokensAreEstimated()
    {
        // By hand: class, Model, New … words of up to seven letters one each; "(", ").", ":" one each.
        QCOMPARE(estimatedTokens("class Model"), std::size_t(2));
        QCOMPARE(estimatedTokens("x = 12345"), std::size_t(4)); // x, =, 123, 45
        QCOMPARE(estimatedTokens("\n        return"), std::size_t(2));
        QCOMPARE(estimatedTokens("optimisation"), std::size_t(2));
        QCOMPARE(estimatedTokens(""), std::size_t(0));
        QCOMPARE(estimatedTokens({{"user", "class Model"}}), std::size_t(9));
    }
};

QTEST_GUILESS_MAIN(TestPromptBuilder)
#include "tst_promptbuilder.moc"
