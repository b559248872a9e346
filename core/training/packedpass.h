// SPDX-License-Identifier: GPL-3.0-or-later
// A pass: several sequences one behind the other in one row, as the layers of a decoder see them.
#pragma once

#include "core/decoder/decodermodel.h"
#include "core/training/packing.h"
#include "core/training/sequence.h"

#include <span>
#include <vector>

namespace cudal1::training {

/// A *row* is one token of the pass, with its hidden state. Positions begin anew with each sequence, and a sequence
/// does not attend to any other, so each gets what it would get alone. Its tensors lie on the device that it was made
/// for. Used from one thread; throws c10::Error where the device fails.
struct PackedPass {
    /// The token of a reply that a row has to predict.
    struct Target {
        std::size_t sequence = 0; ///< its number among the sequences given to the constructor
        std::size_t token = 0;    ///< counted in the reply, from 0
    };

    /// Packs those of `sequences` whose numbers `pass` has. With `sharesPrompts`, a prompt that several of them have in
    /// common is computed once: the replies come behind it, each attends to the prompt and to itself, and the prompt's
    /// last row predicts the first token of all of them.
    PackedPass(std::span<const Sequence> sequences, const Pass& pass, const decoder::DecoderModel& model,
               const at::Device& device, bool sharesPrompts);

    /// The mixed values [1][rows][heads][head size], in the type of `query`. Each row attends to the rows of its own
    /// sequence up to itself, those of a shared prompt among them. `query` is [1][rows][heads][head size]; `key` and
    /// `value` are [1][rows][key heads][head size], where a key head serves heads / key heads neighbouring heads.
    at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

    at::Tensor tokens;                    ///< [1][rows], int64: what is computed
    at::Tensor rows;                      ///< [targets], int64: the row that predicts each target
    at::Tensor answers;                   ///< [targets], int64: the token that each target is
    decoder::DecoderModel::Angles angles; ///< of the rotary embedding, for the position of each row
    std::vector<Target> targets;          ///< every token of every reply in the pass

private:
    /// Neighbouring rows that attend to each other: a whole sequence, a shared prompt, or a reply to one.
    struct Segment {
        std::int64_t begin = 0, length = 0;             ///< first row, and how many
        std::int64_t promptBegin = 0, promptLength = 0; ///< rows of the shared prompt of a reply; length 0: none
    };
    void add(std::span<const int> newTokens, std::int64_t firstPosition, const Segment& segment);
    void addTargets(const Sequence& sequence, std::size_t number, std::int64_t lastOfPrompt, std::int64_t firstOfReply);
    void place(const decoder::DecoderModel& model, const at::Device& device);
    at::Tensor attendAtOnce(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

    std::vector<Segment> m_segments;
    // What the public tensors and angles are made of: token and position of each row; row and token of each target.
    std::vector<std::int64_t> m_tokens, m_positions, m_behind, m_came;
    // For a GPU, where one kernel computes all segments: at which query and at which key each segment begins and the
    // last one ends [segments + 1], int32; and the row of each key, undefined where keys and rows are the same.
    at::Tensor m_queryBounds, m_keyBounds, m_keyRows;
    std::int64_t m_longestQuery = 0, m_longestKey = 0;
};

} // namespace cudal1::training
