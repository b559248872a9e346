// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of the three stages: batches in, updates of the weights and their numbers out.
#pragma once

#include "core/protocol/training.h"
#include "core/training/learningrate.h"
#include "core/training/trainingmodel.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cudal1::training {

/// Replies to one prompt, for the third stage. Sequences have prompt and reply.
struct ReplyGroup {
    struct Reply {
        Sequence sequence;
        std::vector<double> sampler; ///< log-probabilities of the reply's tokens, or empty
        double reward = 0;
        bool isCut = false;
    };
    std::vector<Reply> replies;
};

struct TrainerSettings {
    AdamSettings adam;
    LearningRate rate;
    std::size_t passTokens = 8192;
    std::uint64_t seed = 0;
};

/// Every process of the workgroup is given the whole batch and works on its share of it; all end up with the same
/// weights and the same numbers. Model and workgroup must outlive it. Throws c10::Error where the device fails.
class Trainer {
public:
    using Told = std::function<void(const protocol::TrainingStep&)>;

    Trainer(TrainingModel& model, Workgroup& workgroup, TrainerSettings settings);

    /// Where an earlier process left off.
    void goOn(int step, int batch, std::uint64_t tokens);
    int step() const { return m_step; }               ///< updates made
    int batch() const { return m_batch; }             ///< batches that were learnt from or skipped
    std::uint64_t tokens() const { return m_tokens; } ///< learnt from

    /// Minus the mean log-probability of all replies' tokens (sections 2.2 and 2.3). Without `updates` it is computed
    /// alone and once. An empty batch is skipped: in the second stage nothing may have succeeded (table 2, line 12).
    /// `told` is called once for each update.
    void sft(std::span<const Sequence> sequences, const protocol::SftRequest& settings, const Told& told);
    /// Equation 5. Groups without variance are left out. `told` is called once for each update.
    void grpo(const std::vector<ReplyGroup>& groups, const protocol::GrpoSettings& settings, const Told& told);

private:
    struct Batch;
    void update(Batch& batch, const std::vector<std::size_t>& replies, protocol::TrainingStep& report);
    void lookBack(Batch& batch, bool severalUpdates, protocol::TrainingStep& report);
    protocol::TrainingStep likelihood(std::span<const Sequence> sequences, std::span<const std::size_t> numbers,
                                      bool updates);
    std::vector<std::vector<std::size_t>> minibatches(std::span<const std::size_t> groupOf, std::size_t groups,
                                                      int count) const;
    std::vector<Pass> bundlesOf(std::span<const Sequence> sequences, std::span<const std::size_t> numbers,
                                std::size_t limit) const;
    std::uint64_t computed(std::span<const Sequence> sequences, const std::vector<Pass>& passes) const;
    std::vector<std::size_t> ownShare(std::span<const Sequence> sequences, std::span<const std::size_t> numbers) const;
    std::vector<Pass> passesOf(std::span<const Sequence> sequences, std::span<const std::size_t> numbers) const;
    void optimize(protocol::TrainingStep& report);
    void finish(protocol::TrainingStep& report, std::span<const Sequence> sequences,
                std::span<const std::size_t> numbers, double seconds);

    TrainingModel& m_model;
    Workgroup& m_workgroup;
    TrainerSettings m_settings;
    int m_step = 0;
    int m_batch = 0;
    std::uint64_t m_tokens = 0;
};

} // namespace cudal1::training
