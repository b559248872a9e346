// SPDX-License-Identifier: GPL-3.0-or-later
// Passes through a decoder, layer by layer.
#include "core/training/trainingmodel.h"

#include "core/decoder/decodermodel.h"
#include "core/decoder/sampler.h"
#include "core/training/packedpass.h"
#include "core/training/parameters.h"
#include "core/training/tokenhead.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>

namespace cudal1::training {

namespace {

using decoder::Checkpoint;
using decoder::DecoderModel;

const std::string embedding = "model.embed_tokens.weight";
const std::string lastNorm = "model.norm.weight";

at::ScalarType computeType(const std::string& numbers)
{
    return numbers == "bfloat16" ? at::kBFloat16 : numbers == "float64" ? at::kDouble : at::kFloat;
}

at::ScalarType masterType(const std::string& numbers)
{
    return numbers == "float64" ? at::kDouble : at::kFloat;
}

/// Matrices in the type of products, vectors in that of the masters.
void place(DecoderModel& model, const at::Device& device, const std::string& numbers)
{
    for (auto& [name, weight] : model.weights())
        weight = weight.to(device, weight.dim() > 1 ? computeType(numbers) : masterType(numbers));
}

std::string layerPrefix(std::size_t layer)
{
    return "model.layers." + std::to_string(layer) + ".";
}

} // namespace

struct TrainingModel::State {
    State(const Checkpoint& checkpoint, const ModelSettings& given, Workgroup& group)
        : settings(given), workgroup(group), device(given.device),
          model(checkpoint, at::kCPU, masterType(given.numbers))
    {
        std::map<std::string, at::Tensor> trained = settings.lora.rank > 0 ? adapters() : model.weights();
        if (settings.lora.rank > 0)
            place(model, device, settings.numbers);
        parameters.emplace(trained,
                           Parameters::Settings{computeType(settings.numbers), masterType(settings.numbers), device,
                                                settings.isSharded},
                           workgroup);
        for (const auto& [name, tensor] : trained)
            model.weights()[name] = parameters->leaf(name);
        model.setAdapterScale(adapterScale());
        for (const auto& [name, tensor] : trained)
            for (std::size_t layer = 0; layer < model.config().layers; ++layer)
                if (name.starts_with(layerPrefix(layer)))
                    ofLayers.resize(model.config().layers), ofLayers[layer].push_back(name);
    }

    double adapterScale() const
    {
        return settings.lora.rank > 0 ? settings.lora.alpha / static_cast<double>(settings.lora.rank) : 0;
    }

    /// A drawn from [-1/sqrt(in), 1/sqrt(in)), B 0: at first the model is what it was.
    std::map<std::string, at::Tensor> adapters()
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

    void collectLayer(std::size_t layer)
    {
        if (layer < ofLayers.size())
            for (const std::string& name : ofLayers[layer])
                parameters->collect(name);
    }

    bool sharesPrompts() const
    {
        return settings.sharesPrompts && model.config().rotary.kind != decoder::RotaryScaling::Kind::Dynamic;
    }

    TokenHead headOf(const DecoderModel& of, double temperature) const
    {
        const std::size_t bytes = of.config().vocabulary * (settings.numbers == "float64" ? 8 : 4);
        return {of.head(), temperature,
                static_cast<std::int64_t>(std::max<std::size_t>(settings.logitBytes / bytes, 1))};
    }

    at::Tensor first(const DecoderModel& of, const PackedPass& pass) const
    {
        return at::embedding(of.weight(embedding), pass.tokens).to(masterType(settings.numbers));
    }

    void learn(const PackedPass& pass, TokenObjective& objective, double temperature);
    void look(const DecoderModel& of, const PackedPass& pass, TokenObjective& objective, double temperature) const;
    at::Tensor whole(const std::string& name) const;

    ModelSettings settings;
    Workgroup& workgroup;
    at::Device device;
    DecoderModel model;
    std::optional<Parameters> parameters;
    std::vector<std::vector<std::string>> ofLayers; ///< names of trained weights
    std::optional<DecoderModel> reference;
    bool referenceIsBase = false; ///< the reference is the model without its adapters
};

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
    {
        const at::NoGradGuard none;
        stream = first(model, pass);
    }
    for (std::size_t i = 0; i < layers; ++i) {
        inputs[i] = stream.detach().requires_grad_(true);
        if (settings.checkpoints) {
            const at::NoGradGuard none;
            stream = model.layer(i, inputs[i], pass.angles, attention);
        } else {
            outputs[i] = model.layer(i, inputs[i], pass.angles, attention);
            stream = outputs[i].detach();
        }
    }
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
    parameters->collect(lastNorm);
    at::Tensor carried = last.grad();
    for (std::size_t i = layers; i-- > 0;) {
        if (settings.checkpoints)
            outputs[i] = model.layer(i, inputs[i], pass.angles, attention);
        torch::autograd::backward({outputs[i]}, {carried});
        collectLayer(i);
        carried = inputs[i].grad();
        outputs[i].reset();
        inputs[i].reset();
    }
    if (parameters->contains(embedding)) {
        const at::NoGradGuard none;
        at::Tensor gradient = parameters->gradient(embedding);
        gradient.index_add_(0, pass.tokens[0], carried[0]);
    }
}

void TrainingModel::State::look(const DecoderModel& of, const PackedPass& pass, TokenObjective& objective,
                                double temperature) const
{
    const at::NoGradGuard none;
    at::Tensor stream = first(of, pass);
    for (std::size_t i = 0; i < of.config().layers; ++i)
        stream = of.layer(i, stream, pass.angles,
                          [&](std::size_t, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
                              return pass.attend(q, k, v);
                          });
    const at::Tensor hidden = of.normalised(stream[0].index_select(0, pass.rows));
    headPass(headOf(of, temperature), hidden, pass.answers,
             [&](std::size_t row, double logProbability, double entropy) {
                 return objective.take(pass.targets[row].sequence, pass.targets[row].token, logProbability, entropy);
             },
             false, {});
}

/// A weight as it is saved and sampled with.
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

base::Result<std::unique_ptr<TrainingModel>> TrainingModel::make(const Checkpoint& checkpoint,
                                                                 const ModelSettings& settings, Workgroup& workgroup)
{
    if (!settings.numbers.empty() && settings.numbers != "float32" && settings.numbers != "bfloat16" &&
        settings.numbers != "float64")
        return base::wrong("Numbers of the kind '" + settings.numbers + "' are not known",
                           "float32, bfloat16 and float64 are");
    if (settings.lora.rank > 0 && settings.lora.targets.empty())
        return base::wrong("LoRA has no matrices to work on", "Name some, for example q_proj and v_proj");
    for (const std::string& target : settings.lora.targets) {
        const std::vector<std::string> known = LoraSettings{}.targets;
        if (std::find(known.begin(), known.end(), target) == known.end())
            return base::wrong("LoRA knows no matrix '" + target + "'",
                               "q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj and down_proj are known");
    }
    ModelSettings own = settings;
    decoder::TorchDecoder::Options device;
    if (own.device == "cuda" && workgroup.size() > 1)
        own.device = "cuda:" + std::to_string(Workgroup::localRankOfEnvironment());
    device.device = own.device;
    device.numbers = own.numbers == "float64" ? "float32" : own.numbers;
    if (const auto ready = decoder::TorchDecoder::prepare(device); !ready)
        return ready.error();
    own.device = device.device;
    if (own.numbers.empty())
        own.numbers = device.numbers;
    if (own.threads > 0)
        at::set_num_threads(own.threads);
    try {
        return std::unique_ptr<TrainingModel>(new TrainingModel(std::make_unique<State>(checkpoint, own, workgroup)));
    } catch (const c10::Error& error) {
        return base::Error{base::ErrorCode::Unavailable, "The model cannot be trained on " + own.device,
                           error.what_without_backtrace(),
                           "Use LoRA, a smaller model, or more processes with sharding"};
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorCode::Unavailable, "The memory is not enough to train this model", "",
                           "Use LoRA, a smaller model, or more processes with sharding"};
    }
}

TrainingModel::TrainingModel(std::unique_ptr<State> state) : m_state(std::move(state)) {}

TrainingModel::~TrainingModel() = default;

const decoder::DecoderConfig& TrainingModel::config() const
{
    return m_state->model.config();
}

const ModelSettings& TrainingModel::settings() const
{
    return m_state->settings;
}

bool TrainingModel::sharesPrompts() const
{
    return m_state->sharesPrompts();
}

std::size_t TrainingModel::parameters() const
{
    std::size_t out = 0;
    for (const decoder::WeightPlace& place : decoder::weightsOf(config()))
        out += static_cast<std::size_t>(m_state->model.weight(place.name).numel());
    return out;
}

std::size_t TrainingModel::trained() const
{
    return m_state->parameters->count();
}

std::size_t TrainingModel::deviceBytes() const
{
    if (!m_state->device.is_cuda())
        return 0;
    return static_cast<std::size_t>(
        c10::cuda::CUDACachingAllocator::getDeviceStats(m_state->device.index()).allocated_bytes[0].current);
}

std::size_t TrainingModel::peakDeviceBytes() const
{
    if (!m_state->device.is_cuda())
        return 0;
    const auto index = m_state->device.index();
    const auto out = c10::cuda::CUDACachingAllocator::getDeviceStats(index).allocated_bytes[0].peak;
    c10::cuda::CUDACachingAllocator::resetPeakStats(index);
    return static_cast<std::size_t>(out);
}

base::Result<void> TrainingModel::keepReference(const Checkpoint* checkpoint)
{
    const at::NoGradGuard none;
    m_state->reference.reset();
    m_state->referenceIsBase = false;
    if (checkpoint) {
        if (checkpoint->config().vocabulary != config().vocabulary)
            return base::wrong("The reference has " + std::to_string(checkpoint->config().vocabulary) +
                                   " tokens and the model " + std::to_string(config().vocabulary),
                               "Use a reference of the same family, for example the model of the stage before");
        m_state->reference.emplace(*checkpoint, at::kCPU, masterType(m_state->settings.numbers));
        place(*m_state->reference, m_state->device, m_state->settings.numbers);
    } else if (m_state->settings.lora.rank > 0) {
        m_state->referenceIsBase = true;
    } else {
        m_state->reference = m_state->model;
        for (auto& [name, weight] : m_state->reference->weights())
            weight = weight.detach().clone();
    }
    return {};
}

bool TrainingModel::hasReference() const
{
    return m_state->reference || m_state->referenceIsBase;
}

void TrainingModel::learn(std::span<const Sequence> sequences, std::span<const Pass> passes, TokenObjective& objective,
                          double temperature)
{
    for (const Pass& pass : passes)
        m_state->learn(PackedPass(sequences, pass, m_state->model, m_state->device, sharesPrompts()), objective,
                       temperature);
}

void TrainingModel::look(std::span<const Sequence> sequences, std::span<const Pass> passes, TokenObjective& objective,
                         Policy policy, double temperature)
{
    const bool isBase = policy == Policy::Reference && m_state->referenceIsBase;
    DecoderModel& of = policy == Policy::Reference && m_state->reference ? *m_state->reference : m_state->model;
    if (isBase)
        of.setAdapterScale(0);
    try {
        for (const Pass& pass : passes)
            m_state->look(of, PackedPass(sequences, pass, of, m_state->device, sharesPrompts()), objective,
                          temperature);
    } catch (...) {
        m_state->model.setAdapterScale(m_state->adapterScale());
        throw;
    }
    m_state->model.setAdapterScale(m_state->adapterScale());
}

TrainingModel::StepResult TrainingModel::step(double rate, std::size_t number, const AdamSettings& settings)
{
    const auto done = m_state->parameters->step(rate, number, settings);
    return {done.gradientNorm, done.isSkipped};
}

void TrainingModel::discardGradients()
{
    m_state->parameters->clearGradients();
}

std::vector<double> TrainingModel::gradient(const std::string& name) const
{
    const at::Tensor values = m_state->parameters->gradient(name).to(at::kCPU, at::kDouble).contiguous();
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

std::vector<std::string> TrainingModel::trainedNames() const
{
    std::vector<std::string> out;
    for (const auto& [name, weight] : m_state->model.weights())
        if (m_state->parameters->contains(name))
            out.push_back(name);
    return out;
}

void TrainingModel::give(decoder::TorchDecoder& sampler)
{
    std::map<std::string, at::Tensor> weights;
    std::map<std::string, const at::Tensor*> given;
    for (const decoder::WeightPlace& place : decoder::weightsOf(config()))
        given.emplace(place.name, &weights.emplace(place.name, m_state->whole(place.name)).first->second);
    sampler.take(given);
}

void TrainingModel::give(decoder::CpuDecoder& sampler)
{
    std::map<std::string, at::Tensor> weights; // in training they are floats already, and not copied
    for (const decoder::WeightPlace& place : decoder::weightsOf(config()))
        weights.emplace(place.name, m_state->whole(place.name).detach().to(at::kCPU, at::kFloat).contiguous());
    sampler.take([&](const std::string& name, std::size_t first, std::size_t count, float* to) {
        const at::Tensor& weight = weights.at(name);
        const auto width = static_cast<std::size_t>(weight.dim() > 1 ? weight.size(1) : weight.size(0));
        std::copy_n(weight.data_ptr<float>() + first * width, count * width, to);
    });
}

void TrainingModel::eachWeight(const WeightTaker& taker) const
{
    for (const decoder::WeightPlace& place : decoder::weightsOf(config())) {
        const at::Tensor values = m_state->whole(place.name).detach().to(at::kCPU, at::kFloat).contiguous();
        taker(place.name, place.shape, {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()});
    }
}

void TrainingModel::eachAdapter(const WeightTaker& taker) const
{
    if (m_state->settings.lora.rank == 0)
        return;
    for (const std::string& name : trainedNames()) {
        const at::Tensor values = m_state->parameters->value(name).detach().to(at::kCPU, at::kFloat).contiguous();
        std::vector<std::size_t> shape;
        for (const std::int64_t size : values.sizes())
            shape.push_back(static_cast<std::size_t>(size));
        taker(name, shape, {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()});
    }
}

std::vector<TrainingModel::StatePart> TrainingModel::state() const
{
    std::vector<StatePart> out;
    for (const Parameters::Part& part : m_state->parameters->state()) {
        const at::Tensor values = part.tensor.detach().to(at::kCPU).contiguous();
        StatePart next{part.name, static_cast<std::size_t>(values.numel()), values.scalar_type() == at::kDouble, {}};
        next.bytes.resize(values.nbytes());
        if (!next.bytes.empty())
            std::memcpy(next.bytes.data(), values.data_ptr(), next.bytes.size());
        out.push_back(std::move(next));
    }
    return out;
}

std::vector<std::size_t> TrainingModel::stateSizes() const
{
    return m_state->parameters->sizes();
}

base::Result<void> TrainingModel::setState(const std::vector<StatePart>& whole)
{
    const at::NoGradGuard none;
    for (const Parameters::Part& part : m_state->parameters->state()) {
        const auto found = std::find_if(whole.begin(), whole.end(), [&](const auto& p) { return p.name == part.name; });
        const bool isDouble = part.tensor.scalar_type() == at::kDouble;
        if (found == whole.end() || found->isDouble != isDouble)
            return base::Error{base::ErrorCode::Unreadable, "The state of the optimizer lacks " + part.name, "",
                               "Go on with the numbers and settings that the training began with"};
        const std::int64_t part_size = part.tensor.numel();
        const std::int64_t begin = m_state->parameters->isSharded() ? m_state->workgroup.rank() * part_size : 0;
        const std::int64_t count = std::clamp<std::int64_t>(static_cast<std::int64_t>(found->count) - begin, 0,
                                                            part_size);
        if (count == 0)
            continue;
        const std::size_t width = isDouble ? 8 : 4;
        const at::Tensor values = at::from_blob(const_cast<std::byte*>(found->bytes.data()) +
                                                    static_cast<std::size_t>(begin) * width,
                                                {count}, at::TensorOptions(part.tensor.scalar_type()));
        part.tensor.narrow(0, 0, count).copy_(values);
    }
    return {};
}

void TrainingModel::acceptState()
{
    m_state->parameters->accept();
}

} // namespace cudal1::training
