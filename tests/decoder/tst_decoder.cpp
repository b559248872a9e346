// SPDX-License-Identifier: GPL-3.0-or-later
// Logits against those of transformers, batches against one text at a time, drawing, and the text of replies.
#include "core/decoder/batch.h"
#include "core/decoder/cpudecoder.h"
#include "core/decoder/replytext.h"
#include "core/decoder/torchdecoder.h"

#include <QFile>
#include <QtTest>

#include <cmath>
#include <map>
#include <numeric>

using namespace cudal1;
using namespace cudal1::decoder;

namespace {

std::string data(const QString& name)
{
    return (QString(DATA) + '/' + name).toStdString();
}

Checkpoint opened(const QString& name)
{
    auto out = Checkpoint::open(data(name));
    if (!out.ok())
        qFatal("%s", out.error().text().c_str());
    return std::move(out.value());
}

/// A text computed at once, without anything beside it: logits behind its last token.
std::vector<float> logitsOf(StepRunner& runner, const std::vector<int>& tokens, int firstBlock = 0)
{
    std::vector<int> table(tokens.size() / blockTokens + 1);
    std::iota(table.begin(), table.end(), firstBlock);
    std::vector<StepRow> rows;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        rows.push_back(
            {tokens[i], static_cast<int>(i), static_cast<int>(tokens.size()), &table, i + 1 == tokens.size()});
    const auto logits = runner.run(rows);
    return {logits.begin(), logits.end()};
}

std::vector<int> someTokens(std::size_t count, unsigned seed)
{
    std::vector<int> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<int>(2 + (seed * 7919 + i * 104729 + i * i * 31) % 60));
    return out;
}

struct Collector : BatchListener {
    std::map<std::pair<std::uint64_t, std::size_t>, std::vector<int>> tokens;
    std::map<std::pair<std::uint64_t, std::size_t>, bool> ends;
    int stopToken = -1;
    bool drawn(std::uint64_t id, std::size_t reply, const Drawn& drawn) override
    {
        tokens[{id, reply}].push_back(drawn.token);
        return drawn.token == stopToken;
    }
    void finished(std::uint64_t id, std::size_t reply, bool ended) override
    {
        if (ends.contains({id, reply}))
            qFatal("a reply ended twice");
        ends[{id, reply}] = ended;
    }
};

} // namespace

class DecoderTest : public QObject {
    Q_OBJECT

private slots:
    void logits_data();
    void logits();
    void rowsAreTheSameInEveryBatch();
    void batchesDrawWhatOneTextDraws();
    void littleMemoryChangesNothing();
    void cancelGivesBlocksBack();
    void drawing();
    void cuts();
    void replyTexts();
    void utf8();
    void teams();
};

void DecoderTest::logits_data()
{
    QTest::addColumn<QString>("model");
    for (const char* name : {"llama", "llama.gguf", "llama_biases", "llama_linear", "llama_dynamic", "llama_llama3",
                             "qwen2", "qwen2.gguf", "qwen2_yarn", "qwen3"})
        QTest::newRow(name) << QString(name);
}

void DecoderTest::logits()
{
    QFETCH(QString, model);
    QFile file(QString(DATA) + "/logits.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto expected = nlohmann::json::parse(file.readAll().toStdString());
    const auto tokens = expected["tokens"].get<std::vector<int>>();
    const auto rows = expected["logits"][model.toStdString()].get<std::vector<std::vector<float>>>();
    const auto every = expected["every"].get<std::size_t>();
    const Checkpoint checkpoint = opened(model);
    const auto compare = [&](StepRunner& runner, double tolerance) {
        std::vector<int> table{2, 1}; // blocks need not be in order
        std::vector<StepRow> steps;
        for (std::size_t i = 0; i < tokens.size(); ++i)
            steps.push_back({tokens[i], static_cast<int>(i), static_cast<int>(tokens.size()), &table, i % every == 0});
        const auto got = runner.run(steps);
        double worst = 0;
        for (std::size_t row = 0; row < rows.size(); ++row)
            for (std::size_t i = 0; i < rows[row].size(); ++i)
                worst = std::max(worst, std::abs(static_cast<double>(got[row * rows[row].size() + i] - rows[row][i])));
        QCOMPARE(got.size(), rows.size() * rows[0].size());
        QVERIFY2(worst < tolerance, qPrintable(QString("%1 by %2").arg(worst).arg(runner.name().c_str())));
    };
    Team team(2);
    for (const CpuKernels* kernels : cpuKernels()) {
        CpuDecoder decoder(checkpoint, {.kernels = kernels, .blocks = 4, .maxRows = 64}, team);
        compare(decoder, kernels->isBf16 ? 0.5 : 1e-3);
    }
    const auto torch = TorchDecoder::make(checkpoint, {.numbers = "float32", .blocks = 4, .context = 64});
    QVERIFY(torch.ok());
    compare(**torch, 1e-3);
}

/// To the last bit: a text at once, token by token, and beside other texts, with one thread and with three.
void DecoderTest::rowsAreTheSameInEveryBatch()
{
    const Checkpoint checkpoint = opened("llama");
    const auto tokens = someTokens(37, 1);
    for (const CpuKernels* kernels : cpuKernels()) {
        Team one(1), three(3);
        CpuDecoder alone(checkpoint, {.kernels = kernels, .blocks = 8, .maxRows = 64}, one);
        CpuDecoder busy(checkpoint, {.kernels = kernels, .blocks = 64, .maxRows = 64}, three);
        const auto expected = logitsOf(alone, tokens);
        std::vector<std::vector<int>> tables;
        for (int text = 0; text < 13; ++text)
            tables.push_back({60 - 3 * text, 59 - 3 * text, 58 - 3 * text});
        std::vector<float> got;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            std::vector<StepRow> rows;
            for (std::size_t text = 0; text < tables.size(); ++text)
                rows.push_back({text == 5 ? tokens[i] : static_cast<int>(2 + (text * 5 + i) % 60), static_cast<int>(i),
                                static_cast<int>(tokens.size()), &tables[text], text >= 5});
            const auto logits = busy.run(rows);
            got.assign(logits.begin(), logits.begin() + static_cast<std::ptrdiff_t>(busy.vocabulary()));
        }
        QVERIFY2(got == expected, kernels->name.data());
    }
}

/// Groups of replies that come and go, against each reply drawn alone and without a cache.
void DecoderTest::batchesDrawWhatOneTextDraws()
{
    const Checkpoint checkpoint = opened("qwen3");
    Team team(2);
    const CpuKernels& kernels = *cpuKernels().front();
    CpuDecoder decoder(checkpoint, {.kernels = &kernels, .blocks = 64, .maxRows = 64}, team);
    Collector collector;
    Batch batch(decoder, kernels, team, collector, {.maxReplies = 7, .promptRows = 10});
    std::vector<GroupRequest> requests;
    for (unsigned i = 0; i < 6; ++i)
        requests.push_back({.id = i + 1,
                            .prompt = someTokens(5 + i * 6, i),
                            .replies = 1 + i % 3 * 2,
                            .maxTokens = 6 + i * 3,
                            .drawing = {.temperature = i == 3 ? 0 : 0.9, .topP = i == 4 ? 0.8 : 1, .seed = 100 * i},
                            .endTokens = {}});
    for (const GroupRequest& request : requests) {
        batch.add(request);
        batch.step(); // the next one joins a running batch
        batch.step();
    }
    for (int steps = 0; !batch.idle(); ++steps) {
        QVERIFY(steps < 500);
        batch.step();
    }
    QCOMPARE(batch.freeBlocks(), 64);
    CpuDecoder alone(checkpoint, {.kernels = &kernels, .blocks = 8, .maxRows = 64}, team);
    Sampler sampler(kernels);
    for (const GroupRequest& request : requests)
        for (std::size_t reply = 0; reply < request.replies; ++reply) {
            std::vector<int> text = request.prompt, expected;
            TokenSampling drawing = request.drawing;
            drawing.seed += reply;
            for (std::size_t i = 0; i < request.maxTokens; ++i) {
                expected.push_back(sampler.draw(logitsOf(alone, text), drawing, i).token);
                text.push_back(expected.back());
            }
            QCOMPARE((collector.tokens[{request.id, reply}]), expected);
            QCOMPARE((collector.ends[{request.id, reply}]), false);
        }
}

/// With a cache that holds hardly more than one text, replies give their blocks back and come again.
void DecoderTest::littleMemoryChangesNothing()
{
    const Checkpoint checkpoint = opened("llama");
    Team team(1);
    const CpuKernels& kernels = *cpuKernels().front();
    std::map<std::pair<std::uint64_t, std::size_t>, std::vector<int>> expected;
    for (const int blocks : {128, 11, 7, 6}) {
        CpuDecoder decoder(checkpoint, {.kernels = &kernels, .blocks = blocks, .maxRows = 64}, team);
        Collector collector;
        collector.stopToken = 33;
        Batch batch(decoder, kernels, team, collector, {.maxReplies = 16, .promptRows = 24});
        for (unsigned i = 0; i < 4; ++i)
            batch.add({.id = i + 1,
                       .prompt = someTokens(18 + 3 * i, i),
                       .replies = 3,
                       .maxTokens = 50,
                       .drawing = {.seed = 1000 * i},
                       .endTokens = {1}});
        QVERIFY(batch.capacity() >= 18 + 9 + 50);
        for (int steps = 0; !batch.idle(); ++steps) {
            QVERIFY2(steps < 5000, qPrintable(QString("stuck with %1 blocks").arg(blocks)));
            batch.step();
        }
        QCOMPARE(batch.freeBlocks(), blocks);
        QCOMPARE(collector.ends.size(), std::size_t(12));
        if (expected.empty())
            expected = collector.tokens;
        QVERIFY2(collector.tokens == expected, qPrintable(QString("%1 blocks").arg(blocks)));
    }
}

void DecoderTest::cancelGivesBlocksBack()
{
    const Checkpoint checkpoint = opened("llama");
    Team team(1);
    const CpuKernels& kernels = *cpuKernels().front();
    CpuDecoder decoder(checkpoint, {.kernels = &kernels, .blocks = 32, .maxRows = 64}, team);
    for (int steps = 0; steps < 12; ++steps) {
        Collector collector;
        Batch batch(decoder, kernels, team, collector, {.maxReplies = 4, .promptRows = 8});
        batch.add(
            {.id = 1, .prompt = someTokens(20, 1), .replies = 3, .maxTokens = 20, .drawing = {}, .endTokens = {}});
        batch.add({.id = 2, .prompt = someTokens(9, 2), .replies = 2, .maxTokens = 20, .drawing = {}, .endTokens = {}});
        for (int i = 0; i < steps; ++i)
            batch.step();
        QVERIFY(batch.cancel(1));
        QVERIFY(!batch.cancel(1));
        const auto told = collector.tokens.size();
        QVERIFY(told <= 5);
        while (!batch.idle())
            batch.step();
        QCOMPARE(batch.freeBlocks(), 32);
        QVERIFY(!collector.ends.contains({1, 0}));
        QVERIFY(collector.ends.contains({2, 0}) && collector.ends.contains({2, 1}));
    }
}

/// Probabilities 0.1, 0.2, 0.3 and 0.4, and what temperatures and cuts make of them, against 100,000 draws.
void DecoderTest::drawing()
{
    const std::vector<float> logits{std::log(1.0f), std::log(2.0f), std::log(3.0f), std::log(4.0f)};
    Sampler sampler(*cpuKernels().front());
    const auto check = [&](TokenSampling drawing, std::vector<double> expected) {
        constexpr int draws = 100'000;
        std::vector<int> counts(4, 0);
        for (int i = 0; i < draws; ++i) {
            drawing.seed = static_cast<std::uint64_t>(i % 100);
            const Drawn drawn = sampler.draw(logits, drawing, static_cast<std::uint64_t>(i / 100));
            const auto token = static_cast<std::size_t>(drawn.token);
            ++counts[token];
            QVERIFY(std::abs(static_cast<double>(drawn.logProbability) - std::log(expected[token])) < 1e-5);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            const double deviation = std::sqrt(draws * expected[i] * (1 - expected[i]));
            QVERIFY(std::abs(counts[i] - draws * expected[i]) <= 4.5 * deviation);
        }
    };
    check({}, {0.1, 0.2, 0.3, 0.4});
    check({.temperature = 0.5}, {1 / 30.0, 4 / 30.0, 9 / 30.0, 16 / 30.0}); // squares
    check({.topK = 2}, {0, 0, 3 / 7.0, 4 / 7.0});
    check({.topP = 0.65}, {0, 0, 3 / 7.0, 4 / 7.0}); // 0.4 is not enough, 0.7 is
    check({.topP = 0.39}, {0, 0, 0, 1});
    check({.minP = 0.45}, {0, 2 / 9.0, 3 / 9.0, 4 / 9.0});     // 0.2 is half of 0.4
    check({.topP = 0.5, .topK = 3}, {0, 0, 3 / 7.0, 4 / 7.0}); // of 4/9, 3/9, 2/9
    check({.topP = 0.75, .minP = 0.7}, {0, 0, 3 / 7.0, 4 / 7.0});
}

void DecoderTest::cuts()
{
    // Greedy: the likeliest, the first of equal ones, with the model's own probability: 4 of 4 + 4 + 1.
    Sampler sampler(*cpuKernels().front());
    const std::vector<float> equal{0.0f, std::log(4.0f), std::log(4.0f)};
    const Drawn greedy = sampler.draw(equal, {.temperature = 0}, 0);
    QCOMPARE(greedy.token, 1);
    QVERIFY(std::abs(greedy.logProbability - std::log(4.0f / 9)) < 1e-6f);
    // Many tokens of which only the last few matter: blocks of sums and sorting in part.
    std::vector<float> many(5000, -50.0f);
    for (std::size_t i = 4990; i < 5000; ++i)
        many[i] = static_cast<float>(i - 4990) * 0.1f;
    for (std::uint64_t i = 0; i < 500; ++i) {
        QVERIFY(sampler.draw(many, {.seed = i}, 0).token >= 4990);
        QVERIFY(sampler.draw(many, {.topP = 0.999, .seed = i}, 0).token >= 4990);
    }
    QVERIFY(uniform(1, 2) != uniform(2, 1));
    QVERIFY(uniform(0, 0) >= 0 && uniform(0, 0) < 1);
    QCOMPARE(sampler.draw(many, {.seed = 7}, 3).token, sampler.draw(many, {.seed = 7}, 3).token);
}

void DecoderTest::replyTexts()
{
    ReplyText text({"END", "", "\n\n"});
    QCOMPARE(text.add("say E"), std::string("say "));
    QCOMPARE(text.add("N"), std::string());
    QCOMPARE(text.add("x"), std::string("ENx"));
    QCOMPARE(text.add("\n"), std::string());
    QCOMPARE(text.add("E"), std::string("\n"));
    QVERIFY(!text.stopped());
    QCOMPARE(text.add("ND and more"), std::string());
    QVERIFY(text.stopped());
    QCOMPARE(text.add("ignored"), std::string());
    QCOMPARE(text.finish(), std::string());
    QCOMPARE(text.text(), std::string("say ENx\n"));
    ReplyText open({"END"});
    QCOMPARE(open.add("E"), std::string());
    QCOMPARE(open.finish(), std::string("E")); // the end of the reply, and no stop string
    ReplyText first({"bc", "abcd"});
    QCOMPARE(first.add("xabcd"), std::string("x")); // the one that begins first
}

void DecoderTest::utf8()
{
    ReplyText text({});
    QCOMPARE(text.add("\xc3"), std::string());
    QCOMPARE(text.add("\xa9!"), std::string("\xc3\xa9!"));
    QCOMPARE(text.add("\xf0\x9f\x98"), std::string());
    QCOMPARE(text.add("\x80"), std::string("\xf0\x9f\x98\x80"));
    QCOMPARE(text.add("\xff"), std::string("\xef\xbf\xbd"));
    QCOMPARE(text.add("a\xe2\x82"), std::string("a"));
    QCOMPARE(text.finish(), std::string("\xef\xbf\xbd"));
    QCOMPARE(validUtf8("\xed\xa0\x80"), std::string("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")); // a surrogate
    QCOMPARE(validUtf8("\xc0\xaf"), std::string("\xef\xbf\xbd\xef\xbf\xbd"));                 // an overlong slash
}

void DecoderTest::teams()
{
    for (const int size : {1, 2, 5}) {
        Team team(size);
        QCOMPARE(team.size(), size);
        for (std::size_t count = 0; count < 300; count += 7) {
            std::vector<std::atomic<int>> done(count);
            team.run(count, 1 + count % 5, [&](std::size_t begin, std::size_t end, int thread) {
                if (thread < 0 || thread >= size)
                    qFatal("a thread of another team");
                for (std::size_t i = begin; i < end; ++i)
                    ++done[i];
            });
            for (std::size_t i = 0; i < count; ++i)
                QCOMPARE(done[i].load(), 1);
        }
    }
}

QTEST_GUILESS_MAIN(DecoderTest)
#include "tst_decoder.moc"
