// SPDX-License-Identifier: GPL-3.0-or-later
// Shape, tokenizer and weights of a decoder as a GGUF file.
#include "core/decoder/ggufexport.h"

#include "core/decoder/checkpoint.h"
#include "core/decoder/ggufvocabulary.h"
#include "core/decoder/ggufwriter.h"
#include "core/decoder/tensorencode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string_view>
#include <utility>

namespace cudal1::decoder {

using modelfiles::DecoderConfig;
using modelfiles::RotaryScaling;
using modelfiles::TensorFormat;

namespace {

using base::Error;
using base::ErrorCode;

/// The name of a weight in GGUF files.
std::string ggufName(const std::string& name)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> parts{{
        {"model.embed_tokens", "token_embd"},
        {"model.norm", "output_norm"},
        {"lm_head", "output"},
        {"input_layernorm", "attn_norm"},
        {"self_attn.q_proj", "attn_q"},
        {"self_attn.k_proj", "attn_k"},
        {"self_attn.v_proj", "attn_v"},
        {"self_attn.o_proj", "attn_output"},
        {"self_attn.q_norm", "attn_q_norm"},
        {"self_attn.k_norm", "attn_k_norm"},
        {"post_attention_layernorm", "ffn_norm"},
        {"mlp.gate_proj", "ffn_gate"},
        {"mlp.up_proj", "ffn_up"},
        {"mlp.down_proj", "ffn_down"},
    }};
    constexpr std::string_view layers = "model.layers.";
    const std::size_t dot = name.rfind('.');
    std::string stem = name.substr(0, dot), block;
    if (stem.starts_with(layers)) {
        const std::size_t end = stem.find('.', layers.size());
        block = "blk." + stem.substr(layers.size(), end - layers.size()) + ".";
        stem = stem.substr(end + 1);
    }
    for (const auto& [from, to] : parts)
        if (stem == from)
            return block + std::string(to) + name.substr(dot);
    return {};
}

/// Divisors of the frequencies of Llama 3's rotation.
std::vector<float> divisorsOf(const DecoderConfig& config)
{
    const RotaryScaling& scaling = config.rotary;
    std::vector<float> out;
    for (std::size_t i = 0; i < config.headSize / 2; ++i) {
        if (scaling.kind == RotaryScaling::Kind::Factors) {
            out.push_back(float(scaling.factors[i]));
            continue;
        }
        const double wave = 2 * std::numbers::pi *
                            std::pow(config.rotaryBase, 2.0 * double(i) / double(config.headSize));
        const double context = double(scaling.originalContext);
        const double part = (context / wave - scaling.lowFrequency) / (scaling.highFrequency - scaling.lowFrequency);
        const double ramp = std::clamp(part, 0.0, 1.0);
        out.push_back(float(1 / ((1 - ramp) / scaling.factor + ramp)));
    }
    return out;
}

base::Status putRotary(const DecoderConfig& config, GgufWriter& writer)
{
    const RotaryScaling& scaling = config.rotary;
    const std::string key = config.family + ".rope.scaling.";
    using Kind = RotaryScaling::Kind;
    switch (scaling.kind) {
    case Kind::None:
    case Kind::Llama3:
    case Kind::Factors: return {};
    case Kind::Linear:
        writer.put(key + "type", "linear");
        writer.put(key + "factor", float(scaling.factor));
        return {};
    case Kind::Yarn:
        if (!scaling.truncates)
            break;
        writer.put(key + "type", "yarn");
        writer.put(key + "factor", float(scaling.factor));
        writer.put(key + "original_context_length", std::uint32_t(scaling.originalContext));
        writer.put(key + "yarn_beta_fast", float(scaling.betaFast));
        writer.put(key + "yarn_beta_slow", float(scaling.betaSlow));
        writer.put(key + "attn_factor",
                   float(scaling.attention / (scaling.factor > 1 ? 1 + 0.1 * std::log(scaling.factor) : 1)));
        return {};
    case Kind::Dynamic: break;
    }
    return Error{ErrorCode::InvalidArgument,
                 "A GGUF file cannot say how this model's rotary embedding is scaled",
                 {},
                 "Use the folder itself"};
}

void putShape(const DecoderConfig& config, const std::string& name, TensorFormat format, GgufWriter& writer)
{
    const std::string key = config.family + ".";
    const std::uint32_t type = format == TensorFormat::F16  ? 1
                             : format == TensorFormat::Q8_0 ? 7
                             : format == TensorFormat::BF16 ? 32
                                                            : 0;
    writer.put("general.architecture", config.family);
    writer.put("general.type", "model");
    writer.put("general.name", name);
    writer.put("general.file_type", type);
    writer.put("general.quantization_version", std::uint32_t(2));
    for (const auto& [word, value] : {std::pair{"block_count", config.layers},
                                      {"context_length", config.context},
                                      {"embedding_length", config.hidden},
                                      {"feed_forward_length", config.intermediate},
                                      {"attention.head_count", config.heads},
                                      {"attention.head_count_kv", config.keyValueHeads},
                                      {"attention.key_length", config.headSize},
                                      {"attention.value_length", config.headSize},
                                      {"rope.dimension_count", config.headSize},
                                      {"vocab_size", config.vocabulary}})
        writer.put(key + word, std::uint32_t(value));
    writer.put(key + "attention.layer_norm_rms_epsilon", float(config.normEpsilon));
    writer.put(key + "rope.freq_base", float(config.rotaryBase));
}

void putVocabulary(const GgufVocabulary& vocabulary, GgufWriter& writer)
{
    writer.put("tokenizer.ggml.model", "gpt2");
    writer.put("tokenizer.ggml.pre", vocabulary.pre);
    writer.put("tokenizer.ggml.tokens", vocabulary.tokens);
    writer.put("tokenizer.ggml.token_type", vocabulary.types);
    writer.put("tokenizer.ggml.merges", vocabulary.merges);
    for (const auto& [name, id] : vocabulary.special)
        writer.put("tokenizer.ggml." + name + "_token_id", id);
    writer.put("tokenizer.ggml.add_bos_token", vocabulary.addsBegin);
    if (!vocabulary.chatTemplate.empty())
        writer.put("tokenizer.chat_template", vocabulary.chatTemplate);
}

/// Rows of queries and keys of the Llama family lie in pairs in these files: element i and i + half a head of a head
/// are neighbours, since llama.cpp turns neighbours.
bool isInterleaved(const DecoderConfig& config, const std::string& name)
{
    return config.family == "llama" &&
           (name.find("self_attn.q_proj") != std::string::npos || name.find("self_attn.k_proj") != std::string::npos);
}

TensorFormat exportedFormat(const WeightPlace& place, TensorFormat wanted)
{
    if (place.shape.size() == 1)
        return TensorFormat::F32;
    return place.shape.back() % blockElements(wanted) == 0 ? wanted : TensorFormat::F16;
}

base::Status writeWeight(const Checkpoint& model, const WeightPlace& place, TensorFormat format, GgufWriter& writer)
{
    const std::size_t head = model.config().headSize;
    const bool isVector = place.shape.size() == 1;
    const std::size_t width = place.shape.back(), count = isVector ? 1 : place.shape.front();
    const auto source = [&](std::size_t row) { return row - row % head + row % 2 * (head / 2) + row % head / 2; };
    const bool moves = isInterleaved(model.config(), place.name);
    std::vector<float> row(width), other(width);
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < count; ++i) {
        model.rows(place.name, moves && !isVector ? source(i) : i, 1, row.data());
        if (moves && isVector) {
            for (std::size_t j = 0; j < width; ++j)
                other[j] = row[source(j)];
            row.swap(other);
        }
        if (!appendEncoded(format, row.data(), width, bytes))
            return Error{ErrorCode::InvalidArgument,
                         "A number of " + place.name + " is too large for " + std::string(nameOf(format)), model.path(),
                         "Take BF16 or F32"};
        if (bytes.size() < (1u << 22) && i + 1 < count)
            continue;
        if (const auto status = writer.add(bytes); !status)
            return status;
        bytes.clear();
    }
    return {};
}

} // namespace

base::Result<GgufExport> exportGguf(const std::string& folder, const std::string& file, TensorFormat format)
{
    const auto model = Checkpoint::open(folder);
    if (!model)
        return model.error();
    if (model->gguf())
        return Error{ErrorCode::InvalidArgument, "This is a GGUF file already", folder, "Name a Hugging Face folder"};
    const DecoderConfig& config = model->config();
    const auto vocabulary = vocabularyOf(folder, config);
    if (!vocabulary)
        return vocabulary.error();
    GgufWriter writer(file);
    putShape(config, std::filesystem::path(folder).filename().string(), format, writer);
    if (const auto status = putRotary(config, writer); !status)
        return status.error();
    putVocabulary(*vocabulary, writer);
    const bool divides = config.rotary.kind == RotaryScaling::Kind::Llama3 ||
                         config.rotary.kind == RotaryScaling::Kind::Factors;
    if (divides)
        writer.place("rope_freqs.weight", TensorFormat::F32, {config.headSize / 2});
    for (const WeightPlace& place : model->weights())
        writer.place(ggufName(place.name), exportedFormat(place, format), place.shape);
    if (const auto status = writer.begin(); !status)
        return status.error();
    if (divides) {
        std::vector<std::byte> bytes;
        const std::vector<float> divisors = divisorsOf(config);
        appendEncoded(TensorFormat::F32, divisors.data(), divisors.size(), bytes);
        if (const auto status = writer.add(bytes); !status)
            return status.error();
    }
    for (const WeightPlace& place : model->weights())
        if (const auto status = writeWeight(*model, place, exportedFormat(place, format), writer); !status)
            return status.error();
    const auto bytes = writer.finish();
    if (!bytes)
        return bytes.error();
    return GgufExport{config.family, vocabulary->pre, model->weights().size() + divides, vocabulary->tokens.size(),
                      *bytes};
}

} // namespace cudal1::decoder
