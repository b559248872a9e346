// SPDX-License-Identifier: GPL-3.0-or-later
// A model in training: its weights in units, and its passes over them.
#pragma once

#include "core/decoder/decodermodel.h"
#include "core/training/packedpass.h"
#include "core/training/parameters.h"
#include "core/training/tokenhead.h"
#include "core/training/trainingmodel.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace cudal1::training {

struct TrainingModel::State {
    using Compute = std::function<void(std::size_t layer)>;
    using WholeTaker = std::function<void(const decoder::WeightPlace& place, const at::Tensor& weight)>;

    State(const decoder::Checkpoint& checkpoint, const ModelSettings& given, Workgroup& group);

    // Units of the parameters: each layer, and the root, which is all besides.
    std::size_t root() const { return model.config().layers; }
    std::size_t unitOf(const std::string& name) const;
    double adapterScale() const;
    bool sharesPrompts() const;
    /// Another model as this one's products and sums need it.
    void place(decoder::DecoderModel& other) const;

    /// Forward and backward; adds to the gradients.
    void learn(const PackedPass& pass, TokenObjective& objective, double temperature);
    /// Forward; of this model, or of a reference.
    void look(const decoder::DecoderModel& of, const PackedPass& pass, TokenObjective& objective, double temperature);
    /// Takes this process's part in what others' passes do together, where it has no pass left.
    void attend(bool learns);

    /// A weight as it is saved and sampled with, while its unit is gathered.
    at::Tensor whole(const std::string& name) const;
    /// All weights, in the order in which files have them, each until the next one is told; all processes together.
    void eachWhole(const WholeTaker& taker);

    ModelSettings settings;
    Workgroup& workgroup;
    at::Device device;
    decoder::DecoderModel model;
    std::optional<Parameters> parameters;
    std::optional<decoder::DecoderModel> reference;
    bool referenceIsBase = false; ///< the reference is the model without its adapters

private:
    std::map<std::string, at::Tensor> adapters();
    TokenHead headOf(const decoder::DecoderModel& of, double temperature) const;
    at::Tensor first(const decoder::DecoderModel& of, const PackedPass& pass) const;
    void forward(const Compute& compute);
    void backward(const Compute& compute);
};

} // namespace cudal1::training
