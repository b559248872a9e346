// SPDX-License-Identifier: GPL-3.0-or-later
// The forward pass in libtorch's operators.
#include "core/decoder/decodermodel.h"

#include <cmath>
#include <limits>

namespace cudal1::decoder {

namespace {

at::Tensor rotate(const at::Tensor& heads, const DecoderModel::Angles& angles)
{
    const auto halves = heads.chunk(2, -1);
    const at::Tensor turned = at::cat({-halves[1], halves[0]}, -1);
    return (heads * angles.cosine.unsqueeze(2) + turned * angles.sine.unsqueeze(2)).to(heads.scalar_type());
}

} // namespace

DecoderModel::DecoderModel(const Checkpoint& checkpoint, const at::Device& device, at::ScalarType type)
    : m_config(checkpoint.config())
{
    for (const WeightPlace& place : checkpoint.weights()) {
        std::vector<std::int64_t> shape(place.shape.begin(), place.shape.end());
        at::Tensor tensor = at::empty(shape, at::TensorOptions(at::kFloat));
        checkpoint.rows(place.name, 0, place.shape.size() == 1 ? 1 : place.shape[0], tensor.data_ptr<float>());
        m_weights.emplace(place.name, tensor.to(device, type));
    }
}

at::Tensor DecoderModel::linear(const at::Tensor& input, const std::string& name) const
{
    const at::Tensor& matrix = weight(name + ".weight");
    const at::Tensor narrow = input.to(matrix.scalar_type());
    const auto bias = m_weights.find(name + ".bias");
    const at::Tensor out = at::linear(narrow, matrix,
                                      bias == m_weights.end() ? std::optional<at::Tensor>()
                                                              : std::optional(bias->second.to(matrix.scalar_type())));
    if (m_adapterScale == 0)
        return out;
    const auto down = m_weights.find(name + ".lora_A.weight");
    if (down == m_weights.end())
        return out;
    return out + at::linear(at::linear(narrow, down->second), weight(name + ".lora_B.weight")) * m_adapterScale;
}

at::Tensor DecoderModel::normalise(const at::Tensor& input, const std::string& name) const
{
    const at::Tensor& gain = weight(name + ".weight");
    if (input.scalar_type() == gain.scalar_type() && input.scalar_type() != at::kBFloat16)
        return at::rms_norm(input, gain.sizes(), gain, m_config.normEpsilon);
    const at::Tensor wide = input.to(at::kFloat);
    const at::Tensor scale = at::rsqrt(wide.square().mean(-1, true) + m_config.normEpsilon);
    return gain * (wide * scale).to(input.scalar_type());
}

DecoderModel::Angles DecoderModel::angles(const at::Tensor& positions, std::size_t length) const
{
    const RotaryFrequencies rotary = rotaryFrequencies(m_config, length);
    const bool isDouble = weight("model.norm.weight").scalar_type() == at::kDouble;
    const auto type = isDouble ? at::kDouble : at::kFloat;
    const at::Tensor frequencies =
        at::tensor(rotary.precise, at::TensorOptions(at::kDouble)).to(type).to(positions.device());
    const at::Tensor half = positions.to(type).unsqueeze(-1) * frequencies;
    const at::Tensor both = at::cat({half, half}, -1);
    return {both.cos() * rotary.attention, both.sin() * rotary.attention};
}

at::Tensor DecoderModel::layer(std::size_t number, const at::Tensor& stream, const Angles& angles,
                               const Attention& attention) const
{
    const std::int64_t batch = stream.size(0), length = stream.size(1);
    const auto size = static_cast<std::int64_t>(m_config.headSize);
    const std::string prefix = "model.layers." + std::to_string(number) + ".";
    const auto headsOf = [&](const at::Tensor& input, const char* name, std::size_t heads) {
        return linear(input, prefix + name).view({batch, length, static_cast<std::int64_t>(heads), size});
    };
    // Cast once for all products that it goes into.
    const auto type = weight(prefix + "self_attn.q_proj.weight").scalar_type();
    const at::Tensor input = normalise(stream, prefix + "input_layernorm").to(type);
    at::Tensor query = headsOf(input, "self_attn.q_proj", m_config.heads);
    at::Tensor key = headsOf(input, "self_attn.k_proj", m_config.keyValueHeads);
    const at::Tensor value = headsOf(input, "self_attn.v_proj", m_config.keyValueHeads);
    if (m_config.hasQkNorm) {
        query = normalise(query, prefix + "self_attn.q_norm").to(value.scalar_type());
        key = normalise(key, prefix + "self_attn.k_norm").to(value.scalar_type());
    }
    const at::Tensor mixed = attention(number, rotate(query, angles), rotate(key, angles), value);
    const at::Tensor between = stream + linear(mixed.reshape({batch, length, -1}), prefix + "self_attn.o_proj");
    const at::Tensor narrow = normalise(between, prefix + "post_attention_layernorm").to(type);
    const at::Tensor gated = at::silu(linear(narrow, prefix + "mlp.gate_proj")) *
                             linear(narrow, prefix + "mlp.up_proj");
    return between + linear(gated, prefix + "mlp.down_proj");
}

at::Tensor DecoderModel::normalised(const at::Tensor& stream) const
{
    return normalise(stream, "model.norm");
}

const at::Tensor& DecoderModel::head() const
{
    return weight(m_config.tiesEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight");
}

at::Tensor DecoderModel::hidden(const at::Tensor& tokens, const Angles& angles, const Attention& attention) const
{
    at::Tensor stream = at::embedding(weight("model.embed_tokens.weight"), tokens);
    for (std::size_t i = 0; i < m_config.layers; ++i)
        stream = layer(i, stream, angles, attention);
    return normalised(stream);
}

at::Tensor DecoderModel::logits(const at::Tensor& hidden) const
{
    return at::linear(hidden, head());
}

at::Tensor DecoderModel::forward(const at::Tensor& tokens) const
{
    const std::int64_t length = tokens.size(1);
    const at::Tensor positions = at::arange(length, tokens.options().dtype(at::kLong)).unsqueeze(0);
    const auto attention = [&](std::size_t, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
        // Heads that share keys and values are spelled out: every backend differentiates that.
        const auto group = static_cast<std::int64_t>(m_config.heads / m_config.keyValueHeads);
        const auto spread = [&](const at::Tensor& heads) { return heads.repeat_interleave(group, 2).transpose(1, 2); };
        return at::scaled_dot_product_attention(query.transpose(1, 2), spread(key), spread(value), std::nullopt, 0.0,
                                                true)
            .transpose(1, 2);
    };
    return logits(hidden(tokens, angles(positions, static_cast<std::size_t>(length)), attention));
}

at::Tensor attendTo(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const at::Tensor& mask)
{
    const std::int64_t batch = query.size(0), tokens = query.size(1), heads = query.size(2), size = query.size(3);
    const std::int64_t shared = key.size(2), group = heads / shared;
    // [batch][shared][group * tokens][size]: queries that share keys are rows of one product.
    const at::Tensor rows = query.view({batch, tokens, shared, group, size})
                                .permute({0, 2, 3, 1, 4})
                                .reshape({batch, shared, group * tokens, size});
    at::Tensor scores = at::matmul(rows, key.permute({0, 2, 3, 1})).to(at::kFloat) /
                        std::sqrt(static_cast<double>(size));
    scores = scores.view({batch, shared, group, tokens, -1}) + mask.unsqueeze(1).unsqueeze(1);
    const at::Tensor shares = scores.softmax(-1).to(value.scalar_type()).view({batch, shared, group * tokens, -1});
    return at::matmul(shares, value.permute({0, 2, 1, 3}))
        .view({batch, shared, group, tokens, size})
        .permute({0, 3, 1, 2, 4})
        .reshape({batch, tokens, heads, size});
}

} // namespace cudal1::decoder
