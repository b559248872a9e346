// SPDX-License-Identifier: GPL-3.0-or-later
// The formats in which files of models store numbers, and how each becomes floats.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::modelfiles {

/// Plain numbers, and the block formats of GGUF: a block holds a few numbers of few bits with scales of their own.
enum class TensorFormat { F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q4_K, Q5_K, Q6_K };

/// As files and people write it: "F32", "Q4_K".
std::string_view nameOf(TensorFormat format);
std::size_t blockElements(TensorFormat format); ///< numbers of a block; 1 for plain numbers
std::size_t blockBytes(TensorFormat format);
/// Nothing where `elements` is no whole number of blocks, or where the bytes overflow.
std::optional<std::size_t> bytesOf(TensorFormat format, std::size_t elements);

/// `elements` numbers of whole blocks, from bytes that need no alignment.
void toFloats(TensorFormat format, const std::byte* from, std::size_t elements, float* to);

float fromHalf(std::uint16_t bits);   ///< IEEE 754 binary16
float fromBfloat(std::uint16_t bits); ///< the upper half of a float
/// Rounded to the nearest, ties to even.
inline std::uint16_t toBfloat(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return static_cast<std::uint16_t>(value == value ? rounded : bits >> 16 | 64u); // a NaN stays one
}

/// A tensor where it lies in a mapped file.
struct StoredTensor {
    TensorFormat format = TensorFormat::F32;
    std::vector<std::size_t> shape; ///< outermost first; the last is contiguous
    const std::byte* data = nullptr;
};

} // namespace cudal1::modelfiles
