// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of one tensor in the arena, as it travels between processes.
#pragma once

#include "core/judge/wire/travels.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

/// With what the reference's result shares its memory; of several, the last. Weights are all parameters and buffers.
enum class Sharing { Nothing, Results, Inputs, Weights };

/// A contiguous tensor at an offset of the arena; or, with an empty dtype, an argument that is a Python literal.
struct TensorSpec {
    std::vector<std::int64_t> shape;
    std::string dtype;      ///< "float32"
    std::size_t offset = 0; ///< bytes from the start of the arena, a multiple of 512
    std::size_t bytes = 0;
    std::string text;                   ///< the literal, for an argument that is no tensor
    Sharing sharing = Sharing::Nothing; ///< of a result

    bool isTensor() const { return !dtype.empty(); }
    /// Of a result: the reference's has memory of its own, shared with no input, no weight and no other result.
    bool own() const { return sharing == Sharing::Nothing; }
    /// Of a result: the reference's may share memory with other results, but no more.
    bool fresh() const { return sharing <= Sharing::Results; }
};

/// A parameter of the reference, or a running statistic, and its place in the arena.
struct NamedWeight {
    std::string name;
    TensorSpec spec;
    std::uint64_t fingerprint = 0; ///< of its initial bytes
    bool copied = false;           ///< it starts as a copy of an earlier one, as in layers made from one layer
    bool special = false;          ///< that, or its values are special otherwise (commonvalues.h)
};

/// A buffer of the reference that calls change, and its place in the arena.
struct NamedTensorSpec {
    std::string name;
    TensorSpec spec;
};

CUDAL1_TRAVELS(TensorSpec)
CUDAL1_TRAVELS(NamedWeight)
CUDAL1_TRAVELS(NamedTensorSpec)

} // namespace cudal1::judge
