// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the shape of a decoder from the metadata of a GGUF file.
#include "core/modelfiles/configcheck.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace cudal1::modelfiles {

namespace {

/// Names of control tokens that end a turn in the chat templates of these families.
constexpr std::array<std::string_view, 5> turnEnds{"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>",
                                                   "<|endoftext|>"};
constexpr std::int64_t controlToken = 3;

class Metadata {
public:
    Metadata(const GgufFile& file, std::string family) : m_file(file), m_family(std::move(family)) {}

    std::string key(const char* name) const { return m_family + "." + name; }
    bool has(const char* name) const { return m_file.number(key(name)).has_value(); }
    std::size_t count(const char* name, std::size_t otherwise = 0) const
    {
        const auto value = m_file.integer(key(name));
        if (!value && otherwise == 0)
            throw ConfigRefused{base::ErrorCode::Unreadable, "its metadata lacks " + key(name)};
        if (value && *value <= 0)
            throw ConfigRefused{base::ErrorCode::Unreadable, key(name) + " is " + std::to_string(*value)};
        return value ? static_cast<std::size_t>(*value) : otherwise;
    }
    double number(const char* name, double otherwise) const { return m_file.number(key(name)).value_or(otherwise); }
    std::string text(const char* name) const { return m_file.text(key(name)).value_or(""); }

private:
    const GgufFile& m_file;
    std::string m_family;
};

RotaryScaling ggufScaling(const GgufFile& file, const Metadata& metadata, const DecoderConfig& config)
{
    RotaryScaling out;
    out.originalContext = metadata.count("rope.scaling.original_context_length", config.context);
    const std::string type = metadata.text("rope.scaling.type");
    out.factor = metadata.number("rope.scaling.factor", metadata.number("rope.scale_linear", 1));
    if (type == "yarn") {
        out.kind = RotaryScaling::Kind::Yarn;
        out.betaFast = metadata.number("rope.scaling.yarn_beta_fast", 32);
        out.betaSlow = metadata.number("rope.scaling.yarn_beta_slow", 1);
        out.attention = metadata.number("rope.scaling.attn_factor", 1) *
                        (out.factor > 1 ? 1 + 0.1 * std::log(out.factor) : 1);
    } else if (type == "linear" || (type.empty() && metadata.has("rope.scale_linear"))) {
        out.kind = out.factor == 1 ? RotaryScaling::Kind::None : RotaryScaling::Kind::Linear;
    } else if (!type.empty() && type != "none") {
        throw ConfigRefused{base::ErrorCode::InvalidArgument,
                            "its rotary embedding is scaled by '" + type + "', and linear and yarn are supported"};
    }
    if (!(out.factor >= 1))
        throw ConfigRefused{base::ErrorCode::Unreadable, "the factor of its rotary embedding is below 1"};
    // Llama 3's scaling comes as a list of divisors, one a frequency.
    if (const auto found = file.tensors().find("rope_freqs.weight"); found != file.tensors().end()) {
        const StoredTensor& tensor = found->second;
        if (tensor.format != TensorFormat::F32 || tensor.shape != std::vector<std::size_t>{config.headSize / 2})
            throw ConfigRefused{base::ErrorCode::Unreadable, "rope_freqs.weight does not fit its heads"};
        std::vector<float> factors(config.headSize / 2);
        toFloats(tensor.format, tensor.data, factors.size(), factors.data());
        out.kind = RotaryScaling::Kind::Factors;
        out.factors.assign(factors.begin(), factors.end());
        if (std::any_of(factors.begin(), factors.end(), [](float factor) { return !(factor > 0); }))
            throw ConfigRefused{base::ErrorCode::Unreadable, "rope_freqs.weight holds a divisor that is not above 0"};
    }
    return out;
}

std::vector<int> endsOf(const GgufFile& file)
{
    std::vector<int> out;
    const auto add = [&](std::int64_t id) {
        if (id >= 0 && id < (1 << 24) && std::find(out.begin(), out.end(), static_cast<int>(id)) == out.end())
            out.push_back(static_cast<int>(id));
    };
    for (const char* key :
         {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"})
        if (const auto id = file.integer(key))
            add(*id);
    const auto* tokens = file.texts("tokenizer.ggml.tokens");
    const auto* types = file.integers("tokenizer.ggml.token_type");
    for (std::size_t i = 0; tokens && types && i < std::min(tokens->size(), types->size()); ++i)
        if ((*types)[i] == controlToken && std::find(turnEnds.begin(), turnEnds.end(), (*tokens)[i]) != turnEnds.end())
            add(static_cast<std::int64_t>(i));
    return out;
}

DecoderConfig configOfGguf(const GgufFile& file)
{
    DecoderConfig out;
    out.family = file.text("general.architecture").value_or("");
    if (out.family != "llama" && out.family != "qwen2" && out.family != "qwen3")
        throw ConfigRefused{base::ErrorCode::InvalidArgument,
                            out.family.empty()
                                ? "its metadata does not say general.architecture"
                                : "it is of the family '" + out.family + "', and llama, qwen2 and qwen3 are supported"};
    const Metadata metadata(file, out.family);
    if (metadata.has("expert_count") && metadata.number("expert_count", 0) > 0)
        throw ConfigRefused{base::ErrorCode::InvalidArgument, "it is a mixture of experts"};
    const auto embedding = file.tensors().find("token_embd.weight");
    const auto* tokens = file.texts("tokenizer.ggml.tokens");
    if (embedding != file.tensors().end())
        out.vocabulary = embedding->second.shape.front();
    else
        out.vocabulary = metadata.count("vocab_size", tokens ? tokens->size() : 0);
    out.hidden = metadata.count("embedding_length");
    out.intermediate = metadata.count("feed_forward_length");
    out.layers = metadata.count("block_count");
    out.heads = metadata.count("attention.head_count");
    out.keyValueHeads = metadata.count("attention.head_count_kv", out.heads);
    out.headSize = metadata.count("attention.key_length", std::max<std::size_t>(1, out.hidden / out.heads));
    if (metadata.count("attention.value_length", out.headSize) != out.headSize ||
        metadata.count("rope.dimension_count", out.headSize) != out.headSize)
        throw ConfigRefused{base::ErrorCode::InvalidArgument, "its keys, values and rotations have different sizes"};
    out.context = metadata.count("context_length");
    out.normEpsilon = metadata.number("attention.layer_norm_rms_epsilon", 1e-6);
    out.rotaryBase = metadata.number("rope.freq_base", 10000);
    out.rotary = ggufScaling(file, metadata, out);
    out.tiesEmbeddings = !file.tensors().contains("output.weight");
    out.hasQkvBias = file.tensors().contains("blk.0.attn_q.bias");
    out.hasOutputBias = file.tensors().contains("blk.0.attn_output.bias");
    out.hasMlpBias = file.tensors().contains("blk.0.ffn_gate.bias");
    out.hasQkNorm = out.family == "qwen3";
    out.endTokens = endsOf(file);
    return out;
}

} // namespace

base::Result<DecoderConfig> configOf(const GgufFile& file)
{
    return checkedConfig([&] { return configOfGguf(file); });
}

} // namespace cudal1::modelfiles
