// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder in training: its passes over packed sequences, forward and backward, and its optimizer's steps.
#pragma once

#include "core/base/result.h"
#include "core/decoder/checkpoint.h"
#include "core/decoder/cpudecoder.h"
#include "core/decoder/torchdecoder.h"
#include "core/protocol/training.h"
#include "core/training/adam.h"
#include "core/training/objective.h"
#include "core/training/packing.h"
#include "core/training/sequence.h"
#include "core/training/stepresult.h"
#include "core/training/workgroup.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cudal1::training {

/// LoRA: matrices stay as they are and get a product of two narrow ones added, which alone are trained.
struct LoraSettings {
    std::size_t rank = 0; ///< 0: all weights are trained
    double alpha = 32;    ///< the product is multiplied by alpha / rank
    std::vector<std::string> targets{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
};

struct ModelSettings {
    std::string device = "cpu";
    /// Of products: "float32", "bfloat16", "float64"; empty: what the device is fast at. Masters are float32 or
    /// float64.
    std::string numbers;
    LoraSettings lora;
    bool checkpoints = false;  ///< activations within a layer are computed again for the backward pass, and not kept
    bool sharesPrompts = true; ///< a prompt that sequences of a pass have in common is computed once
    protocol::Sharding sharding = protocol::Sharding::None;
    std::size_t logitBytes = std::size_t{256} << 20; ///< of the logits that are held at once
    std::uint64_t seed = 0;                          ///< of LoRA's first weights
    int threads = 0;                                 ///< on the CPU; 0: as libtorch chooses
};

/// Used by one thread. Throws c10::Error where the device fails, for example out of memory.
///
/// Sequences of a pass lie one behind the other in one row. Positions begin anew with each, and attention sees no
/// other, so that a pass computes what each sequence would give alone. Replies to one prompt share its rows. On a GPU
/// in bfloat16 attention over all of them is one kernel with the sequences' bounds; elsewhere it is computed sequence
/// by sequence.
class TrainingModel {
public:
    enum class Policy { Current, Reference };
    /// A part of the optimizer's state: numbers on the CPU, float32 or float64.
    struct StatePart {
        std::string name;
        std::size_t count = 0;
        bool isDouble = false;
        std::vector<std::byte> bytes;
    };
    /// A weight as floats on the CPU, with LoRA's product added.
    using WeightTaker =
        std::function<void(const std::string& name, const std::vector<std::size_t>& shape, std::vector<float> values)>;

    /// With LoRA weights are not divided. InvalidArgument for settings that make no sense, Unavailable where the device
    /// or its memory is missing.
    static base::Result<std::unique_ptr<TrainingModel>> make(const decoder::Checkpoint& checkpoint,
                                                             const ModelSettings& settings, Workgroup& workgroup);
    ~TrainingModel();

    const modelfiles::DecoderConfig& config() const;
    const ModelSettings& settings() const;
    /// Not with a rotation that depends on the length of the whole text.
    bool sharesPrompts() const;
    std::size_t parameters() const;      ///< numbers in all weights
    std::size_t trained() const;         ///< of which so many are trained
    std::size_t deviceBytes() const;     ///< of the GPU's memory, in use; 0 on the CPU
    std::size_t peakDeviceBytes() const; ///< the most since the last call of this
    protocol::Sharding sharding() const; ///< of a process alone, none

    /// Freezes a policy to diverge from: the weights of now, or, with a checkpoint, those. With LoRA and no checkpoint
    /// it costs no memory: it is the model without the adapters.
    base::Result<void> keepReference(const decoder::Checkpoint* checkpoint);
    bool hasReference() const;

    /// Forward and backward over the passes: adds to the gradients what the objective asks for. `temperature`: logits
    /// are divided by it, as a sampler's were.
    void learn(std::span<const Sequence> sequences, std::span<const Pass> passes, TokenObjective& objective,
               double temperature = 1);
    /// Forward alone; slopes are ignored.
    void look(std::span<const Sequence> sequences, std::span<const Pass> passes, TokenObjective& objective,
              Policy policy = Policy::Current, double temperature = 1);
    /// A step of the optimizer with what learn() gathered, together with the other processes. `number` from 1.
    StepResult step(double rate, std::size_t number, const AdamSettings& settings);
    void discardGradients();

    /// The gradient gathered so far of a weight, for tests.
    std::vector<double> gradient(const std::string& name);
    std::vector<std::string> trainedNames() const;

    /// Gives a sampler the weights of now. Where weights are divided, the other processes attend meanwhile, as they do
    /// for eachWeight().
    void give(decoder::TorchDecoder& sampler);
    void give(decoder::CpuDecoder& sampler);
    void eachWeight(const WeightTaker& taker);
    void attendWeights();
    void eachAdapter(const WeightTaker& taker) const; ///< LoRA's matrices; none without LoRA
    std::vector<StatePart> state() const;             ///< of this process
    std::vector<std::size_t> stateSizes() const;      ///< numbers of each group, without what fills up slices
    /// `whole`: all numbers of each part, of which this process takes its slice.
    base::Result<void> setState(const std::vector<StatePart>& whole);
    void acceptState(); ///< has the model compute with it; all processes together

private:
    std::size_t othersPasses(std::size_t own, protocol::Sharding from) const;

    struct State;
    explicit TrainingModel(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace cudal1::training
