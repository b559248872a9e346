// SPDX-License-Identifier: GPL-3.0-or-later
// A model's files as one set of weights: a Hugging Face folder or a GGUF file.
#pragma once

#include "core/base/result.h"
#include "core/decoder/safetensors.h"
#include "core/modelfiles/decoderconfig.h"
#include "core/modelfiles/gguf.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::decoder {

/// One matrix or vector of a decoder. Names are those of Hugging Face ("model.layers.0.self_attn.q_proj.weight"),
/// whatever the files are.
struct WeightPlace {
    std::string name;
    std::vector<std::size_t> shape;
};

/// Immutable and read by any thread. That every weight of the configuration is there in the right shape was checked
/// when it was opened.
class Checkpoint {
public:
    /// `path`: a folder with config.json and safetensors, or a .gguf file.
    static base::Result<Checkpoint> open(const std::string& path);

    const modelfiles::DecoderConfig& config() const { return m_config; }
    const std::string& path() const { return m_path; }
    const modelfiles::GgufFile* gguf() const { return m_gguf ? &*m_gguf : nullptr; } ///< null for a folder
    const std::vector<WeightPlace>& weights() const { return m_places; }
    std::size_t parameters() const; ///< numbers in all weights
    std::size_t bytes() const;      ///< as they are stored
    std::string formats() const;    ///< "Q4_1, F32, Q8_0", by how many numbers are stored so

    /// Rows [first, first + count) of a weight as floats, in the order that this program uses: GGUF files of the Llama
    /// family have the rows of queries and keys in another one. A vector is one row. The name must be among weights().
    void rows(const std::string& name, std::size_t first, std::size_t count, float* to) const;

private:
    Checkpoint() = default;
    static base::Result<Checkpoint> openFolder(const std::string& path);
    static base::Result<Checkpoint> openGguf(const std::string& path);
    std::optional<base::Error> collect(const std::map<std::string, modelfiles::StoredTensor>& stored);
    void single(const modelfiles::StoredTensor& tensor, std::size_t row, float* to) const;

    std::string m_path;
    modelfiles::DecoderConfig m_config;
    std::vector<SafetensorsFile> m_shards;
    std::optional<modelfiles::GgufFile> m_gguf;
    std::vector<WeightPlace> m_places;
    std::map<std::string, modelfiles::StoredTensor> m_tensors;
    std::map<std::string, std::size_t> m_interleaved; ///< weights whose heads' halves are interleaved: size of a head
};

/// All weights that a decoder of this shape has.
std::vector<WeightPlace> weightsOf(const modelfiles::DecoderConfig& config);

} // namespace cudal1::decoder
