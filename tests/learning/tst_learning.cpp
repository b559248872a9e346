// SPDX-License-Identifier: GPL-3.0-or-later
// Batches, examples, records, rewards as requests, and the example's model, against what was worked out by hand.
#include "core/learning/checkpointscores.h"
#include "core/learning/examplemodel.h"
#include "core/learning/judgedbatches.h"
#include "core/learning/stagejson.h"
#include "core/learning/stagerecord.h"
#include "core/learning/supervisedbatches.h"
#include "core/learning/traininglock.h"

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
        // A setting that is not in a record of an earlier version had its usual value.
        options.stage = Stage::Contrastive;
        options.out = folder.filePath("later").toStdString();
        QVERIFY(writeRecord(options, "d", {}));
        auto text = nlohmann::json::parse(bytesOf(options.out + "/training.json"));
        QVERIFY(text["settings"].erase("reference") == 1);
        std::ofstream(options.out + "/training.json") << text;
        QVERIFY(readRecord(options, "d"));
        other = options;
        other.reference = "/stage1";
        QVERIFY(!readRecord(other, "d"));
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
        QVERIFY(refuses([](StageOptions& one) { one.reference.clear(); }));
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

    void aStageIsReadFromJson()
    {
        const auto stage = stageOf(R"({"stage":"contrastive","steps":7,"group":16,"learning_rate":1e-6,"clip":0.1,
                                       "exemplars":"none","baseline":"leave_one_out","recompute":true,"tasks":"x"})");
        QVERIFY2(stage.ok(), stage ? "" : stage.error().text().c_str());
        const StageOptions& options = stage->options;
        QVERIFY(options.stage == Stage::Contrastive && options.steps == 7 && options.group == 16 && options.recomputes);
        QVERIFY(options.optimizer.learningRate == 1e-6 && options.grpo.clipLow == 0.1 &&
                grpoOf(options).clipHigh == 0.1);
        QVERIFY(options.exemplars == "none" && options.grpo.baseline == protocol::RewardBaseline::LeaveOneOut &&
                stage->tasks == "x");
        for (const auto& [text, says] : {std::pair{R"({"stage":"rl"})", "no stage"},
                                         {R"({"stage":"sft","data":"d","group":4})", "no field \"group\""},
                                         {R"({"stage":"sft"})", "\"data\""},
                                         {R"({"stage":"self","steps":"many"})", "whole number"},
                                         {R"({"stage":"self","decay":"sudden"})", "does not know"},
                                         {R"({"stage":"contrastive","group":1})", "2 or more"},
                                         {"[]", "is an object"}}) {
            const auto wrong = stageOf(text);
            QVERIFY(!wrong.ok());
            QVERIFY2(wrong.error().text().find(says) != std::string::npos, wrong.error().text().c_str());
        }
    }

    void checkpointsAreScoredOverTasks()
    {
        CheckpointScores scores;
        scores.add({true, false, false, true}, {1.5, 0, 0, 1.0}); // 1/2 correct, 1/4 above 1.01
        scores.add({false, false}, {0, 0});
        scores.add({}, {});
        scores.finish(1);
        QVERIFY(scores.tasks == 2 && scores.successAtOne.estimate == 0.25 && scores.successAtMany.estimate == 0.5);
        QVERIFY(scores.fasterAtOne.estimate == 0.125 && scores.fasterAtMany.estimate == 0.5);
        QVERIFY(scores.reward.estimate == 0.3125 && scores.best.estimate == 0.75);
        // Of two tasks a resample has both, or one of them twice: the interval reaches from one value to the other.
        QVERIFY(scores.successAtMany.low == 0 && scores.successAtMany.high == 1);
        const auto same = bootstrapMean(std::vector<double>(20, 0.3), 5);
        QVERIFY(qFuzzyCompare(same.low, 0.3) && qFuzzyCompare(same.high, 0.3));
        // Of a hundred values of 0 and 1 in equal parts the standard error is 0.05: 0.4 to 0.6.
        std::vector<double> many(100, 0);
        std::fill(many.begin(), many.begin() + 50, 1.0);
        const auto half = bootstrapMean(many, 7);
        QVERIFY(half.estimate == 0.5 && std::abs(half.low - 0.4) < 0.02 && std::abs(half.high - 0.6) < 0.02);
    }

    void aFolderIsLockedOnce()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("run").toStdString();
        {
            const auto first = TrainingLock::take(path);
            QVERIFY(first.ok());
            const auto second = TrainingLock::take(path);
            QVERIFY(!second.ok());
            const std::string said = second.error().text();
            QVERIFY2(said.find("process " + std::to_string(QCoreApplication::applicationPid())) != said.npos,
                     said.c_str());
        }
        QVERIFY(TrainingLock::take(path).ok());
        QVERIFY(!TrainingLock::take("/proc/nowhere").ok());
    }

    void batchesOverlapWhereTrainerAndJudgeHaveADeviceEach()
    {
        StageOptions options;
        options.stage = Stage::Contrastive;
        options.device = "cuda";
        QVERIFY(!overlaps(options, "cuda:0"));
        QVERIFY(overlaps(options, "cuda:1"));
        QVERIFY(overlaps(options, "cuda:1,cuda:2"));
        QVERIFY(!overlaps(options, "cuda:1,cuda:0"));
        QVERIFY(overlaps(options, "cpu"));
        options.device = "cpu";
        QVERIFY(!overlaps(options, "cpu"));
        QVERIFY(overlaps(options, "cuda:0"));
        options.overlap = Overlap::Off;
        QVERIFY(!overlaps(options, "cuda:0"));
        options.overlap = Overlap::On;
        QVERIFY(overlaps(options, "cpu"));
        options.stage = Stage::SelfSupervised;
        QVERIFY(!overlaps(options, "cuda:0"));
    }

    void theReferenceIsOfTheThirdStage()
    {
        StageOptions options;
        QVERIFY(openOf(options).reference.empty());
        options.stage = Stage::Contrastive;
        QCOMPARE(openOf(options).reference, std::string("start"));
        options.reference = "/run/sft/step-000200";
        QCOMPARE(openOf(options).reference, options.reference);
        options.grpo.beta = 0;
        QVERIFY(openOf(options).reference.empty());
    }

    void anOlderCheckpointIsNamedToTheTrainer()
    {
        StageOptions options;
        QVERIFY(openOf(options).checkpoint.empty());
        options.from = 40;
        QCOMPARE(openOf(options).checkpoint, std::string("step-000040"));
        QVERIFY(identityOf(options) == identityOf(StageOptions()));
    }
};

QTEST_GUILESS_MAIN(TestLearning)
#include "tst_learning.moc"
