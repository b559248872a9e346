// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a decoder on the CPU.
#include "core/decoder/cpudecoder.h"

#include "core/modelfiles/tensorformat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cudal1::decoder {

using modelfiles::DecoderConfig;
using modelfiles::RotaryScaling;
using modelfiles::toBfloat;

namespace {

std::size_t roundUp(std::size_t value, std::size_t to)
{
    return (value + to - 1) / to * to;
}

std::size_t widestInput(const DecoderConfig& config)
{
    return roundUp(std::max({config.hidden, config.intermediate, config.querySize()}), 32);
}

} // namespace

std::size_t CpuDecoder::bytesOfBlock(const DecoderConfig& config, bool isBf16)
{
    const std::size_t numbers = blockTokens * config.keyValueHeads * roundUp(config.headSize, 16);
    return 2 * config.layers * numbers * (isBf16 ? 2 : 4);
}

CpuDecoder::CpuDecoder(const Checkpoint& checkpoint, const Options& options, Team& team)
    : m_config(checkpoint.config()), m_options(options), m_team(team), m_rotary(rotaryFrequencies(m_config, 0)),
      m_paddedHead(roundUp(m_config.headSize, 16)), m_headNumbers(blockTokens * m_paddedHead),
      m_layerNumbers(static_cast<std::size_t>(options.blocks) * m_config.keyValueHeads * m_headNumbers)
{
    for (const WeightPlace& place : checkpoint.weights())
        m_shapes.emplace(place.name, place.shape);
    take([&](const std::string& name, std::size_t first, std::size_t count, float* to) {
        checkpoint.rows(name, first, count, to);
    });
    m_keys = AlignedMemory(m_config.layers * m_layerNumbers * numberBytes());
    m_values = AlignedMemory(m_config.layers * m_layerNumbers * numberBytes());
    const std::size_t rows = options.maxRows;
    m_narrow = AlignedMemory(rows * widestInput(m_config) * numberBytes());
    m_stream.resize(rows * m_config.hidden);
    m_qkv.resize(rows * (m_config.querySize() + 2 * m_config.keyValueSize()));
    m_gateUp.resize(rows * 2 * m_config.intermediate);
    m_cosine.resize(rows * m_config.headSize / 2);
    m_sine.resize(rows * m_config.headSize / 2);
    m_scratch.resize(static_cast<std::size_t>(m_team.size()));
}

void CpuDecoder::take(const Weights& weights)
{
    m_embedding = matrixOf(weights, {"model.embed_tokens.weight"});
    if (!m_config.tiesEmbeddings)
        m_head = matrixOf(weights, {"lm_head.weight"});
    m_finalNorm = vectorOf(weights, "model.norm.weight");
    m_layers.resize(m_config.layers);
    for (std::size_t i = 0; i < m_config.layers; ++i)
        readLayer(weights, i);
}

std::string CpuDecoder::name() const
{
    return "cpu " + std::string(m_options.kernels->name) + ", " + std::to_string(m_team.size()) + " threads";
}

std::size_t CpuDecoder::weightBytes() const
{
    std::size_t out = m_embedding.bytes() + m_head.bytes();
    for (const Layer& layer : m_layers)
        out += layer.qkv.bytes() + layer.output.bytes() + layer.gateUp.bytes() + layer.down.bytes();
    return out;
}

std::vector<float> CpuDecoder::vectorOf(const Weights& weights, const std::string& name) const
{
    const auto shape = m_shapes.find(name);
    if (shape == m_shapes.end())
        return {};
    std::vector<float> out(shape->second[0]);
    weights(name, 0, 1, out.data());
    return out;
}

PackedMatrix CpuDecoder::matrixOf(const Weights& weights, const std::vector<std::string>& names)
{
    std::vector<std::size_t> ends;
    std::size_t columns = 0, depth = 0;
    for (const std::string& name : names) {
        const std::vector<std::size_t>& shape = m_shapes.at(name);
        columns += shape[0];
        depth = shape[1];
        ends.push_back(columns);
    }
    const auto rows = [&](std::size_t first, std::size_t count, float* to) {
        for (std::size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++]) {
            const std::size_t from = std::max(first, begin), end = std::min(first + count, ends[i]);
            if (from < end)
                weights(names[i], from - begin, end - from, to + (from - first) * depth);
        }
    };
    return {*m_options.kernels, columns, depth, rows, m_team};
}

void CpuDecoder::readLayer(const Weights& weights, std::size_t index)
{
    Layer& layer = m_layers[index];
    const std::string prefix = "model.layers." + std::to_string(index) + ".";
    const auto named = [&](std::initializer_list<const char*> names, const char* kind) {
        std::vector<std::string> out;
        for (const char* name : names)
            out.push_back(prefix + name + kind);
        return out;
    };
    const auto bias = [&](std::initializer_list<const char*> names) {
        std::vector<float> out;
        for (const std::string& name : named(names, ".bias")) {
            const auto part = vectorOf(weights, name);
            out.insert(out.end(), part.begin(), part.end());
        }
        return out;
    };
    const auto read = [&](std::initializer_list<const char*> names, PackedMatrix& matrix, std::vector<float>& added) {
        matrix = matrixOf(weights, named(names, ".weight"));
        added = bias(names);
    };
    layer.inputNorm = vectorOf(weights, prefix + "input_layernorm.weight");
    layer.outputNorm = vectorOf(weights, prefix + "post_attention_layernorm.weight");
    layer.queryNorm = vectorOf(weights, prefix + "self_attn.q_norm.weight");
    layer.keyNorm = vectorOf(weights, prefix + "self_attn.k_norm.weight");
    read({"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, layer.qkv, layer.qkvBias);
    read({"self_attn.o_proj"}, layer.output, layer.outputBias);
    read({"mlp.gate_proj", "mlp.up_proj"}, layer.gateUp, layer.gateUpBias);
    read({"mlp.down_proj"}, layer.down, layer.downBias);
}

void CpuDecoder::compute(std::span<const StepRow> rows)
{
    const std::size_t count = rows.size();
    const auto biasOf = [](const std::vector<float>& bias) { return bias.empty() ? nullptr : bias.data(); };
    embed(rows);
    angles(rows);
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Layer& layer = m_layers[i];
        normaliseRows(count, layer.inputNorm);
        layer.qkv.multiply(m_team, m_narrow.data(), count, widestInput(m_config), m_qkv.data(), layer.qkv.columns(),
                           biasOf(layer.qkvBias), false);
        placeKeysAndValues(layer, i, rows);
        attendRows(i, rows);
        layer.output.multiply(m_team, m_narrow.data(), count, widestInput(m_config), m_stream.data(), m_config.hidden,
                              biasOf(layer.outputBias), true);
        feedForward(layer, count);
    }
    std::size_t& wanted = m_wanted = 0;
    for (std::size_t row = 0; row < count; ++row)
        if (rows[row].wantsLogits)
            m_options.kernels->normalise(&m_stream[row * m_config.hidden], m_finalNorm.data(),
                                         static_cast<float>(m_config.normEpsilon), m_config.hidden,
                                         stored(m_narrow, wanted++ * widestInput(m_config)));
    if (m_logits.size() < wanted * m_config.vocabulary)
        m_logits.resize(wanted * m_config.vocabulary);
    const PackedMatrix& head = m_config.tiesEmbeddings ? m_embedding : m_head;
    if (wanted > 0)
        head.multiply(m_team, m_narrow.data(), wanted, widestInput(m_config), m_logits.data(), m_config.vocabulary,
                      nullptr, false);
}

std::span<const float> CpuDecoder::logits()
{
    return {m_logits.data(), m_wanted * m_config.vocabulary};
}

void CpuDecoder::embed(std::span<const StepRow> rows)
{
    m_team.run(rows.size(), 8, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t row = begin; row < end; ++row)
            m_embedding.column(static_cast<std::size_t>(rows[row].token), &m_stream[row * m_config.hidden]);
    });
}

void CpuDecoder::angles(std::span<const StepRow> rows)
{
    const std::size_t half = m_config.headSize / 2;
    const bool isDynamic = m_config.rotary.kind == RotaryScaling::Kind::Dynamic;
    int length = -1;
    RotaryFrequencies own;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (isDynamic && rows[row].rotaryLength != length) {
            length = rows[row].rotaryLength;
            own = rotaryFrequencies(m_config, static_cast<std::size_t>(length));
        }
        const RotaryFrequencies& rotary = isDynamic ? own : m_rotary;
        for (std::size_t i = 0; i < half; ++i) {
            // In floats, as the models were trained.
            const float angle = static_cast<float>(rows[row].position) * rotary.frequencies[i];
            m_cosine[row * half + i] = std::cos(angle) * rotary.attention;
            m_sine[row * half + i] = std::sin(angle) * rotary.attention;
        }
    }
}

void CpuDecoder::normaliseRows(std::size_t rows, const std::vector<float>& weight)
{
    m_team.run(rows, 16, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t row = begin; row < end; ++row)
            m_options.kernels->normalise(&m_stream[row * m_config.hidden], weight.data(),
                                         static_cast<float>(m_config.normEpsilon), m_config.hidden,
                                         stored(m_narrow, row * widestInput(m_config)));
    });
}

void CpuDecoder::rotateHead(float* head, const std::vector<float>& norm, std::size_t row, float scale) const
{
    const std::size_t size = m_config.headSize, half = size / 2;
    if (!norm.empty()) {
        float squares = 0;
        for (std::size_t i = 0; i < size; ++i)
            squares += head[i] * head[i];
        const float factor = 1 /
                             std::sqrt(squares / static_cast<float>(size) + static_cast<float>(m_config.normEpsilon));
        for (std::size_t i = 0; i < size; ++i)
            head[i] *= factor * norm[i];
    }
    const float* cosine = &m_cosine[row * half];
    const float* sine = &m_sine[row * half];
    for (std::size_t i = 0; i < half; ++i) {
        const float first = head[i], second = head[i + half];
        head[i] = (first * cosine[i] - second * sine[i]) * scale;
        head[i + half] = (second * cosine[i] + first * sine[i]) * scale;
    }
}

/// One head's key and value into the block at number `at` of the cache.
void CpuDecoder::placeHead(const float* key, const float* value, std::size_t at, std::size_t slot)
{
    const std::size_t size = m_config.headSize, valueAt = at + slot * m_paddedHead;
    if (m_options.kernels->isBf16) {
        auto* keys = reinterpret_cast<std::uint16_t*>(m_keys.data()) + at + 2 * slot;
        auto* values = reinterpret_cast<std::uint16_t*>(m_values.data()) + valueAt;
        for (std::size_t i = 0; i < size; i += 2, keys += 2 * blockTokens) {
            keys[0] = toBfloat(key[i]);
            keys[1] = toBfloat(key[i + 1]);
        }
        for (std::size_t i = 0; i < size; ++i)
            values[i] = toBfloat(value[i]);
        return;
    }
    float* keys = reinterpret_cast<float*>(m_keys.data()) + at + slot;
    for (std::size_t i = 0; i < size; ++i)
        keys[i * blockTokens] = key[i];
    std::memcpy(reinterpret_cast<float*>(m_values.data()) + valueAt, value, size * sizeof *value);
}

void CpuDecoder::placeKeysAndValues(const Layer& layer, std::size_t index, std::span<const StepRow> rows)
{
    const std::size_t size = m_config.headSize, width = layer.qkv.columns(), heads = m_config.keyValueHeads;
    const float scale = 1 / std::sqrt(static_cast<float>(size));
    m_team.run(rows.size(), 8, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t row = begin; row < end; ++row) {
            float* query = &m_qkv[row * width];
            float* key = query + m_config.querySize();
            const float* value = key + m_config.keyValueSize();
            const auto position = static_cast<std::size_t>(rows[row].position);
            const auto block = static_cast<std::size_t>((*rows[row].table)[position / blockTokens]);
            const std::size_t slot = position % blockTokens;
            for (std::size_t h = 0; h < m_config.heads; ++h)
                rotateHead(query + h * size, layer.queryNorm, row, scale);
            for (std::size_t h = 0; h < heads; ++h) {
                rotateHead(key + h * size, layer.keyNorm, row, 1);
                const std::size_t at = index * m_layerNumbers + (block * heads + h) * m_headNumbers;
                placeHead(key + h * size, value + h * size, at, slot);
            }
        }
    });
}

void CpuDecoder::attendRows(std::size_t index, std::span<const StepRow> rows)
{
    const std::size_t heads = m_config.keyValueHeads, group = m_config.heads / heads;
    const std::size_t width = m_config.querySize() + 2 * m_config.keyValueSize();
    std::size_t longest = 0;
    for (const StepRow& row : rows)
        longest = std::max(longest, static_cast<std::size_t>(row.position) + 1);
    const std::size_t scratch = 4 * (roundUp(longest, blockTokens) + m_paddedHead);
    for (auto& own : m_scratch)
        if (own.size() < scratch)
            own.resize(scratch);
    const std::size_t grain = std::clamp<std::size_t>(2048 / (longest + 1), 1, 16);
    m_team.run(rows.size() * heads, grain, [&](std::size_t begin, std::size_t end, int thread) {
        for (std::size_t item = begin; item < end; ++item) {
            const std::size_t row = item / heads, head = item % heads;
            const std::size_t at = index * m_layerNumbers + head * m_headNumbers;
            m_options.kernels->attend({
                .query = &m_qkv[row * width + head * group * m_config.headSize],
                .keys = stored(m_keys, at),
                .values = stored(m_values, at),
                .blockStride = heads * m_headNumbers,
                .table = rows[row].table->data(),
                .length = static_cast<std::size_t>(rows[row].position) + 1,
                .group = group,
                .headSize = m_config.headSize,
                .paddedHead = m_paddedHead,
                .scratch = m_scratch[static_cast<std::size_t>(thread)].data(),
                .output = stored(m_narrow, row * widestInput(m_config) + head * group * m_config.headSize),
            });
        }
    });
}

void CpuDecoder::feedForward(const Layer& layer, std::size_t rows)
{
    const std::size_t width = m_config.intermediate, stride = widestInput(m_config);
    const auto biasOf = [](const std::vector<float>& bias) { return bias.empty() ? nullptr : bias.data(); };
    normaliseRows(rows, layer.outputNorm);
    layer.gateUp.multiply(m_team, m_narrow.data(), rows, stride, m_gateUp.data(), 2 * width, biasOf(layer.gateUpBias),
                          false);
    m_team.run(rows, 8, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t row = begin; row < end; ++row)
            m_options.kernels->gate(&m_gateUp[row * 2 * width], &m_gateUp[row * 2 * width + width], width,
                                    stored(m_narrow, row * stride));
    });
    layer.down.multiply(m_team, m_narrow.data(), rows, stride, m_stream.data(), m_config.hidden, biasOf(layer.downBias),
                        true);
}

void CpuDecoder::copyBlock(int from, int to)
{
    const std::size_t numbers = m_config.keyValueHeads * m_headNumbers;
    for (std::size_t layer = 0; layer < m_config.layers; ++layer)
        for (AlignedMemory* memory : {&m_keys, &m_values}) {
            const std::size_t base = layer * m_layerNumbers;
            std::memcpy(stored(*memory, base + static_cast<std::size_t>(to) * numbers),
                        stored(*memory, base + static_cast<std::size_t>(from) * numbers), numbers * numberBytes());
        }
}

} // namespace cudal1::decoder
