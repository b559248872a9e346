// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the shape of a decoder from config.json.
#include "core/modelfiles/decoderconfig.h"

#include "core/modelfiles/configcheck.h"

#include <algorithm>
#include <cmath>

namespace cudal1::modelfiles {

namespace {

using nlohmann::json;

bool flag(const json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

/// Missing and null are `otherwise`.
double number(const json& object, const char* key, double otherwise)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return otherwise;
    if (!found->is_number())
        throw ConfigRefused{base::ErrorCode::Unreadable, std::string(key) + " is no number"};
    return found->get<double>();
}

std::size_t count(const json& object, const char* key, std::size_t otherwise = 0)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
        if (otherwise == 0)
            throw ConfigRefused{base::ErrorCode::Unreadable, "it does not say " + std::string(key)};
        return otherwise;
    }
    if (!found->is_number_unsigned())
        throw ConfigRefused{base::ErrorCode::Unreadable, std::string(key) + " is no whole number"};
    return found->get<std::size_t>();
}

std::string text(const json& object, const char* key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double yarnAttention(const json& scaling, double factor)
{
    const auto scaleOf = [&](double weight) { return factor <= 1 ? 1.0 : 0.1 * weight * std::log(factor) + 1; };
    const double all = number(scaling, "mscale_all_dim", 0), one = number(scaling, "mscale", 0);
    return number(scaling, "attention_factor", all != 0 && one != 0 ? scaleOf(one) / scaleOf(all) : scaleOf(1));
}

RotaryScaling jsonScaling(const json& scaling, std::size_t context)
{
    RotaryScaling out;
    const std::string type = scaling.contains("rope_type") ? text(scaling, "rope_type") : text(scaling, "type");
    out.originalContext = count(scaling, "original_max_position_embeddings", context);
    if (type.empty() || type == "default")
        return out;
    if (type == "linear")
        out.kind = RotaryScaling::Kind::Linear;
    else if (type == "dynamic")
        out.kind = RotaryScaling::Kind::Dynamic;
    else if (type == "llama3")
        out.kind = RotaryScaling::Kind::Llama3;
    else if (type == "yarn")
        out.kind = RotaryScaling::Kind::Yarn;
    else
        throw ConfigRefused{base::ErrorCode::InvalidArgument,
                            "its rotary embedding is scaled by '" + type +
                                "', and linear, dynamic, llama3 and yarn are supported"};
    out.factor = number(scaling, "factor", 0);
    if (out.kind == RotaryScaling::Kind::Yarn && out.factor == 0)
        out.factor = static_cast<double>(context) / static_cast<double>(out.originalContext);
    if (out.factor < 1)
        throw ConfigRefused{base::ErrorCode::Unreadable, "the factor of its rotary embedding is below 1"};
    out.lowFrequency = number(scaling, "low_freq_factor", 1);
    out.highFrequency = number(scaling, "high_freq_factor", 4);
    out.betaFast = number(scaling, "beta_fast", 32);
    out.betaSlow = number(scaling, "beta_slow", 1);
    out.truncates = !scaling.contains("truncate") || flag(scaling, "truncate");
    if (out.kind == RotaryScaling::Kind::Yarn)
        out.attention = yarnAttention(scaling, out.factor);
    if (out.kind == RotaryScaling::Kind::Dynamic)
        out.originalContext = context;
    return out;
}

void addEnds(const json& object, std::vector<int>& out)
{
    const auto found = object.find("eos_token_id");
    if (found == object.end())
        return;
    for (const json& id : found->is_array() ? *found : json::array({*found}))
        if (id.is_number_integer() && std::find(out.begin(), out.end(), id.get<int>()) == out.end())
            out.push_back(id.get<int>());
}

/// Where attention sees only a window of the text, the context is that window: within it both are the same.
std::size_t windowOf(const json& config, const std::string& family)
{
    const bool isUsed = family == "mistral" || flag(config, "use_sliding_window");
    const double window = isUsed ? number(config, "sliding_window", 0) : 0;
    return window >= 1 ? static_cast<std::size_t>(window) : static_cast<std::size_t>(-1);
}

DecoderConfig configOfJson(const json& config, const json& generation)
{
    DecoderConfig out;
    const std::string type = text(config, "model_type");
    if (type != "llama" && type != "mistral" && type != "qwen2" && type != "qwen3")
        throw ConfigRefused{base::ErrorCode::InvalidArgument,
                            type.empty() ? "it does not say model_type"
                                         : "it is of the family '" + type +
                                               "', and llama, mistral, qwen2 and qwen3 are supported"};
    out.family = type == "mistral" ? "llama" : type;
    const std::string activation = text(config, "hidden_act");
    if (!activation.empty() && activation != "silu")
        throw ConfigRefused{base::ErrorCode::InvalidArgument,
                            "its activation is '" + activation + "', and silu is supported"};
    out.vocabulary = count(config, "vocab_size");
    out.hidden = count(config, "hidden_size");
    out.intermediate = count(config, "intermediate_size");
    out.layers = count(config, "num_hidden_layers");
    out.heads = count(config, "num_attention_heads");
    out.keyValueHeads = count(config, "num_key_value_heads", out.heads);
    out.headSize = count(config, "head_dim", out.heads ? std::max<std::size_t>(1, out.hidden / out.heads) : 1);
    out.context = count(config, "max_position_embeddings", 2048);
    out.normEpsilon = number(config, "rms_norm_eps", 1e-6);
    // Newer files have both in rope_parameters, older ones a rope_theta and perhaps a rope_scaling.
    const auto object = [&](const char* key) {
        return config.contains(key) && config[key].is_object() ? config[key] : json::object();
    };
    const json parameters = object("rope_parameters");
    const json& scaling = parameters.empty() ? object("rope_scaling") : parameters;
    out.rotaryBase = number(scaling, "rope_theta", number(config, "rope_theta", 10000));
    if (number(scaling, "partial_rotary_factor", number(config, "partial_rotary_factor", 1)) != 1)
        throw ConfigRefused{base::ErrorCode::InvalidArgument, "only a part of each head is rotated"};
    out.rotary = jsonScaling(scaling, out.context);
    if (out.rotary.kind == RotaryScaling::Kind::Dynamic)
        out.context = static_cast<std::size_t>(static_cast<double>(out.context) * out.rotary.factor);
    out.context = std::min(out.context, windowOf(config, type));
    out.tiesEmbeddings = flag(config, "tie_word_embeddings");
    out.hasQkvBias = type == "qwen2" || flag(config, "attention_bias");
    out.hasOutputBias = type != "qwen2" && flag(config, "attention_bias");
    out.hasMlpBias = type == "llama" && flag(config, "mlp_bias");
    out.hasQkNorm = type == "qwen3";
    addEnds(config, out.endTokens);
    addEnds(generation, out.endTokens);
    return out;
}

} // namespace

base::Result<DecoderConfig> configOf(const json& config, const json& generation)
{
    return checkedConfig([&] { return configOfJson(config, generation); });
}

void checkSizes(const DecoderConfig& config)
{
    constexpr std::size_t limit = 1u << 24; // far above any model, far below what overflows
    for (const std::size_t size : {config.vocabulary, config.hidden, config.intermediate, config.layers, config.heads,
                                   config.keyValueHeads, config.headSize, config.context})
        if (size == 0 || size > limit)
            throw ConfigRefused{base::ErrorCode::Unreadable, "one of its sizes is " + std::to_string(size)};
    if (config.heads % config.keyValueHeads != 0)
        throw ConfigRefused{base::ErrorCode::Unreadable, std::to_string(config.heads) + " heads cannot share " +
                                                             std::to_string(config.keyValueHeads) + " key-value heads"};
    if (config.headSize % 2 != 0 || config.headSize > 512)
        throw ConfigRefused{base::ErrorCode::InvalidArgument, "the size of its heads is " +
                                                                  std::to_string(config.headSize) +
                                                                  ", and even ones up to 512 are supported"};
    if (!(config.rotaryBase > 1) || !(config.normEpsilon >= 0))
        throw ConfigRefused{base::ErrorCode::Unreadable, "its rotary base or its norm's epsilon makes no sense"};
}

} // namespace cudal1::modelfiles
