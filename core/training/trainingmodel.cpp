// SPDX-License-Identifier: GPL-3.0-or-later
// What a model in training offers.
#include "core/training/trainingmodel.h"

#include "core/training/trainingstate.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace cudal1::training {

namespace {

using decoder::Checkpoint;
using decoder::DecoderModel;

} // namespace

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
    if (own.lora.rank > 0) // adapters are small
        own.sharding = std::min(own.sharding, Sharding::Gradients);
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

const modelfiles::DecoderConfig& TrainingModel::config() const
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
        const bool isDouble = m_state->settings.numbers == "float64";
        m_state->reference.emplace(*checkpoint, at::kCPU, isDouble ? at::kDouble : at::kFloat);
        m_state->place(*m_state->reference);
    } else if (m_state->settings.lora.rank > 0) {
        m_state->referenceIsBase = true;
    } else {
        m_state->reference = m_state->model;
        m_state->eachWhole([&](const decoder::WeightPlace& place, const at::Tensor&) {
            m_state->reference->weights().at(place.name) = m_state->model.weight(place.name).detach().clone();
        });
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
    const std::size_t more = othersPasses(passes.size(), Sharding::Gradients);
    for (const Pass& pass : passes)
        m_state->learn(PackedPass(sequences, pass, m_state->model, m_state->device, sharesPrompts()), objective,
                       temperature);
    for (std::size_t i = 0; i < more; ++i)
        m_state->attend(true);
}

/// How many passes more than this process another one has, where they have to be made together. All processes ask
/// before they make theirs.
std::size_t TrainingModel::othersPasses(std::size_t own, Sharding from) const
{
    if (sharding() < from)
        return 0;
    return static_cast<std::size_t>(m_state->workgroup.largest(static_cast<double>(own))) - own;
}

void TrainingModel::look(std::span<const Sequence> sequences, std::span<const Pass> passes, TokenObjective& objective,
                         Policy policy, double temperature)
{
    const bool isBase = policy == Policy::Reference && m_state->referenceIsBase;
    DecoderModel& of = policy == Policy::Reference && m_state->reference ? *m_state->reference : m_state->model;
    const std::size_t more = &of == &m_state->model ? othersPasses(passes.size(), Sharding::Weights) : 0;
    if (isBase)
        of.setAdapterScale(0);
    try {
        for (const Pass& pass : passes)
            m_state->look(of, PackedPass(sequences, pass, of, m_state->device, sharesPrompts()), objective,
                          temperature);
        for (std::size_t i = 0; i < more; ++i)
            m_state->attend(false);
    } catch (...) {
        m_state->model.setAdapterScale(m_state->adapterScale());
        throw;
    }
    m_state->model.setAdapterScale(m_state->adapterScale());
}

StepResult TrainingModel::step(double rate, std::size_t number, const AdamSettings& settings)
{
    return m_state->parameters->step(rate, number, settings);
}

void TrainingModel::discardGradients()
{
    m_state->parameters->clearGradients();
}

std::vector<double> TrainingModel::gradient(const std::string& name)
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

Sharding TrainingModel::sharding() const
{
    return m_state->parameters->sharding();
}

void TrainingModel::give(decoder::TorchDecoder& sampler)
{
    const bool isShort = sharding() == Sharding::Weights; // a weight is there until the next one is
    std::map<std::string, at::Tensor> weights;
    m_state->eachWhole([&](const decoder::WeightPlace& place, const at::Tensor& weight) {
        weights.emplace(place.name, isShort ? weight.clone() : weight);
    });
    std::map<std::string, const at::Tensor*> given;
    for (const auto& [name, weight] : weights)
        given.emplace(name, &weight);
    sampler.take(given);
}

void TrainingModel::give(decoder::CpuDecoder& sampler)
{
    const bool isShort = sharding() == Sharding::Weights;
    std::map<std::string, at::Tensor> weights; // in training they are floats already, and not copied
    m_state->eachWhole([&](const decoder::WeightPlace& place, const at::Tensor& weight) {
        const at::Tensor values = weight.to(at::kCPU, at::kFloat).contiguous();
        weights.emplace(place.name, isShort && values.is_alias_of(weight) ? values.clone() : values);
    });
    sampler.take([&](const std::string& name, std::size_t first, std::size_t count, float* to) {
        const at::Tensor& weight = weights.at(name);
        const auto width = static_cast<std::size_t>(weight.dim() > 1 ? weight.size(1) : weight.size(0));
        std::copy_n(weight.data_ptr<float>() + first * width, count * width, to);
    });
}

void TrainingModel::eachWeight(const WeightTaker& taker)
{
    m_state->eachWhole([&](const decoder::WeightPlace& place, const at::Tensor& weight) {
        const at::Tensor values = weight.to(at::kCPU, at::kFloat).contiguous();
        taker(place.name, place.shape, {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()});
    });
}

void TrainingModel::attendWeights()
{
    if (sharding() == Sharding::Weights)
        m_state->eachWhole([](const decoder::WeightPlace&, const at::Tensor&) {});
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
        const std::int64_t begin = sharding() == Sharding::None ? 0 : m_state->workgroup.rank() * part_size;
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
