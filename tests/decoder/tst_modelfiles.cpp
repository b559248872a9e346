// SPDX-License-Identifier: GPL-3.0-or-later
// Formats of weights against numbers worked out by hand, and damaged files.
#include "core/decoder/checkpoint.h"
#include "core/decoder/rotary.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace cudal1;
using namespace cudal1::decoder;
using namespace cudal1::modelfiles;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

QString data(const char* name)
{
    return QString(DATA) + '/' + name;
}

/// Reads every weight, so that a wrong place would be noticed.
double sumOf(const Checkpoint& checkpoint)
{
    double sum = 0;
    for (const WeightPlace& place : checkpoint.weights()) {
        const std::size_t rows = place.shape.size() == 1 ? 1 : place.shape[0];
        std::vector<float> row(place.shape.back());
        for (std::size_t i = 0; i < rows; ++i) {
            checkpoint.rows(place.name, i, 1, row.data());
            for (const float value : row)
                sum += std::isfinite(value) ? static_cast<double>(value) : 0;
        }
    }
    return sum;
}

} // namespace

class ModelFilesTest : public QObject {
    Q_OBJECT

private slots:
    void halves();
    void plainBlocks();
    void superBlocks();
    void sixBits();
    void sizes();
    void filesThatAreCutOff_data();
    void filesThatAreCutOff();
    void filesWithWrongBytes_data();
    void filesWithWrongBytes();
    void claims();
    void shapesThatDoNotFit();
    void shardsThatAreMissing();
    void familiesThatAreNotSupported();
    void sameWeightsInBothFormats();
    void rotaryByHand();
};

void ModelFilesTest::halves()
{
    QCOMPARE(fromHalf(0x3c00), 1.0f);
    QCOMPARE(fromHalf(0xc000), -2.0f);
    QCOMPARE(fromHalf(0x7bff), 65504.0f);
    QCOMPARE(fromHalf(0x0001), std::ldexp(1.0f, -24)); // the smallest number there is
    QCOMPARE(fromHalf(0x8200), -std::ldexp(1.0f, -15));
    QVERIFY(std::isinf(fromHalf(0x7c00)) && std::isnan(fromHalf(0x7e00)));
    QCOMPARE(fromBfloat(0x3fc0), 1.5f);
    QCOMPARE(toBfloat(1.5f), std::uint16_t(0x3fc0));
    QCOMPARE(toBfloat(1.0f + 1.0f / 256), std::uint16_t(0x3f80)); // halfway: to the even one below
    QCOMPARE(toBfloat(1.0f + 3.0f / 256), std::uint16_t(0x3f82)); // halfway: to the even one above
    QVERIFY(std::isnan(fromBfloat(toBfloat(std::numeric_limits<float>::quiet_NaN()))));
}

void ModelFilesTest::plainBlocks()
{
    std::array<unsigned char, 36> block{};
    std::array<float, 32> out{};
    const auto read = [&](TensorFormat format) {
        toFloats(format, reinterpret_cast<const std::byte*>(block.data()), out.size(), out.data());
    };
    block[1] = 0x38; // scale 0.5
    block[2] = 0xfd; // -3
    block[33] = 127;
    read(TensorFormat::Q8_0);
    QCOMPARE(out[0], -1.5f);
    QCOMPARE(out[1], 0.0f);
    QCOMPARE(out[31], 63.5f);

    block.fill(0x88); // 8 stands for 0
    block[0] = 0x00;
    block[1] = 0x40; // scale 2
    block[2] = 0xf0;
    read(TensorFormat::Q4_0);
    QCOMPARE(out[0], -16.0f); // (0 - 8) * 2
    QCOMPARE(out[16], 14.0f); // (15 - 8) * 2
    QCOMPARE(out[1], 0.0f);

    block = {0x00, 0x34, 0x00, 0x3c, 0x4c}; // scale 0.25, minimum 1
    read(TensorFormat::Q4_1);
    QCOMPARE(out[0], 4.0f);  // 12 * 0.25 + 1
    QCOMPARE(out[16], 2.0f); // 4 * 0.25 + 1
    QCOMPARE(out[1], 1.0f);
}

void ModelFilesTest::superBlocks()
{
    // Part 0 has scale 3 and minimum 2. Part 5 has scale 37 = 5 + 2 * 16 and minimum 19 = 3 + 1 * 16, of which the low
    // four bits lie in byte 5 + 4 and the upper two in bytes 1 and 5.
    std::array<unsigned char, 176> block{};
    block[1] = 0x3c; // scale 1
    block[3] = 0x38; // minimum 0.5
    block[4 + 0] = 3;
    block[4 + 4] = 2;
    block[4 + 9] = 5 | 3 << 4;
    block[4 + 1] = 2 << 6;
    block[4 + 5] = 1 << 6;
    std::array<float, 256> out{};
    block[16] = 7;                    // part 0, number 0
    block[16 + 2 * 32 + 31] = 9 << 4; // part 5, number 31
    toFloats(TensorFormat::Q4_K, reinterpret_cast<const std::byte*>(block.data()), out.size(), out.data());
    QCOMPARE(out[0], 3 * 7 - 0.5f * 2);
    QCOMPARE(out[1], -1.0f);
    QCOMPARE(out[5 * 32 + 31], 37 * 9 - 0.5f * 19);

    block[16] = 0;
    block[16 + 2 * 32 + 31] = 0;
    block[48] = 7;
    block[48 + 2 * 32 + 31] = 9 << 4;
    block[16 + 31] = 1 << 5; // the fifth bit of part 5, number 31
    toFloats(TensorFormat::Q5_K, reinterpret_cast<const std::byte*>(block.data()), out.size(), out.data());
    QCOMPARE(out[0], 3 * 7 - 0.5f * 2);
    QCOMPARE(out[5 * 32 + 31], 37 * 25 - 0.5f * 19);
    QCOMPARE(out[5 * 32 + 30], -0.5f * 19);
}

void ModelFilesTest::sixBits()
{
    std::array<unsigned char, 210> block{};
    block[209] = 0x38;             // scale 0.5
    block[17] = 0xa0;              // first half, row 2, number 17: 10 ...
    block[128 + 17] = 3 << 4;      // ... and 3 * 16
    block[192 + 2 * 2 + 1] = 0xfc; // -4
    block[64 + 32] = 5;            // second half, row 1, number 0: 5 ...
    block[128 + 32] = 1 << 2;      // ... and 1 * 16
    block[192 + 8 + 1 * 2] = 3;
    std::array<float, 256> out{};
    toFloats(TensorFormat::Q6_K, reinterpret_cast<const std::byte*>(block.data()), out.size(), out.data());
    QCOMPARE(out[2 * 32 + 17], 0.5f * -4 * (58 - 32));
    QCOMPARE(out[128 + 32], 0.5f * 3 * (21 - 32));
    QCOMPARE(out[0], -0.0f);
}

void ModelFilesTest::sizes()
{
    QCOMPARE(bytesOf(TensorFormat::Q4_1, 64).value_or(0), std::size_t(40));
    QCOMPARE(bytesOf(TensorFormat::Q6_K, 512).value_or(0), std::size_t(420));
    QVERIFY(!bytesOf(TensorFormat::Q4_0, 33));
    QVERIFY(!bytesOf(TensorFormat::F32, std::numeric_limits<std::size_t>::max() / 2));
}

void ModelFilesTest::filesThatAreCutOff_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("file");
    QTest::newRow("gguf") << data("llama.gguf") << QString();
    QTest::newRow("safetensors") << data("qwen3") << "model.safetensors";
    QTest::newRow("a shard") << data("llama") << "model-00002-of-00004.safetensors";
    QTest::newRow("config.json") << data("qwen2") << "config.json";
}

/// A copy of a model in which one file has another content; the path to open.
static QString copyOf(const QTemporaryDir& folder, const QString& model, const QString& file, const QByteArray& content)
{
    if (file.isEmpty()) {
        write(folder.filePath("model.gguf"), content);
        return folder.filePath("model.gguf");
    }
    for (const QString& name : QDir(model).entryList(QDir::Files))
        write(folder.filePath(name), name == file ? content : contentOf(model + '/' + name));
    return folder.path();
}

void ModelFilesTest::filesThatAreCutOff()
{
    QFETCH(QString, model);
    QFETCH(QString, file);
    const QByteArray whole = contentOf(file.isEmpty() ? model : model + '/' + file);
    QVERIFY(whole.size() > 500);
    const QTemporaryDir folder;
    for (qsizetype size = 0; size < whole.size(); size += std::max<qsizetype>(1, size < 200 ? 7 : whole.size() / 31)) {
        const QString path = copyOf(folder, model, file, whole.left(size));
        const auto opened = Checkpoint::open(path.toStdString());
        QVERIFY2(!opened.ok(),
                 qPrintable(QString("%1 of %2 bytes were taken for a model").arg(size).arg(whole.size())));
        QVERIFY(opened.error().code == base::ErrorCode::Unreadable || opened.error().code == base::ErrorCode::NotFound);
        QVERIFY(!opened.error().hint.empty() && !opened.error().context.empty());
    }
    const auto sound = Checkpoint::open(copyOf(folder, model, file, whole).toStdString());
    QVERIFY2(sound.ok(), sound.ok() ? "" : sound.error().text().c_str());
}

void ModelFilesTest::filesWithWrongBytes_data()
{
    filesThatAreCutOff_data();
}

/// Whatever the header says, opening and reading ends: with an error, or with weights that lie within the file.
void ModelFilesTest::filesWithWrongBytes()
{
    QFETCH(QString, model);
    QFETCH(QString, file);
    const QByteArray whole = contentOf(file.isEmpty() ? model : model + '/' + file);
    const qsizetype header = std::min<qsizetype>(whole.size(), file.isEmpty() ? 12000 : 1200);
    const QTemporaryDir folder;
    std::mt19937 random(27);
    int refused = 0;
    for (int i = 0; i < 90; ++i) {
        QByteArray changed = whole;
        for (int byte = 0; byte < 1 + i % 3; ++byte)
            changed[static_cast<qsizetype>(random() % static_cast<unsigned>(header))] = static_cast<char>(random());
        const auto opened = Checkpoint::open(copyOf(folder, model, file, changed).toStdString());
        if (opened.ok())
            QVERIFY(std::isfinite(sumOf(*opened)));
        else
            ++refused;
    }
    QVERIFY(refused > 6);
}

/// Numbers in a GGUF header that claim more than the file has.
void ModelFilesTest::claims()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("model.gguf");
    const QByteArray whole = contentOf(data("llama.gguf"));
    const auto changed = [&](qsizetype at, std::uint64_t value, qsizetype size) {
        QByteArray out = whole;
        std::memcpy(out.data() + at, &value, static_cast<std::size_t>(size));
        write(path, out);
        return Checkpoint::open(path.toStdString());
    };
    QVERIFY(changed(0, 0x46554747, 4).ok()); // what is there
    QCOMPARE(changed(4, 4, 4).error().code, base::ErrorCode::TooNew);
    QCOMPARE(changed(4, 1, 4).error().code, base::ErrorCode::Unreadable);
    QVERIFY(changed(8, ~std::uint64_t{0}, 8).error().message.find("entries") != std::string::npos);
    QVERIFY(changed(16, 1u << 19, 8).error().message.find("no sound GGUF") != std::string::npos);
    QVERIFY(changed(24, std::uint64_t{1} << 62, 8).error().message.find("ends within its header") != std::string::npos);
}

void ModelFilesTest::shapesThatDoNotFit()
{
    const QTemporaryDir folder;
    QByteArray config = contentOf(data("qwen3") + "/config.json");
    QVERIFY(config.contains("\"hidden_size\": 32"));
    config.replace("\"hidden_size\": 32", "\"hidden_size\": 64");
    const auto opened = Checkpoint::open(copyOf(folder, data("qwen3"), "config.json", config).toStdString());
    QVERIFY(!opened.ok());
    QVERIFY2(opened.error().message.find("should be") != std::string::npos, opened.error().message.c_str());
}

void ModelFilesTest::shardsThatAreMissing()
{
    const QTemporaryDir folder;
    const QString path = copyOf(folder, data("llama"), "none", {});
    QVERIFY(Checkpoint::open(path.toStdString()).ok());
    QVERIFY(QFile::remove(folder.filePath("model-00003-of-00004.safetensors")));
    QCOMPARE(Checkpoint::open(path.toStdString()).error().code, base::ErrorCode::NotFound);
    // An index must not lead out of its folder.
    QByteArray index = contentOf(data("llama") + "/model.safetensors.index.json");
    index.replace("model-00003-of-00004.safetensors", "../model.safetensors");
    QCOMPARE(Checkpoint::open(copyOf(folder, data("llama"), "model.safetensors.index.json", index).toStdString())
                 .error()
                 .code,
             base::ErrorCode::Unreadable);
}

void ModelFilesTest::familiesThatAreNotSupported()
{
    const auto refusal = [](const nlohmann::json& change) {
        nlohmann::json config = nlohmann::json::parse(contentOf(data("llama") + "/config.json").toStdString());
        config.update(change);
        return configOf(config, nlohmann::json::object());
    };
    QVERIFY(refusal(nlohmann::json::object()).ok());
    QVERIFY(refusal({{"model_type", "gpt2"}}).error().message.find("gpt2") != std::string::npos);
    QVERIFY(refusal({{"hidden_act", "gelu"}}).error().message.find("gelu") != std::string::npos);
    QVERIFY(!refusal({{"num_key_value_heads", 3}}).ok()); // 4 heads cannot share 3
    QVERIFY(!refusal({{"num_key_value_heads", 0}}).ok());
    QVERIFY(!refusal({{"hidden_size", -1}}).ok());
    QVERIFY(!refusal({{"hidden_size", "many"}}).ok());
    QVERIFY(!refusal({{"rope_parameters", {{"rope_type", "longrope"}}}}).ok());
    QVERIFY(!refusal({{"rope_parameters", {{"rope_type", "linear"}, {"factor", 0.5}}}}).ok());
    const auto ends = refusal({{"eos_token_id", {2, 7}}});
    QCOMPARE(ends.value().endTokens, (std::vector<int>{2, 7}));
}

/// The matrix of the embedding is F16 in the GGUF file, of numbers that have 8 bits: exactly those of the folder. The
/// norms are F32. Queries are in BF16 at most: their rows must be in the folder's order again.
void ModelFilesTest::sameWeightsInBothFormats()
{
    const auto folder = Checkpoint::open(data("llama").toStdString()),
               file = Checkpoint::open(data("llama.gguf").toStdString());
    QVERIFY(folder.ok() && file.ok());
    QCOMPARE(file->config().rotaryBase, folder->config().rotaryBase);
    QCOMPARE(file->config().headSize, folder->config().headSize);
    QCOMPARE(file->config().endTokens, folder->config().endTokens);
    QCOMPARE(file->parameters(), folder->parameters());
    for (const WeightPlace& place : folder->weights()) {
        const std::size_t rows = place.shape.size() == 1 ? 1 : place.shape[0];
        std::vector<float> a(rows * place.shape.back()), b(a.size());
        folder->rows(place.name, 0, rows, a.data());
        file->rows(place.name, 0, rows, b.data());
        double difference = 0, size = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            difference += std::pow(static_cast<double>(a[i] - b[i]), 2);
            size += std::pow(static_cast<double>(a[i]), 2);
        }
        QVERIFY2(difference < 0.01 * size, place.name.c_str()); // four bits are off by some percent
    }
}

void ModelFilesTest::rotaryByHand()
{
    DecoderConfig config;
    config.headSize = 4;
    config.rotaryBase = 10000;
    // Without scaling: 10000^0 and 10000^(-2/4).
    QCOMPARE(rotaryFrequencies(config, 0).frequencies, (std::vector<float>{1.0f, 0.01f}));
    config.rotary = {.kind = RotaryScaling::Kind::Linear, .factor = 4, .factors = {}};
    QCOMPARE(rotaryFrequencies(config, 0).frequencies, (std::vector<float>{0.25f, 0.0025f}));
    // Dynamic: at twice the context and factor 2 the base grows by (2 * 2 - 1)^(4 / 2) = 9, and 90000^(-1/2) = 1/300.
    config.rotary = {.kind = RotaryScaling::Kind::Dynamic, .factor = 2, .originalContext = 100, .factors = {}};
    QCOMPARE(rotaryFrequencies(config, 100).frequencies[1], 0.01f);
    QCOMPARE(rotaryFrequencies(config, 200).frequencies[1], static_cast<float>(1.0 / 300));
    // Llama 3: wavelengths 2 pi (kept) and 200 pi = 628; 628 is between 800 / 4 and 800 / 1: its share of the unscaled
    // one is (800 / 628.3 - 1) / 3 = 0.0910799.
    config.rotary = {.kind = RotaryScaling::Kind::Llama3, .factor = 8, .originalContext = 800, .factors = {}};
    QCOMPARE(rotaryFrequencies(config, 0).frequencies[0], 1.0f);
    QVERIFY(std::abs(rotaryFrequencies(config, 0).frequencies[1] - (0.01 / 8 * (1 - 0.0910799) + 0.01 * 0.0910799)) <
            1e-8);
    config.rotary = {.kind = RotaryScaling::Kind::Factors, .factors = {1, 32}};
    QCOMPARE(rotaryFrequencies(config, 0).frequencies[1], 0.01f / 32);
}

QTEST_GUILESS_MAIN(ModelFilesTest)
#include "tst_modelfiles.moc"
