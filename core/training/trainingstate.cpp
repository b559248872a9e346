// SPDX-License-Identifier: GPL-3.0-or-later
// Passes through a decoder, layer by layer.
#include "core/training/trainingstate.h"

#include "core/decoder/sampler.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cudal1::training {

namespace {

using decoder::DecoderModel;

const std::string embedding = "model.embed_tokens.weight";

at::ScalarType computeType(const std::string& numbers)
{
    return numbers == "bfloat16" ? at::kBFloat16 : numbers == "float64" ? at::kDouble : at::kFloat;
}

at::ScalarType masterType(const std::string& numbers)
{
    return numbers == "float64" ? at::kDouble : at::kFloat;
}

std::string layerPrefix(std::size_t layer)
{
    return "model.layers." + std::to_string(layer) + ".";
}

} // namespace

TrainingModel::State::State(const decoder::Checkpoint& checkpoint, const ModelSettings& given, Workgroup& group)
    : settings(given), workgroup(group), device(given.device), model(checkpoint, at::kCPU, masterType(given.numbers))
{
    std::map<std::string, at::Tensor> trained = settings.lora.rank > 0 ? adapters() : model.weights();
    if (settings.lora.rank > 0)
        place(model);
    std::vector<Parameters::Unit> units(root() + 1);
    for (const auto& [name, tensor] : trained)
        units[unitOf(name)].emplace(name, tensor);
    parameters.emplace(
        units,
        Parameters::Settings{computeType(settings.numbers), masterType(settings.numbers), device, settings.sharding},
        workgroup);
    for (const auto& [name, tensor] : trained)
        model.weights()[name] = parameters->leaf(name);
    model.setAdapterScale(adapterScale());
}

std::size_t TrainingModel::State::unitOf(const std::string& name) const
{
    const std::string layers = "model.layers.";
    return name.starts_with(layers) ? std::stoul(name.substr(layers.size())) : root();
}

double TrainingModel::State::adapterScale() const
{
    return settings.lora.rank > 0 ? settings.lora.alpha / static_cast<double>(settings.lora.rank) : 0;
}

bool TrainingModel::State::sharesPrompts() const
{
    return settings.sharesPrompts && model.config().rotary.kind != modelfiles::RotaryScaling::Kind::Dynamic;
}

/// Matrices in the type of products, vectors in that of the masters.
void TrainingModel::State::place(DecoderModel& other) const
{
    for (auto& [name, weight] : other.weights())
        weight = weight.to(device, weight.dim() > 1 ? computeType(settings.numbers) : masterType(settings.numbers));
}

/// A drawn from [-1/sqrt(in), 1/sqrt(in)), B 0: at first the model is what it was.
std::map<std::string, at::Tensor> TrainingModel::State::adapters()
{
    std::map<std::string, at::Tensor> out;
    const auto rank = static_cast<std::int64_t>(settings.lora.rank);
    std::uint64_t drawn = 0;
    for (std::size_t layer = 0; layer < model.config().layers; ++layer)
        for (const auto& [name, weight] : model.weights())
            for (const std::string& target : settings.lora.targets) {
                if (!name.starts_with(layerPrefix(layer)) || !name.ends_with("." + target + ".weight"))
                    continue;
                const std::string stem = name.substr(0, name.size() - std::strlen(".weight"));
                at::Tensor down = at::empty({rank, weight.size(1)}, at::kDouble);
                const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
                for (std::int64_t i = 0; i < down.numel(); ++i)
                    down.data_ptr<double>()[i] = bound * (2 * decoder::uniform(settings.seed, drawn++) - 1);
                out.emplace(stem + ".lora_A.weight", down);
                out.emplace(stem + ".lora_B.weight", at::zeros({weight.size(0), rank}, at::kDouble));
            }
    return out;
}

TokenHead TrainingModel::State::headOf(const DecoderModel& of, double temperature) const
{
    const std::size_t bytes = of.config().vocabulary * (settings.numbers == "float64" ? 8 : 4);
    return {of.head(), temperature, static_cast<std::int64_t>(std::max<std::size_t>(settings.logitBytes / bytes, 1))};
}

at::Tensor TrainingModel::State::first(const DecoderModel& of, const PackedPass& pass) const
{
    return at::embedding(of.weight(embedding), pass.tokens).to(masterType(settings.numbers));
}

/// The root's weights are there from the beginning of a pass to its end.
void TrainingModel::State::forward(const Compute& compute)
{
    parameters->gather(root());
    for (std::size_t i = 0; i < root(); ++i) {
        parameters->gather(i);
        compute(i);
        parameters->release(i);
    }
}

/// The backward pass over the layers, and the end of the pass.
void TrainingModel::State::backward(const Compute& compute)
{
    for (std::size_t i = root(); i-- > 0;) {
        parameters->gather(i);
        compute(i);
        parameters->collect(i);
        parameters->release(i);
    }
}

void TrainingModel::State::attend(bool learns)
{
    const Compute nothing = [](std::size_t) {};
    forward(nothing);
    if (learns) {
        backward(nothing);
        parameters->collect(root());
    }
    parameters->release(root());
}

/// Each layer has an autograd graph of its own, from a leaf for its input to its output. The backward pass goes over
/// them in reverse; with checkpoints it makes each graph only then.
void TrainingModel::State::learn(const PackedPass& pass, TokenObjective& objective, double temperature)
{
    const auto attention = [&](std::size_t, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
        return pass.attend(q, k, v);
    };
    const std::size_t layers = model.config().layers;
    std::vector<at::Tensor> inputs(layers), outputs(layers);
    at::Tensor stream;
    forward([&](std::size_t i) {
        if (i == 0) {
            const at::NoGradGuard none;
            stream = first(model, pass);
        }
        inputs[i] = stream.detach().requires_grad_(true);
        if (settings.checkpoints) {
            const at::NoGradGuard none;
            stream = model.layer(i, inputs[i], pass.angles, attention);
        } else {
            outputs[i] = model.layer(i, inputs[i], pass.angles, attention);
            stream = outputs[i].detach();
        }
    });
    at::Tensor last = stream.detach().requires_grad_(true);
    const at::Tensor hidden = model.normalised(last[0].index_select(0, pass.rows));
    const auto tell = [&](std::size_t row, double logProbability, double entropy) {
        return objective.take(pass.targets[row].sequence, pass.targets[row].token, logProbability, entropy);
    };
    const std::string headName = model.config().tiesEmbeddings ? embedding : "lm_head.weight";
    const at::Tensor headGradient = parameters->contains(headName) ? parameters->gradient(headName) : at::Tensor();
    const at::Tensor slope = headPass(headOf(model, temperature), hidden.detach(), pass.answers, tell, true,
                                      headGradient);
    torch::autograd::backward({hidden}, {slope});
    at::Tensor carried = last.grad();
    backward([&](std::size_t i) {
        if (settings.checkpoints)
            outputs[i] = model.layer(i, inputs[i], pass.angles, attention);
        torch::autograd::backward({outputs[i]}, {carried});
        carried = inputs[i].grad();
        outputs[i].reset();
        inputs[i].reset();
    });
    if (parameters->contains(embedding)) {
        const at::NoGradGuard none;
        at::Tensor gradient = parameters->gradient(embedding);
        gradient.index_add_(0, pass.tokens[0], carried[0]);
    }
    parameters->collect(root());
    parameters->release(root());
}

void TrainingModel::State::look(const DecoderModel& of, const PackedPass& pass, TokenObjective& objective,
                                double temperature)
{
    const at::NoGradGuard none;
    at::Tensor stream;
    const Compute compute = [&](std::size_t i) {
        if (i == 0)
            stream = first(of, pass);
        stream = of.layer(i, stream, pass.angles,
                          [&](std::size_t, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
                              return pass.attend(q, k, v);
                          });
    };
    if (&of == &model)
        forward(compute);
    else
        for (std::size_t i = 0; i < root(); ++i)
            compute(i);
    const at::Tensor hidden = of.normalised(stream[0].index_select(0, pass.rows));
    headPass(headOf(of, temperature), hidden, pass.answers,
             [&](std::size_t row, double logProbability, double entropy) {
                 return objective.take(pass.targets[row].sequence, pass.targets[row].token, logProbability, entropy);
             },
             false, {});
    if (&of == &model)
        parameters->release(root());
}

at::Tensor TrainingModel::State::whole(const std::string& name) const
{
    const at::NoGradGuard none;
    const std::string stem = name.substr(0, name.rfind('.'));
    const at::Tensor weight = parameters->contains(name) ? parameters->value(name) : model.weight(name);
    if (!parameters->contains(stem + ".lora_A.weight"))
        return weight;
    const at::Tensor down = parameters->value(stem + ".lora_A.weight"), up = parameters->value(stem + ".lora_B.weight");
    const auto type = masterType(settings.numbers);
    return weight.to(type) + at::matmul(up.to(type), down.to(type)) * adapterScale();
}

void TrainingModel::State::eachWhole(const WholeTaker& taker)
{
    std::optional<std::size_t> held;
    for (const decoder::WeightPlace& place : decoder::weightsOf(model.config())) {
        const std::size_t unit = unitOf(place.name);
        if (held && *held != unit)
            parameters->release(*held);
        if (held != unit)
            parameters->gather(unit);
        held = unit;
        taker(place, whole(place.name).detach());
    }
    if (held)
        parameters->release(*held);
}

} // namespace cudal1::training
