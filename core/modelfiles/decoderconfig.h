// SPDX-License-Identifier: GPL-3.0-or-later
// The shape of a decoder of the Llama, Qwen2 and Qwen3 families.
#pragma once

#include "core/base/result.h"
#include "core/modelfiles/gguf.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace cudal1::modelfiles {

/// How positions become angles (rotary embedding). Fields that a kind does not name are unused by it.
struct RotaryScaling {
    enum class Kind {
        None,
        Linear,  ///< positions divided by `factor`
        Dynamic, ///< a base that grows once a text is longer than `originalContext`
        Llama3,  ///< long wavelengths divided by `factor`, short ones kept, a ramp between
        Yarn,    ///< the same by numbers of rotations; attention is scaled too
        Factors, ///< a divisor for each frequency, as GGUF files of Llama 3 carry them
    };
    Kind kind = Kind::None;
    double factor = 1;
    double lowFrequency = 1;  ///< Llama3
    double highFrequency = 4; ///< Llama3
    double betaFast = 32;     ///< Yarn
    double betaSlow = 1;      ///< Yarn
    double attention = 1;     ///< Yarn: both cosine and sine are multiplied by it
    bool truncates = true;    ///< Yarn: the ends of the ramp are whole numbers
    std::size_t originalContext = 0;
    std::vector<double> factors;
};

struct DecoderConfig {
    std::string family; ///< "llama", "qwen2", "qwen3"
    std::size_t vocabulary = 0;
    std::size_t hidden = 0;       ///< width of the residual stream
    std::size_t intermediate = 0; ///< width within the feed-forward layers
    std::size_t layers = 0;
    std::size_t heads = 0;         ///< of queries
    std::size_t keyValueHeads = 0; ///< each is shared by heads / keyValueHeads query heads
    std::size_t headSize = 0;
    std::size_t context = 0; ///< tokens of the longest text
    double normEpsilon = 1e-6;
    double rotaryBase = 10000;
    RotaryScaling rotary;
    bool tiesEmbeddings = false; ///< the output matrix is that of the embedding
    bool hasQkvBias = false;     ///< Qwen2, or attention_bias
    bool hasOutputBias = false;  ///< Llama with attention_bias
    bool hasMlpBias = false;     ///< Llama with mlp_bias
    bool hasQkNorm = false;      ///< Qwen3: queries and keys of each head are normalised
    std::vector<int> endTokens;  ///< any of them ends a reply

    std::size_t querySize() const { return heads * headSize; }
    std::size_t keyValueSize() const { return keyValueHeads * headSize; }
};

/// From config.json of a Hugging Face folder, and generation_config.json where there is one. InvalidArgument for a
/// family or feature that is not supported, Unreadable for fields that make no sense.
base::Result<DecoderConfig> configOf(const nlohmann::json& config, const nlohmann::json& generation);

/// From the metadata of a GGUF file.
base::Result<DecoderConfig> configOf(const GgufFile& file);

} // namespace cudal1::modelfiles
