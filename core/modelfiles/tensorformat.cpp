// SPDX-License-Identifier: GPL-3.0-or-later
// Block formats of GGUF and plain numbers as floats.
#include "core/modelfiles/tensorformat.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cudal1::modelfiles {

namespace {

struct Format {
    std::string_view name;
    std::size_t elements;
    std::size_t bytes;
};
constexpr std::array<Format, 9> formats{{
    {"F32", 1, 4},
    {"F16", 1, 2},
    {"BF16", 1, 2},
    {"Q8_0", 32, 2 + 32},
    {"Q4_0", 32, 2 + 16},
    {"Q4_1", 32, 2 + 2 + 16},
    {"Q4_K", 256, 2 + 2 + 12 + 128},
    {"Q5_K", 256, 2 + 2 + 12 + 32 + 128},
    {"Q6_K", 256, 128 + 64 + 16 + 2},
}};
constexpr std::size_t superBlock = 256;

const Format& of(TensorFormat format)
{
    return formats[static_cast<std::size_t>(format)];
}

std::uint16_t word(const std::byte* from)
{
    std::uint16_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
}

float half(const std::byte* from)
{
    return fromHalf(word(from));
}

int byteAt(const std::byte* from, std::size_t i)
{
    return std::to_integer<int>(from[i]);
}

/// Scale, then 32 signed bytes.
void q8_0(const std::byte* block, float* to)
{
    const float scale = half(block);
    for (std::size_t i = 0; i < 32; ++i)
        to[i] = scale * static_cast<float>(static_cast<std::int8_t>(byteAt(block + 2, i)));
}

/// Scale, (minimum,) then 16 bytes: the low four bits are numbers 0 to 15, the high ones 16 to 31.
void q4(const std::byte* block, float* to, bool hasMinimum)
{
    const float scale = half(block);
    const float minimum = hasMinimum ? half(block + 2) : -8 * scale;
    const std::byte* packed = block + (hasMinimum ? 4 : 2);
    for (std::size_t i = 0; i < 16; ++i) {
        to[i] = scale * static_cast<float>(byteAt(packed, i) & 15) + minimum;
        to[i + 16] = scale * static_cast<float>(byteAt(packed, i) >> 4) + minimum;
    }
}

/// Scale and minimum of part j of 8: six bits each in 12 bytes. Those of parts 0 to 3 have bytes of their own, whose
/// upper two bits are the upper bits of parts 4 to 7.
void partScales(const std::byte* packed, std::size_t j, int& scale, int& minimum)
{
    if (j < 4) {
        scale = byteAt(packed, j) & 63;
        minimum = byteAt(packed, j + 4) & 63;
    } else {
        scale = (byteAt(packed, j + 4) & 15) | ((byteAt(packed, j - 4) >> 6) << 4);
        minimum = (byteAt(packed, j + 4) >> 4) | ((byteAt(packed, j) >> 6) << 4);
    }
}

/// Eight parts of 32 numbers. Bytes of four bits are shared by an even part (low) and the next odd one (high); the
/// fifth bit of part j, where there is one, is bit j of a byte that all parts share.
void q45k(const std::byte* block, float* to, bool hasFifth)
{
    const float scale = half(block);
    const float minimum = half(block + 2);
    const std::byte* scales = block + 4;
    const std::byte* fifth = block + 16;
    const std::byte* packed = block + (hasFifth ? 48 : 16);
    for (std::size_t j = 0; j < 8; ++j) {
        int partScale = 0, partMinimum = 0;
        partScales(scales, j, partScale, partMinimum);
        const float d = scale * static_cast<float>(partScale);
        const float m = minimum * static_cast<float>(partMinimum);
        for (std::size_t i = 0; i < 32; ++i) {
            const int byte = byteAt(packed + j / 2 * 32, i);
            int value = j % 2 == 0 ? byte & 15 : byte >> 4;
            if (hasFifth)
                value += ((byteAt(fifth, i) >> j) & 1) << 4;
            to[j * 32 + i] = d * static_cast<float>(value) - m;
        }
    }
}

/// Two halves of 128 numbers, each in four rows of 32: four low bits (64 bytes a half), two high bits (32 bytes a
/// half), and a signed scale for each 16 numbers.
void q6k(const std::byte* block, float* to)
{
    const float scale = half(block + 208);
    for (std::size_t part = 0; part < 2; ++part) {
        const std::byte* low = block + part * 64;
        const std::byte* high = block + 128 + part * 32;
        const std::byte* scales = block + 192 + part * 8;
        for (std::size_t row = 0; row < 4; ++row) {
            for (std::size_t i = 0; i < 32; ++i) {
                const int byte = byteAt(low, i + row % 2 * 32);
                const int four = row < 2 ? byte & 15 : byte >> 4;
                const int two = (byteAt(high, i) >> (2 * row)) & 3;
                const auto own = static_cast<std::int8_t>(byteAt(scales, row * 2 + i / 16));
                to[part * 128 + row * 32 + i] = scale * static_cast<float>(own) *
                                                static_cast<float>((four | two << 4) - 32);
            }
        }
    }
}

void block(TensorFormat format, const std::byte* from, float* to)
{
    switch (format) {
    case TensorFormat::F32: std::memcpy(to, from, sizeof *to); break;
    case TensorFormat::F16: *to = half(from); break;
    case TensorFormat::BF16: *to = fromBfloat(word(from)); break;
    case TensorFormat::Q8_0: q8_0(from, to); break;
    case TensorFormat::Q4_0: q4(from, to, false); break;
    case TensorFormat::Q4_1: q4(from, to, true); break;
    case TensorFormat::Q4_K: q45k(from, to, false); break;
    case TensorFormat::Q5_K: q45k(from, to, true); break;
    case TensorFormat::Q6_K: q6k(from, to); break;
    }
}

} // namespace

std::string_view nameOf(TensorFormat format)
{
    return of(format).name;
}

std::size_t blockElements(TensorFormat format)
{
    return of(format).elements;
}

std::size_t blockBytes(TensorFormat format)
{
    return of(format).bytes;
}

std::optional<std::size_t> bytesOf(TensorFormat format, std::size_t elements)
{
    static_assert(superBlock % 32 == 0);
    const std::size_t blocks = elements / blockElements(format);
    if (elements % blockElements(format) != 0 || blocks > std::numeric_limits<std::size_t>::max() / blockBytes(format))
        return {};
    return blocks * blockBytes(format);
}

void toFloats(TensorFormat format, const std::byte* from, std::size_t elements, float* to)
{
    if (format == TensorFormat::F32) {
        std::memcpy(to, from, elements * sizeof *to);
        return;
    }
    for (std::size_t i = 0; i < elements; i += blockElements(format), from += blockBytes(format))
        block(format, from, to + i);
}

float fromHalf(std::uint16_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 31u;
    const std::uint32_t fraction = bits & 1023u;
    if (exponent == 0) { // zero and numbers below the normal ones: fraction times 2^-24
        const float value = std::ldexp(static_cast<float>(fraction), -24);
        return sign ? -value : value;
    }
    const std::uint32_t upper = exponent == 31 ? 255u : exponent + 112u;
    return std::bit_cast<float>(sign | upper << 23 | fraction << 13);
}

float fromBfloat(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

} // namespace cudal1::modelfiles
