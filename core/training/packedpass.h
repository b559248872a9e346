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

    PackedPass(std::span<const Sequence> sequences, const Pass& pass, const decoder::DecoderModel& model,
               const at::Device& device);

    /// Attention of each sequence to itself, causally.
    at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const;

    at::Tensor tokens;  ///< [1][all tokens]
    at::Tensor rows;    ///< [targets]: behind which tokens the targets come
    at::Tensor answers; ///< [targets]: the tokens that came
    decoder::DecoderModel::Angles angles;
    std::vector<Target> targets;

private:
    std::vector<std::int64_t> m_bounds; ///< where sequences begin, and where the last one ends
    at::Tensor m_deviceBounds;          ///< the same as int32 on a GPU
    std::int64_t m_longest = 0;
};

} // namespace cudal1::training
