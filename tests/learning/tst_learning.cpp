// SPDX-License-Identifier: GPL-3.0-or-later
// Batches, examples, records, rewards as requests, and the example's model, against what was worked out by hand.
#include "core/learning/examplemodel.h"
#include "core/learning/judgedbatches.h"
#include "core/learning/stagerecord.h"
#include "core/learning/supervisedbatches.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <set>
#include <sstream>

using namespace cudal1;
using namespace cudal1::learning;

namespace {

const char* const good = R"({"task": "1/1", "level": 1, "prompt": [{"role": "user", "content": "P"}], "reply": "R"})";

SampledReply replyOf(std::int64_t variant, std::optional<protocol::Verdict> verdict, std::optional<double> reward)
{
    SampledReply out;
    out.generated.tokens = {5, 1};
    out.generated.logprobs = {-0.5F, -0.25F};
    out.judged.variant = {variant};
    out.judged.verdict = verdict;
    out.judged.reward = reward;
    return out;
}

SampledGroup groupOf(std::vector<SampledReply> replies)
{
    SampledGroup out;
    out.question.request.messages = {{"user", "make it fast"}};
    out.replies = std::move(replies);
    return out;
}

std::string bytesOf(const std::filesystem::path& path)
{
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

} // namespace

class TestLearning : public QObject {
    Q_OBJECT
private slots:
    void eachExampleComesOnceBeforeOneComesAgain()
    {
        std::multiset<std::size_t> seen;
        for (std::uint64_t number = 0; number < 5; ++number) // 5 batches of 4: two passes over 10
            for (const std::size_t at : batchOf(10, 4, number, 3))
                seen.insert(at);
        for (std::size_t at = 0; at < 10; ++at)
            QCOMPARE(seen.count(at), std::size_t(2));
        QCOMPARE(batchOf(10, 4, 3, 3), batchOf(10, 4, 3, 3));
        QVERIFY(batchOf(10, 10, 0, 3) != batchOf(10, 10, 0, 4));
        QVERIFY(batchOf(10, 10, 0, 3) != batchOf(10, 10, 1, 3));
        QCOMPARE(batchOf(1, 3, 7, 3), (std::vector<std::size_t>{0, 0, 0}));
        QVERIFY(batchOf(0, 3, 0, 3).empty());
    }

    void aDataSetSaysWhichLineIsWrong()
    {
        const auto read = examplesOf(std::string(good) + "\n\n" + good + "\n", "f");
        QVERIFY(read);
        QCOMPARE(read->examples.size(), std::size_t(2));
        QCOMPARE(read->examples[1].prompt[0].content, std::string("P"));
        QCOMPARE(read->digest.size(), std::size_t(64));
        for (const char* wrong : {"nonsense", "{}", R"({"task": "1/1", "prompt": [], "reply": "R"})"}) {
            const auto failed = examplesOf(std::string(good) + "\n" + wrong + "\n", "f");
            QVERIFY(!failed);
            QVERIFY(QString::fromStdString(failed.error().message).startsWith("Line 2 of the data set"));
        }
        QVERIFY(!examplesOf("\n", "f"));
        QVERIFY(!readExamples("/nowhere/at/all.jsonl"));
    }

    void aBatchFollowsFromItsNumber()
    {
        auto data = examplesOf(std::string(good) + "\n", "f");
        SupervisedBatches maker(data->examples, 2, 1);
        const protocol::SftRequest request = maker.request(17);
        QCOMPARE(request.pairs.size(), std::size_t(2));
        QCOMPARE(request.pairs[0].prompt.messages[0].content, std::string("P"));
        QCOMPARE(request.pairs[1].reply.text, std::string("R"));
    }

    void onlyCorrectRepliesAreLearntFromAndEachProgramOnce()
    {
        using protocol::Verdict;
        auto cut = replyOf(4, Verdict::Correct, 1.5);
        cut.generated.end = protocol::ReplyEnd::Length;
        auto degenerate = replyOf(5, Verdict::Correct, {});
        degenerate.judged.degenerate = true;
        const std::vector<SampledGroup> groups{
            groupOf({replyOf(1, Verdict::Correct, 2.0), replyOf(1, Verdict::Correct, 2.0),
                     replyOf(2, Verdict::Exploit, 0), replyOf(3, Verdict::Crashed, 0), cut, degenerate})};
        const protocol::SftRequest request = successesOf(groups);
        QCOMPARE(request.pairs.size(), std::size_t(1));
        QCOMPARE(request.pairs[0].reply.tokens, (std::vector<int>{5, 1}));
        QVERIFY(successesOf({groupOf({replyOf(2, Verdict::Incorrect, 0)})}).pairs.empty());
    }

    void repliesWithoutRewardAreLeftOutOfTheirGroup()
    {
        using protocol::Verdict;
        std::vector<SampledGroup> groups{
            groupOf({replyOf(1, Verdict::Correct, 2.0), replyOf(2, Verdict::Exploit, 0), replyOf(3, {}, {})}),
            groupOf({replyOf(4, Verdict::Correct, 1.0), replyOf(5, {}, {})})};
        protocol::GrpoSettings settings;
        settings.beta = 0.5;
        const protocol::GrpoRequest request = groupsOf(groups, settings);
        QCOMPARE(request.groups.size(), std::size_t(1)); // the second has one reply left, and nothing to compare with
        QCOMPARE(request.groups[0].replies.size(), std::size_t(2));
        QCOMPARE(request.groups[0].replies[0].reward, 2.0);
        QCOMPARE(request.groups[0].replies[1].reward, 0.0); // the exploit
        QCOMPARE(request.groups[0].replies[0].logprobs, (std::vector<double>{-0.5, -0.25}));
        QCOMPARE(request.settings.beta, 0.5);
        const GroupSum sum = sumOf(groups);
        QCOMPARE(sum.replies, 5);
        QCOMPARE(sum.correct, 2);
        QCOMPARE(sum.exploits, 1);
        QCOMPARE(sum.unknown, 2);
        QCOMPARE(sum.hacksAccepted, 0);
        QCOMPARE(sum.reward, 1.0); // (2 + 0 + 1) / 3
        QCOMPARE(sum.faster, 0.2);
        QCOMPARE(sum.besideLibrary, 0);
    }

    void aGainIsTheModelsOwnAboveTheLibrarysBest()
    {
        using protocol::Verdict;
        std::vector<SampledGroup> groups{
            groupOf({replyOf(1, Verdict::Correct, 2.0), replyOf(2, Verdict::Correct, 1.5), replyOf(3, {}, {})}),
            groupOf({replyOf(4, Verdict::Correct, 0.9), replyOf(5, Verdict::Correct, 1.2)}),
            groupOf({replyOf(6, Verdict::Correct, 3.0)})}; // the library has nothing on this task
        groups[0].libraryBest = 1.5;
        groups[1].libraryBest = 0.8; // what is slower than the reference is no gain, though the library does worse
        const GroupSum sum = sumOf(groups);
        QCOMPARE(sum.besideLibrary, 5);
        QCOMPARE(sum.beyondLibrary, 2); // 2.0 and 1.2
    }

    void aFolderKeepsWhatItsTrainingIs()
    {
        QTemporaryDir folder;
        StageOptions options;
        options.model = "/m";
        options.out = folder.filePath("run").toStdString();
        const auto none = readRecord(options, "d");
        QVERIFY(none);
        QVERIFY(!none->known);
        QVERIFY(writeRecord(options, "d", {{7}, "/p.cudal1", false}));
        const auto same = readRecord(options, "d");
        QVERIFY(same && same->known);
        QCOMPARE(same->run.value, std::int64_t(7));
        QVERIFY(!readRecord(options, "other data"));
        StageOptions other = options;
        other.optimizer.learningRate = 1;
        const auto refused = readRecord(other, "d");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, base::ErrorCode::InvalidArgument);
        QVERIFY(refused.error().message.find("learning_rate") != std::string::npos);
        other = options;
        other.threads = 3;
        QVERIFY(readRecord(other, "d"));
        std::ofstream(options.out + "/training.json") << "{";
        QVERIFY(!readRecord(options, "d"));
    }

    void settingsAreChecked()
    {
        StageOptions options;
        options.model = "m";
        options.out = "o";
        QVERIFY(check(options));
        const auto refuses = [&](auto change) {
            StageOptions changed = options;
            changed.stage = Stage::Contrastive;
            change(changed);
            return !check(changed);
        };
        QVERIFY(!refuses([](StageOptions&) {}));
        QVERIFY(refuses([](StageOptions& one) { one.group = 1; }));
        QVERIFY(refuses([](StageOptions& one) { one.temperature = 0; }));
        QVERIFY(refuses([](StageOptions& one) { one.exemplars = "best"; }));
        QVERIFY(refuses([](StageOptions& one) { one.steps = 0; }));
        QVERIFY(refuses([](StageOptions& one) { one.out.clear(); }));
    }

    void exemplarsStandInPromptsOfTheThirdStageAlone()
    {
        StageOptions options;
        options.stage = Stage::SelfSupervised;
        QVERIFY(askMethodOf(options).without.contains(language::PromptPart::Exemplars));
        options.stage = Stage::Contrastive;
        QCOMPARE(askMethodOf(options).samplerName(), std::string("bucket"));
        QVERIFY(!askMethodOf(options).without.contains(language::PromptPart::Exemplars));
        options.exemplars = "none";
        QVERIFY(askMethodOf(options).without.contains(language::PromptPart::Exemplars));
    }

    void bytePairsAreMergedByTheirCount()
    {
        // "ab" is there three times, "abc" twice; a pair that is there once is not merged.
        const auto merges = mergesOf({"ab abc abc xy"}, 10);
        QVERIFY(merges.size() >= 2);
        QCOMPARE(merges[0], (std::pair<std::string, std::string>{"a", "b"}));
        QCOMPARE(mergesOf({"ab abc abc xy"}, 1).size(), std::size_t(1));
        for (const auto& [first, second] : merges)
            QVERIFY(first + second != "xy");
    }

    void theSameSeedMakesTheSameModel()
    {
        QTemporaryDir folder;
        const std::filesystem::path at = folder.path().toStdString();
        QVERIFY(makeExampleModel(at / "a", {"import torch\nimport torch\n"}, 5));
        QVERIFY(makeExampleModel(at / "b", {"import torch\nimport torch\n"}, 5));
        QVERIFY(makeExampleModel(at / "c", {"import torch\nimport torch\n"}, 6));
        const std::string weights = bytesOf(at / "a" / "model.safetensors");
        QVERIFY(weights.size() > 1'000'000);
        QVERIFY(weights == bytesOf(at / "b" / "model.safetensors"));
        QVERIFY(weights != bytesOf(at / "c" / "model.safetensors"));
        QVERIFY(bytesOf(at / "a" / "tokenizer.json") == bytesOf(at / "b" / "tokenizer.json"));
    }
};

QTEST_GUILESS_MAIN(TestLearning)
#include "tst_learning.moc"
