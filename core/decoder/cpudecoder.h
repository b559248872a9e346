// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder on the CPU: packed weights, a paged cache in memory, one step at a time.
#pragma once

#include "core/decoder/checkpoint.h"
#include "core/decoder/packedmatrix.h"
#include "core/decoder/rotary.h"
#include "core/decoder/steprunner.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cudal1::decoder {

/// A row's logits are the same to the last bit whatever is computed beside it, however many threads there are, and
/// whether a text was computed at once or token by token.
///
/// The cache of a layer: for each block and head of keys and values, keys as [headSize][blockTokens] (in bfloat16 two
/// neighbours of the depth together, as in a panel), and values as [blockTokens][paddedHead].
class CpuDecoder : public StepRunner {
public:
    struct Options {
        const CpuKernels* kernels = nullptr;
        int blocks = 1;
        std::size_t maxRows = 512;
    };

    /// Gives rows [first, first + count) of a weight as Checkpoint::rows() does. Called by several threads.
    using Weights = std::function<void(const std::string& name, std::size_t first, std::size_t count, float* to)>;

    /// Reads all weights. Throws std::bad_alloc.
    CpuDecoder(const Checkpoint& checkpoint, const Options& options, Team& team);

    /// Reads all weights anew from a model of the same shape, as one in training has them, and rounds them to this
    /// one's numbers. Replies under way would go on with a cache of the old ones: let them end first. Throws
    /// std::bad_alloc.
    void take(const Weights& weights);

    std::string name() const override;
    int blocks() const override { return m_options.blocks; }
    std::size_t vocabulary() const override { return m_config.vocabulary; }
    std::size_t cacheBytes() const override { return m_keys.size() + m_values.size(); }
    std::size_t weightBytes() const override;
    void compute(std::span<const StepRow> rows) override;
    std::span<const float> logits() override;
    std::size_t maxRows() const override { return m_options.maxRows; }
    void copyBlock(int from, int to) override;

    /// Of keys and values of one block in all layers.
    static std::size_t bytesOfBlock(const modelfiles::DecoderConfig& config, bool isBf16);

private:
    struct Layer {
        std::vector<float> inputNorm, outputNorm, queryNorm, keyNorm;
        std::vector<float> qkvBias, outputBias, gateUpBias, downBias; ///< empty where there is none
        PackedMatrix qkv, output, gateUp, down;
    };

    void readLayer(const Weights& weights, std::size_t index);
    std::vector<float> vectorOf(const Weights& weights, const std::string& name) const;
    PackedMatrix matrixOf(const Weights& weights, const std::vector<std::string>& names);
    void angles(std::span<const StepRow> rows);
    void embed(std::span<const StepRow> rows);
    void normaliseRows(std::size_t rows, const std::vector<float>& weight);
    void placeKeysAndValues(const Layer& layer, std::size_t index, std::span<const StepRow> rows);
    void placeHead(const float* key, const float* value, std::size_t at, std::size_t slot);
    void rotateHead(float* head, const std::vector<float>& norm, std::size_t row, float scale) const;
    void attendRows(std::size_t index, std::span<const StepRow> rows);
    void feedForward(const Layer& layer, std::size_t rows);
    std::size_t numberBytes() const { return m_options.kernels->isBf16 ? 2 : 4; }
    std::byte* stored(AlignedMemory& memory, std::size_t number) const
    {
        return memory.data() + number * numberBytes();
    }

    modelfiles::DecoderConfig m_config;
    std::map<std::string, std::vector<std::size_t>> m_shapes; ///< of all weights, by name
    Options m_options;
    Team& m_team;
    std::vector<Layer> m_layers;
    std::vector<float> m_finalNorm;
    PackedMatrix m_embedding; ///< read row by row where the output has a matrix of its own
    PackedMatrix m_head;      ///< empty where it is the embedding
    RotaryFrequencies m_rotary;
    std::size_t m_paddedHead;
    std::size_t m_headNumbers;  ///< keys or values of one head in one block
    std::size_t m_layerNumbers; ///< of a layer
    AlignedMemory m_keys, m_values;
    AlignedMemory m_narrow; ///< [rows][widest input], in the kernels' format
    std::vector<float> m_stream, m_qkv, m_gateUp, m_logits, m_cosine, m_sine;
    std::size_t m_wanted = 0;                  ///< rows that wanted logits in the last step
    std::vector<std::vector<float>> m_scratch; ///< one a thread
};

} // namespace cudal1::decoder
