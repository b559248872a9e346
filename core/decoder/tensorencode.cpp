// SPDX-License-Identifier: GPL-3.0-or-later
// Rounds floats to the formats of files.
#include "core/decoder/tensorencode.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace cudal1::decoder {

using modelfiles::fromBfloat;
using modelfiles::fromHalf;
using modelfiles::TensorFormat;
using modelfiles::toBfloat;

namespace {

void appendBytes(std::vector<std::byte>& to, const void* bytes, std::size_t size)
{
    const auto* first = static_cast<const std::byte*>(bytes);
    to.insert(to.end(), first, first + size);
}

bool appendBlock(const float* from, std::vector<std::byte>& to)
{
    constexpr std::size_t block = 32;
    float greatest = 0;
    for (std::size_t i = 0; i < block; ++i)
        greatest = std::max(greatest, std::abs(from[i]));
    const float scale = greatest / 127;
    const std::uint16_t half = toHalf(scale);
    appendBytes(to, &half, sizeof half);
    for (std::size_t i = 0; i < block; ++i) {
        const float part = scale > 0 ? std::round(from[i] / scale) : 0;
        const auto number = static_cast<std::int8_t>(std::isfinite(part) ? part : 0);
        appendBytes(to, &number, sizeof number);
    }
    return std::isfinite(fromHalf(half)) || !std::isfinite(greatest);
}

} // namespace

std::uint16_t toHalf(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return static_cast<std::uint16_t>(sign | 0x7e00u); // no number
    if (magnitude >= 0x47800000u)                          // 65536 and more
        return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (magnitude < 0x38800000u) { // below 2^-14: multiples of 2^-24
        const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(std::abs(double(value)), 24)));
        return static_cast<std::uint16_t>(sign | steps);
    }
    // A carry of the rounding goes into the exponent, as it should.
    const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return static_cast<std::uint16_t>(sign | (rounded - 0x38000000u) >> 13);
}

bool appendEncoded(TensorFormat format, const float* from, std::size_t elements, std::vector<std::byte>& to)
{
    bool fits = true;
    switch (format) {
    case TensorFormat::F32: appendBytes(to, from, elements * sizeof *from); break;
    case TensorFormat::F16:
    case TensorFormat::BF16:
        for (std::size_t i = 0; i < elements; ++i) {
            const std::uint16_t bits = format == TensorFormat::F16 ? toHalf(from[i]) : toBfloat(from[i]);
            const float back = format == TensorFormat::F16 ? fromHalf(bits) : fromBfloat(bits);
            fits = fits && (std::isfinite(back) || !std::isfinite(from[i]));
            appendBytes(to, &bits, sizeof bits);
        }
        break;
    default: // Q8_0
        for (std::size_t i = 0; i + 32 <= elements; i += 32)
            fits = appendBlock(from + i, to) && fits;
    }
    return fits;
}

} // namespace cudal1::decoder
