// SPDX-License-Identifier: GPL-3.0-or-later
// Models written as GGUF files and read again: weights, shapes, tokens; and what is refused.
#include "core/decoder/checkpoint.h"
#include "core/decoder/ggufexport.h"
#include "core/decoder/rotary.h"
#include "core/decoder/tensorencode.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace cudal1;
using namespace cudal1::decoder;
using namespace cudal1::modelfiles;
namespace fs = std::filesystem;

namespace {

/// A folder of tests/decoder/data with a tokenizer of as many tokens as the model has.
std::string folderOf(const QTemporaryDir& place, const char* name, bool withTokenizer = true)
{
    const fs::path to = fs::path(place.path().toStdString()) / name;
    fs::copy(fs::path(DATA) / name, to, fs::copy_options::recursive);
    std::size_t count = 0;
    nlohmann::json::parse(std::ifstream(to / "config.json")).at("vocab_size").get_to(count);
    if (!withTokenizer || fs::exists(to / "tokenizer.json"))
        return to.string();
    nlohmann::json vocabulary{{"<|end|>", 0}};
    for (std::size_t i = 1; i + 3 < count; ++i) // two rows of the model have no token
        vocabulary[std::string(1, char('!' + i % 90))] = i;
    vocabulary["ab"] = count - 3;
    const nlohmann::json bytes{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}};
    std::ofstream(to / "tokenizer.json") << nlohmann::json{
        {"added_tokens", {{{"id", 0}, {"content", "<|end|>"}, {"special", true}}}},
        {"pre_tokenizer", bytes},
        {"decoder", bytes},
        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array({"a b"})}}}};
    std::ofstream(to / "tokenizer_config.json")
        << nlohmann::json{{"eos_token", "<|end|>"}, {"chat_template", "{{ messages }}"}};
    return to.string();
}

/// The greatest difference of a weight, as a part of the greatest number of its block of 32.
double differenceOf(const Checkpoint& a, const Checkpoint& b)
{
    double out = 0;
    for (const WeightPlace& place : a.weights()) {
        const std::size_t rows = place.shape.size() == 1 ? 1 : place.shape[0], width = place.shape.back();
        std::vector<float> left(width), right(width);
        for (std::size_t i = 0; i < rows; ++i) {
            a.rows(place.name, i, 1, left.data());
            b.rows(place.name, i, 1, right.data());
            for (std::size_t block = 0; block < width; block += 32) {
                double greatest = 1e-30, difference = 0;
                for (std::size_t j = block; j < std::min(block + 32, width); ++j) {
                    greatest = std::max(greatest, double(std::abs(left[j])));
                    difference = std::max(difference, double(std::abs(left[j] - right[j])));
                }
                out = std::max(out, difference / greatest);
            }
        }
    }
    return out;
}

} // namespace

class GgufExportTest : public QObject {
    Q_OBJECT
private slots:
    void halvesAreRounded()
    {
        for (int bits = 0; bits < 0x10000; ++bits) { // every number of 16 bits comes back
            const float value = fromHalf(std::uint16_t(bits));
            QVERIFY(std::isnan(value) ? std::isnan(fromHalf(toHalf(value))) : toHalf(value) == bits);
        }
        QCOMPARE(toHalf(1 + std::ldexp(1.0f, -11)), std::uint16_t(0x3c00)); // halfway: to the even one
        QCOMPARE(toHalf(1 + 3 * std::ldexp(1.0f, -11)), std::uint16_t(0x3c02));
        QCOMPARE(toHalf(std::ldexp(1.0f, -25)), std::uint16_t(0)); // halfway to the smallest
        QCOMPARE(toHalf(1.5f * std::ldexp(1.0f, -25)), std::uint16_t(1));
        QCOMPARE(toHalf(65519), std::uint16_t(0x7bff)); // the largest is 65504
        QCOMPARE(toHalf(65520), std::uint16_t(0x7c00));
        QCOMPARE(toHalf(-std::numeric_limits<float>::infinity()), std::uint16_t(0xfc00));
        std::vector<std::byte> bytes;
        const float large = 1e6f;
        QVERIFY(!appendEncoded(TensorFormat::F16, &large, 1, bytes));
        QVERIFY(appendEncoded(TensorFormat::BF16, &large, 1, bytes));
    }

    void weightsComeBack_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name :
             {"llama", "llama_biases", "llama_linear", "llama_llama3", "qwen2", "qwen2_yarn", "qwen3"})
            QTest::newRow(name) << QByteArray(name);
    }
    void weightsComeBack()
    {
        QFETCH(QByteArray, name);
        QTemporaryDir place;
        const std::string folder = folderOf(place, name.constData());
        const auto before = Checkpoint::open(folder);
        QVERIFY2(before.ok(), before ? "" : before.error().text().c_str());
        // Half a step: F16 has 11 bits, BF16 8, Q8_0 127 steps and a scale of 11 bits.
        for (const auto& [format, limit] : {std::pair{TensorFormat::F32, 0.0},
                                            {TensorFormat::F16, 1.0 / 2048},
                                            {TensorFormat::BF16, 1.0 / 256},
                                            {TensorFormat::Q8_0, 0.5 / 127 + 1.0 / 2048}}) {
            const std::string file = place.filePath("model.gguf").toStdString();
            const auto done = exportGguf(folder, file, format);
            QVERIFY2(done.ok(), done ? "" : done.error().text().c_str());
            QCOMPARE(done->bytes, std::uint64_t(fs::file_size(file)));
            QVERIFY(!fs::exists(file + ".part"));
            const auto after = Checkpoint::open(file);
            QVERIFY2(after.ok(), after ? "" : after.error().text().c_str());
            QVERIFY(differenceOf(*before, *after) <= limit);
            const DecoderConfig &a = before->config(), &b = after->config();
            QVERIFY(a.family == b.family && a.heads == b.heads && a.keyValueHeads == b.keyValueHeads &&
                    a.headSize == b.headSize && a.context == b.context && a.tiesEmbeddings == b.tiesEmbeddings &&
                    a.hasQkvBias == b.hasQkvBias && a.hasMlpBias == b.hasMlpBias && a.hasQkNorm == b.hasQkNorm);
            QVERIFY(std::abs(a.normEpsilon - b.normEpsilon) < 1e-12 &&
                    std::abs(a.rotaryBase / b.rotaryBase - 1) < 1e-6);
            const auto angles = rotaryFrequencies(a, 0), back = rotaryFrequencies(b, 0);
            QCOMPARE(angles.frequencies.size(), back.frequencies.size());
            for (std::size_t i = 0; i < angles.frequencies.size(); ++i)
                QVERIFY(std::abs(angles.frequencies[i] / back.frequencies[i] - 1) < 1e-5);
        }
    }

    void tokensComeBack()
    {
        QTemporaryDir place;
        const std::string file = place.filePath("model.gguf").toStdString();
        QVERIFY(exportGguf(folderOf(place, "qwen3"), file, TensorFormat::F32).ok());
        const auto model = Checkpoint::open(file);
        QVERIFY(model.ok());
        const GgufFile& gguf = *model->gguf();
        const auto* tokens = gguf.texts("tokenizer.ggml.tokens");
        const auto* types = gguf.integers("tokenizer.ggml.token_type");
        QVERIFY(tokens && types && tokens->size() == model->config().vocabulary && types->size() == tokens->size());
        QVERIFY(tokens->front() == "<|end|>" && types->front() == 3 && (*types)[1] == 1);
        QVERIFY(tokens->back().starts_with("[PAD") && types->back() == 5);
        QCOMPARE(gguf.text("tokenizer.ggml.pre").value_or(""), std::string("gpt-2"));
        QCOMPARE(*gguf.texts("tokenizer.ggml.merges"), std::vector<std::string>{"a b"});
        QCOMPARE(gguf.integer("tokenizer.ggml.eos_token_id").value_or(-1), std::int64_t(0));
        QVERIFY(gguf.flag("tokenizer.ggml.add_bos_token") == false);
        QCOMPARE(gguf.text("tokenizer.chat_template").value_or(""), std::string("{{ messages }}"));
    }

    void whatCannotBeSaidIsRefused()
    {
        QTemporaryDir place;
        const std::string file = place.filePath("model.gguf").toStdString();
        const auto says = [&](const std::string& folder, const char* what) {
            const auto done = exportGguf(folder, file, TensorFormat::F16);
            return !done && done.error().text().find(what) != std::string::npos && !fs::exists(file);
        };
        QVERIFY(says(folderOf(place, "llama_dynamic"), "rotary embedding"));
        QVERIFY(says(folderOf(place, "qwen2", false), "no tokenizer.json"));
        QVERIFY(says(std::string(DATA) + "/llama.gguf", "GGUF file already"));
        QVERIFY(says(place.filePath("nothing").toStdString(), "no such model"));
        const std::string other = folderOf(place, "qwen3");
        std::ofstream(fs::path(other) / "tokenizer.json") << R"({"model":{"type":"Unigram","vocab":[]}})";
        QVERIFY(says(other, "byte-level BPE"));
        std::ofstream(fs::path(other) / "tokenizer.json")
            << R"({"model":{"vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"Whitespace"}})";
        QVERIFY(says(other, "no name in GGUF"));
        QVERIFY(!exportGguf(std::string(DATA) + "/llama", "/nowhere/model.gguf", TensorFormat::F16).ok());
    }
};

QTEST_GUILESS_MAIN(GgufExportTest)
#include "tst_ggufexport.moc"
