// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder as functions of tensors: what training differentiates and what a GPU samples with.
//
// Every weight is a tensor under its Hugging Face name. The functions are made of libtorch's differentiable operators
// alone, so a weight that requires a gradient gets one from backward().
#pragma once

#include "core/decoder/checkpoint.h"
#include "core/decoder/rotary.h"

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>

namespace cudal1::decoder {

class DecoderModel {
public:
    /// Cosine and sine of each place, [batch][tokens][headSize], multiplied by the scaling's attention factor.
    struct Angles {
        at::Tensor cosine, sine;
    };
    /// Mixes values: gets the layer's number, queries [batch][tokens][heads][headSize], keys and values
    /// [batch][tokens][keyValueHeads][headSize], rotated; returns [batch][tokens][heads][headSize].
    using Attention = std::function<at::Tensor(std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                                               const at::Tensor& value)>;

    /// Reads all weights. Throws c10::Error where the device's memory is not enough.
    DecoderModel(const Checkpoint& checkpoint, const at::Device& device, at::ScalarType type);

    const modelfiles::DecoderConfig& config() const { return m_config; }
    std::map<std::string, at::Tensor>& weights() { return m_weights; }
    const at::Tensor& weight(const std::string& name) const { return m_weights.at(name); }

    /// Logits [batch][tokens][vocabulary] of whole texts, tokens [batch][tokens] of type int64. A shorter text may be
    /// filled up at its end: what comes later changes nothing before it.
    at::Tensor forward(const at::Tensor& tokens) const;

    /// The parts of it. `positions`: [batch][tokens] of type int64; `length`: by which the dynamic scaling goes. Norms
    /// and angles are computed in doubles where the weights are doubles, and in floats elsewhere.
    Angles angles(const at::Tensor& positions, std::size_t length) const;
    at::Tensor hidden(const at::Tensor& tokens, const Angles& angles, const Attention& attention) const; ///< normalised
    at::Tensor logits(const at::Tensor& hidden) const;

    /// The parts of hidden(). A stream may be wider than the matrices (floats beside bfloat16): products are computed
    /// in the matrices' type and added to the stream in its own.
    at::Tensor layer(std::size_t number, const at::Tensor& stream, const Angles& angles,
                     const Attention& attention) const;
    at::Tensor normalised(const at::Tensor& stream) const; ///< by the last norm
    const at::Tensor& head() const;                        ///< the matrix of logits()

    /// LoRA (Hu et al., 2021): a product with a matrix NAME.weight gets scale * B (A x) added where the weights have
    /// NAME.lora_A.weight [rank][in] and NAME.lora_B.weight [out][rank]. 0 leaves it out.
    void setAdapterScale(double scale) { m_adapterScale = scale; }

private:
    at::Tensor linear(const at::Tensor& input, const std::string& name) const;
    at::Tensor normalise(const at::Tensor& input, const std::string& name) const;

    modelfiles::DecoderConfig m_config;
    std::map<std::string, at::Tensor> m_weights;
    double m_adapterScale = 0;
};

/// Attention over keys and values [batch][length][keyValueHeads][headSize], of which query t of a text may see those
/// where `mask` [batch][tokens][length], or something that becomes this shape, is 0 and not minus infinity.
at::Tensor attendTo(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const at::Tensor& mask);

} // namespace cudal1::decoder
