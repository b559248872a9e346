// SPDX-License-Identifier: GPL-3.0-or-later
// From a GGUF file to a folder.
#include "core/training/unpackedmodel.h"

#include "core/decoder/tokenizer.h"
#include "core/training/safetensorswriter.h"
#include "core/training/trainingfolder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

namespace cudal1::training {

using base::Error;
using base::ErrorCode;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t valuesAtOnce = std::size_t{1} << 14;

Error untrainable(const std::string& why)
{
    return {ErrorCode::InvalidArgument, "This GGUF file cannot be trained: " + why, "",
            "Train the Hugging Face folder that it was made of"};
}

base::Result<json> scalingOf(const modelfiles::RotaryScaling& rotary)
{
    using Kind = modelfiles::RotaryScaling::Kind;
    switch (rotary.kind) {
    case Kind::None: return json();
    case Kind::Linear: return json{{"rope_type", "linear"}, {"factor", rotary.factor}};
    case Kind::Dynamic: return json{{"rope_type", "dynamic"}, {"factor", rotary.factor}};
    case Kind::Llama3:
        return json{{"rope_type", "llama3"},
                    {"factor", rotary.factor},
                    {"low_freq_factor", rotary.lowFrequency},
                    {"high_freq_factor", rotary.highFrequency},
                    {"original_max_position_embeddings", rotary.originalContext}};
    case Kind::Yarn:
        return json{{"rope_type", "yarn"},
                    {"factor", rotary.factor},
                    {"beta_fast", rotary.betaFast},
                    {"beta_slow", rotary.betaSlow},
                    {"attention_factor", rotary.attention},
                    {"truncate", rotary.truncates},
                    {"original_max_position_embeddings", rotary.originalContext}};
    case Kind::Factors: break;
    }
    return untrainable("it has a list of divisors for its rotary embedding, which config.json cannot say");
}

base::Status writeWeights(const decoder::Checkpoint& files, const std::string& path)
{
    std::vector<SafetensorsWriter::Entry> entries;
    for (const decoder::WeightPlace& place : files.weights())
        entries.push_back({place.name, "F32", place.shape});
    auto writer = SafetensorsWriter::open(path, entries);
    if (!writer)
        return writer.error();
    for (const decoder::WeightPlace& place : files.weights()) {
        const bool isMatrix = place.shape.size() == 2;
        const std::size_t rows = isMatrix ? place.shape[0] : 1, width = place.shape.back();
        const std::size_t most = std::max<std::size_t>(1, valuesAtOnce / width);
        std::vector<float> values;
        for (std::size_t first = 0; first < rows; first += most) {
            const std::size_t count = std::min(most, rows - first);
            values.resize(count * width);
            files.rows(place.name, first, count, values.data());
            writer->add(std::as_bytes(std::span<const float>(values)));
        }
    }
    const auto written = writer->finish();
    return written ? base::Status() : written.error();
}

} // namespace

base::Result<json> configJsonOf(const modelfiles::DecoderConfig& config)
{
    static const std::map<std::string, std::string> classes{
        {"llama", "LlamaForCausalLM"}, {"qwen2", "Qwen2ForCausalLM"}, {"qwen3", "Qwen3ForCausalLM"}};
    auto scaling = scalingOf(config.rotary);
    if (!scaling)
        return scaling.error();
    if (config.family != "qwen2" && config.hasQkvBias != config.hasOutputBias)
        return untrainable("it has biases of queries without one of the output, which config.json cannot say");
    json out{{"model_type", config.family},
             {"architectures", {classes.at(config.family)}},
             {"hidden_act", "silu"},
             {"vocab_size", config.vocabulary},
             {"hidden_size", config.hidden},
             {"intermediate_size", config.intermediate},
             {"num_hidden_layers", config.layers},
             {"num_attention_heads", config.heads},
             {"num_key_value_heads", config.keyValueHeads},
             {"head_dim", config.headSize},
             {"max_position_embeddings", config.context},
             {"rms_norm_eps", config.normEpsilon},
             {"rope_theta", config.rotaryBase},
             {"tie_word_embeddings", config.tiesEmbeddings},
             {"eos_token_id", config.endTokens},
             {"dtype", "float32"}};
    if (config.family == "llama")
        out["mlp_bias"] = config.hasMlpBias;
    if (config.family != "qwen2")
        out["attention_bias"] = config.hasQkvBias;
    if (!scaling->is_null())
        out["rope_scaling"] = std::move(*scaling);
    return out;
}

base::Status unpackModel(const decoder::Checkpoint& files, decoder::Interpreter& python, const std::string& folder)
{
    std::error_code failed;
    if (fs::exists(folder, failed))
        return {};
    const auto config = configJsonOf(files.config());
    if (!config)
        return config.error();
    const auto tokenizer = decoder::Tokenizer::load(python, files);
    if (!tokenizer)
        return tokenizer.error();
    const auto texts = tokenizer->files();
    if (!texts)
        return texts.error();
    const std::string other = folder + ".new";
    removeFolder(other);
    fs::create_directories(other, failed);
    if (failed)
        return Error{ErrorCode::Unreadable, "The model cannot be unpacked: " + failed.message(), other,
                     "Choose another folder for the training"};
    if (const auto written = writeText(other + "/config.json", config->dump(2) + '\n'); !written)
        return written.error();
    for (const auto& [name, text] : *texts)
        if (const auto written = writeText(other + '/' + name, text); !written)
            return written.error();
    if (const auto written = writeWeights(files, other + "/model.safetensors"); !written)
        return written.error();
    fs::rename(other, folder, failed);
    if (failed)
        return Error{ErrorCode::Unreadable, "The model cannot be unpacked: " + failed.message(), folder,
                     "Choose another folder for the training"};
    return {};
}

} // namespace cudal1::training
