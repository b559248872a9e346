// SPDX-License-Identifier: GPL-3.0-or-later
// What a training leaves behind for who looks at it: log, settings, folders; shares, advantages and forecasts by hand.
#include "core/learning/checkpoints.h"
#include "core/learning/rewardadvantage.h"
#include "core/learning/stageoptionsjson.h"
#include "core/learning/stagerecord.h"
#include "core/learning/steplog.h"
#include "core/learning/trainingforecast.h"
#include "core/learning/trainingstart.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using namespace cudal1::learning;

namespace {

void write(const QString& path, const QByteArray& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

protocol::TrainingOpened openedAt(int batch)
{
    protocol::TrainingOpened out;
    out.batch = batch;
    out.parameters = 7;
    return out;
}

store::SampleRecord sampleOf(const std::string& policy, const std::string& task)
{
    store::SampleRecord out;
    out.policy = policy;
    out.task = {task};
    out.variant = {1};
    return out;
}

optimize::SampleFacts judged(store::SampleRecord sample, protocol::Verdict verdict, double speed)
{
    store::EvaluationSummary evaluation;
    evaluation.verdict = verdict;
    evaluation.wall = {speed, speed, speed};
    return {std::move(sample), evaluation};
}

} // namespace

class TestTrainingRecords : public QObject {
    Q_OBJECT
private slots:
    void aLegThatGoesBackTakesStepsBack()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("run").toStdString();
        const auto nothing = readStepLog(path);
        QVERIFY(nothing && nothing->legs == 0 && !nothing->isRunning() && nothing->nextBatch() == 0);
        {
            StepLog log(path);
            QVERIFY(log.begin(openedAt(0)));
            for (int batch = 0; batch < 5; ++batch)
                QVERIFY(log.add({{"batch", batch}, {"loss", 5.0 - batch}}));
            const auto running = readStepLog(path);
            QVERIFY(running && running->isRunning() && running->nextBatch() == 5);
        }
        {
            StepLog log(path); // the first was killed behind its fifth step, and its checkpoint has the first three
            QVERIFY(log.begin(openedAt(3)));
            QVERIFY(log.add({{"batch", 3}, {"loss", 0.5}, {"seconds", {{"learn", 0.25}}}}));
            QVERIFY(log.end(LegEnd::Failed, "why"));
        }
        const auto read = readStepLog(path);
        QVERIFY(read);
        QCOMPARE(read->legs, 2);
        QCOMPARE(read->steps.size(), std::size_t(4));
        QCOMPARE(numberOf(read->steps[2], "loss"), std::optional(3.0));
        QCOMPARE(numberOf(read->steps[3], "loss"), std::optional(0.5));
        QCOMPARE(numberOf(read->steps[3], "seconds.learn"), std::optional(0.25));
        QVERIFY(!numberOf(read->steps[3], "seconds.other") && !numberOf(read->steps[3], "none"));
        QVERIFY(read->end == LegEnd::Failed && read->message == "why" && !read->isRunning());
        QCOMPARE(read->opened->parameters, std::uint64_t(7));
    }

    void settingsComeBackAsTheyWere()
    {
        QTemporaryDir folder;
        StageOptions options;
        options.stage = Stage::Contrastive;
        options.model = "/m";
        options.out = folder.filePath("run").toStdString();
        options.steps = 77;
        options.threads = 3;
        options.recomputes = true;
        options.optimizer.learningRate = 3e-4;
        options.optimizer.decay = protocol::RateDecay::Linear;
        options.grpo.baseline = protocol::RewardBaseline::LeaveOneOut;
        options.epochs = 2;
        options.exemplars = "none";
        options.preset = protocol::Preset::Standard;
        StageRecord record;
        record.run = {7};
        record.project = "/p.cudal1";
        record.tasks = {{"1/1"}, {"2/5"}};
        QVERIFY(writeRecord(options, "d", record));
        const auto found = findRecord(options.out);
        QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
        QCOMPARE(toJson(found->options).dump(), toJson(options).dump());
        QCOMPARE(identityOf(found->options).dump(), identityOf(options).dump());
        QCOMPARE(found->record.run.value, std::int64_t(7));
        QCOMPARE(found->record.tasks.size(), std::size_t(2));
        QCOMPARE(findRecord(folder.path().toStdString()).error().code, base::ErrorCode::NotFound);
        QVERIFY(!stageOptionsFrom({{"stage", "fourth"}}));
        QVERIFY(!stageOptionsFrom({{"stage", "sft"}, {"steps", "many"}}));
        QCOMPARE(findTrainings({folder.path().toStdString(), options.out}).size(), std::size_t(1));
        QVERIFY(findTrainings({folder.filePath("none").toStdString()}).empty());
    }

    void aRecordMayBeMovedWithWhatItNames()
    {
        QTemporaryDir folder;
        StageOptions options;
        options.out = folder.filePath("runs/self").toStdString();
        options.model = "../sft/step-000004";
        StageRecord record;
        record.project = "../example.cudal1";
        QVERIFY(writeRecord(options, "d", record));
        QVERIFY(QDir(folder.path()).rename("runs", "moved"));
        const auto found = findRecord(folder.filePath("moved/self").toStdString());
        QVERIFY(found.ok());
        QCOMPARE(found->options.model, folder.filePath("moved/sft/step-000004").toStdString());
        QCOMPARE(found->record.project, folder.filePath("moved/example.cudal1").toStdString());
        QVERIFY(found->record.dataFile.empty());
    }

    void wholeCheckpointsAreListed()
    {
        QTemporaryDir folder;
        QDir dir(folder.path());
        for (const char* name : {"step-000002", "step-000010", "step-000012.part"})
            dir.mkpath(QLatin1String(name));
        write(folder.filePath("step-000002/trainer.json"), R"({"step":2,"batch":3})");
        write(folder.filePath("step-000010/trainer.json"), R"({"step":10,"batch":11})");
        write(folder.filePath("step-000010/model.safetensors"), QByteArray(1000, 'x'));
        write(folder.filePath("best.json"), R"({"name":"step-000002","value":0.5})");
        const auto list = checkpointsOf(folder.path().toStdString());
        QCOMPARE(list.size(), std::size_t(2));
        QVERIFY(list[0].isBest && !list[1].isBest);
        QCOMPARE(list[1].batch, 11);
        QCOMPARE(list[1].bytes, std::uint64_t(1022));
    }

    void sharesHaveWilsonsInterval()
    {
        // 8 of 10: (0.8 + 3.8415 / 20) / 1.38415 = 0.71671 ± 1.95996 / 1.38415 · √(0.016 + 0.0096037) = 0.22657
        const base::Interval share = shareInterval(0.8, 10);
        QVERIFY(std::abs(share.low - 0.49014) < 1e-4 && std::abs(share.high - 0.94328) < 1e-4);
        QCOMPARE(shareInterval(0, 0).high, 1.0);
        QVERIFY(shareInterval(0, 5).low < 1e-12 && shareInterval(0, 5).high > 0.4);
    }

    void policiesAreComparedOnTasksThatAreLeftOut()
    {
        std::vector<optimize::SampleFacts> samples;
        samples.push_back(judged(sampleOf("a", "1/1"), protocol::Verdict::Correct, 9)); // learnt
        samples.push_back(judged(sampleOf("a", "1/2"), protocol::Verdict::Correct, 2));
        samples.push_back(judged(sampleOf("a", "1/2"), protocol::Verdict::Exploit, 0));
        samples.push_back(judged(sampleOf("a", "1/3"), protocol::Verdict::Incorrect, 0));
        samples.push_back(judged(sampleOf("b", "1/3"), protocol::Verdict::Correct, 1));
        samples.back().sample.created_ms = 5;
        auto repair = judged(sampleOf("b", "1/3"), protocol::Verdict::Correct, 3);
        repair.sample.repair = true;
        samples.push_back(repair);
        const auto rows = comparePolicies(samples, {{"1/1"}});
        QCOMPARE(rows.size(), std::size_t(2));
        QCOMPARE(rows[0].policy, std::string("a"));
        QCOMPARE(rows[0].tasks, 2);
        QCOMPARE(rows[0].replies, 3);
        QCOMPARE(rows[0].exploits, 1);
        QCOMPARE(rows[0].success.estimate, 0.25); // one of two, none of one
        QCOMPARE(rows[0].gained.estimate, 0.5);
        QVERIFY(std::abs(rows[0].reward - 2.0 / 3) < 1e-12);
        QCOMPARE(rows[1].replies, 1);
        QCOMPARE(rows[1].gained.estimate, 0.0); // 1.00 is no gain
    }

    void advantagesAreThoseOfEquationFour()
    {
        protocol::GrpoSettings settings;
        const auto by = advantagesFor({2.0, 1.0, 0.0, std::nullopt}, settings); // mean 1, deviation 1
        QCOMPARE(by[0], std::optional(1.0));
        QCOMPARE(by[1], std::optional(0.0));
        QCOMPARE(by[2], std::optional(-1.0));
        QVERIFY(!by[3]);
        settings.baseline = protocol::RewardBaseline::LeaveOneOut;
        settings.dividesByDeviation = false;
        QCOMPARE(advantagesFor({2.0, 1.0, 0.0}, settings)[0], std::optional(1.5)); // 2 - 1 / 2
        QCOMPARE(advantagesFor({1.0, 1.0}, settings)[0], std::optional(0.0));
        QVERIFY(!advantagesFor({1.0, std::nullopt}, settings)[0]);
    }

    void aModelsSizeFollowsFromItsConfig()
    {
        QTemporaryDir folder;
        write(folder.filePath("config.json"), // of SmolLM2-135M
              R"({"model_type":"llama","num_hidden_layers":30,"hidden_size":576,"intermediate_size":1536,
                  "num_attention_heads":9,"num_key_value_heads":3,"vocab_size":49152,"tie_word_embeddings":true})");
        const auto shape = shapeOf(folder.path().toStdString());
        QVERIFY(shape);
        QCOMPARE(shape->parameters(), std::int64_t(134515008)); // as docs/training.md has it
        QCOMPARE(shape->computing(), shape->parameters());
        StageOptions options;
        options.device = "cuda";
        options.numbers = "bfloat16";
        const auto all = forecastOf(*shape, options, {}, 2);
        QCOMPARE(all.weights, 18.0 * 134515008);
        QCOMPARE(all.reference, 0.0);
        // 8 examples of 2,500 tokens, 6 FLOPs for each parameter, at 200 TFLOP/s
        QVERIFY(std::abs(all.learn_s - 20'000 * 6.0 * 134515008 / 200e12) < 1e-9);
        options.loraRank = 16;
        // 16 · 30 · (2 · 1152 + 2 · 768 + 3 · 2112) = 4,884,480 numbers
        QCOMPARE(shape->adapter(16), std::int64_t(4884480));
        QCOMPARE(forecastOf(*shape, options, {}, 2).weights, 2.0 * 134515008 + 18.0 * 4884480);
        options.loraRank = 0;
        options.recomputes = true;
        QVERIFY(forecastOf(*shape, options, {}, 2).activations < all.activations / 5);
        write(folder.filePath("config.json"), R"({"model_type":"gpt2"})");
        QVERIFY(!shapeOf(folder.path().toStdString()));
        QVERIFY(!shapeOf(folder.filePath("none.gguf").toStdString()));
        write(folder.filePath("cut.gguf"), "GGUF");
        QVERIFY(!shapeOf(folder.filePath("cut.gguf").toStdString()));
        const auto file = shapeOf(CUDAL1_SOURCE_DIR "/tests/decoder/data/llama.gguf");
        QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
        QCOMPARE(file->family, std::string("llama"));
        QVERIFY(file->layers == 2 && file->heads == 4 && file->keyHeads == 2);
    }

    void messagesAreKeptWithTheSteps()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath("run").toStdString();
        StepLog log(path);
        QVERIFY(log.say("early"));
        QVERIFY(log.begin(openedAt(2)));
        QVERIFY(log.say("one is left out"));
        QVERIFY(log.add({{"batch", 2}, {"skipped", "the batch is empty"}, {"saved", "/x/step-000002"}}));
        QVERIFY(log.end(LegEnd::Failed, "why"));
        const auto read = readStepLog(path);
        QVERIFY(read);
        std::vector<std::string> texts;
        for (const LoggedMessage& one : read->messages)
            texts.push_back(one.text);
        QCOMPARE(texts, (std::vector<std::string>{"goes on at step 3: 7 parameters on , ", "early", "one is left out",
                                                  "step 3: skipped: the batch is empty",
                                                  "step 3: checkpoint step-000002", "failed: why"}));
        QVERIFY(read->messages.front().time_ms > 0);
        QCOMPARE(read->steps.size(), std::size_t(1));
    }

    void whatStepsTookGoesBeforeWhatIsAssumed()
    {
        ModelShape shape{"llama", 2, 64, 128, 4, 2, 16, 500, true};
        StageOptions options;
        options.stage = Stage::Contrastive;
        options.grpo.beta = 0;
        options.batch = 2;
        options.group = 4;
        LoggedSteps log;
        QVERIFY(!measuredIn(log, shape, options));
        log.steps.push_back({{"batch", 0},
                             {"tokens", 800},
                             {"sequences", 8},
                             {"tokens_per_second", 400.0},
                             {"replies", 8},
                             {"reply_length", 50.0},
                             {"draw_seconds", 4.0},
                             {"judge_seconds", 24.0}});
        const auto rates = measuredIn(log, shape, options);
        QVERIFY(rates);
        const auto forecast = forecastOf(shape, options, rates, 2);
        QCOMPARE(forecast.learn_s, 2.0);
        QCOMPARE(forecast.draw_s, 4.0);
        QCOMPARE(forecast.judge_s, 24.0);
    }
};

QTEST_GUILESS_MAIN(TestTrainingRecords)
#include "tst_trainingrecords.moc"
