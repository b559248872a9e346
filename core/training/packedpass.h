// SPDX-License-Identifier: GPL-3.0-or-later
// Sequences that lie one behind the other, as a decoder's layers see them.
#pragma once

#include "core/decoder/decodermodel.h"
#include "core/training/packing.h"
#include "core/training/sequence.h"

#include <span>
#include <vector>

namespace cudal1::training {

struct PackedPass {
    /// Where the log-probability of a row belongs.
    struct Target {
        std::size_t sequence = 0;
        std::size_t token = 0; ///< of the reply
    };

    /// `sharesPrompts`: a prompt that several sequences of the pass have is computed once. Each reply attends to it and
    /// to itself; the last row of the prompt gives the first token of every reply.
    PackedPass(std::span<const Sequence> sequences, const Pass& pass, const decoder::DecoderModel& model,
               const at::Device& device, bool sharesPrompts);

    /// Attention of each sequence to its prompt and itself, causally.
    at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

    at::Tensor tokens;  ///< [1][all tokens]
    at::Tensor rows;    ///< [targets]: behind which tokens the targets come
    at::Tensor answers; ///< [targets]: the tokens that came
    decoder::DecoderModel::Angles angles;
    std::vector<Target> targets;

private:
    /// Rows one behind the other, and those before which they attend to as well.
    struct Segment {
        std::int64_t begin = 0, length = 0;
        std::int64_t promptBegin = 0, promptLength = 0; ///< 0: there are none
    };
    void add(std::span<const int> newTokens, std::int64_t firstPosition, const Segment& segment);
    void addTargets(const Sequence& sequence, std::size_t number, std::int64_t lastOfPrompt, std::int64_t firstOfReply);
    void place(const decoder::DecoderModel& model, const at::Device& device);
    at::Tensor attendAtOnce(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

    std::vector<Segment> m_segments;
    std::vector<std::int64_t> m_tokens, m_positions, m_behind, m_came;
    // On a GPU, for all segments at once: where their queries and their keys begin, as int32, and which rows the keys
    // are.
    at::Tensor m_queryBounds, m_keyBounds, m_keyRows;
    std::int64_t m_longestQuery = 0, m_longestKey = 0;
};

} // namespace cudal1::training
