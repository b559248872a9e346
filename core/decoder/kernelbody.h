// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops themselves. Each kernels*.cpp includes this once, compiled for other instructions; nothing of it may
// be seen outside of its file, and it uses no inline functions of the standard library, which the linker would mix.
//
// Before: CUDAL1_TILE_ROWS (rows of which the sums are made at once), CUDAL1_BF16 (0 or 1), and CUDAL1_OWN_PRODUCTS
// where the including file has a multiply() of its own.
//
// clang-tidy warns of an unnamed namespace in a header, since each file gets its own definitions. Here that is wanted.
// NOLINTBEGIN(misc-definitions-in-headers)
#pragma once

#include "core/decoder/cpukernels.h"

#include <cstddef>
#include <cstdint>
#if CUDAL1_BF16
#include <immintrin.h>
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace cudal1::decoder {
namespace {

typedef float Vec __attribute__((vector_size(64)));
typedef float LooseVec __attribute__((vector_size(64), aligned(4), may_alias));
typedef std::int32_t IntVec __attribute__((vector_size(64)));

constexpr std::size_t lanes = 16;
constexpr std::size_t panelVecs = panelColumns / lanes;
constexpr float lowest = -1e30f;

#define CUDAL1_INLINE static inline __attribute__((always_inline))

CUDAL1_INLINE Vec load(const float* from)
{
    return *reinterpret_cast<const LooseVec*>(from);
}
CUDAL1_INLINE void save(float* to, Vec value)
{
    *reinterpret_cast<LooseVec*>(to) = value;
}
CUDAL1_INLINE Vec all(float value)
{
    return Vec{} + value;
}

// What is stored, and one step of a sum: `depthStep` numbers of the depth at once for 16 columns.
#if CUDAL1_BF16
using Stored = std::uint16_t;
constexpr std::size_t depthStep = 2;
CUDAL1_INLINE Vec stepSum(Vec sum, const Stored* columns, const Stored* input)
{
    std::int32_t pair;
    __builtin_memcpy(&pair, input, sizeof pair);
    const __m512i weights = _mm512_loadu_si512(columns);
    return (Vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)weights, (__m512bh)_mm512_set1_epi32(pair));
}
CUDAL1_INLINE Vec widen(const Stored* from)
{
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return (Vec)_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}
CUDAL1_INLINE void narrow(Stored* to, Vec value)
{
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), (__m256i)_mm512_cvtneps_pbh((__m512)value));
}
#else
using Stored = float;
constexpr std::size_t depthStep = 1;
CUDAL1_INLINE Vec stepSum(Vec sum, const Stored* columns, const Stored* input)
{
    return sum + load(columns) * *input;
}
CUDAL1_INLINE Vec widen(const Stored* from)
{
    return load(from);
}
CUDAL1_INLINE void narrow(Stored* to, Vec value)
{
    save(to, value);
}
#endif

/// `count` below 16: what lies behind is neither read nor written.
CUDAL1_INLINE Vec loadSome(const float* from, std::size_t count)
{
    float all16[lanes] = {};
    for (std::size_t i = 0; i < count; ++i)
        all16[i] = from[i];
    return load(all16);
}
CUDAL1_INLINE void narrowSome(Stored* to, Vec value, std::size_t count)
{
    Stored all16[lanes];
    narrow(all16, value);
    for (std::size_t i = 0; i < count; ++i)
        to[i] = all16[i];
}

CUDAL1_INLINE float total(Vec value)
{
    float out = 0;
    for (std::size_t i = 0; i < lanes; ++i)
        out += value[i];
    return out;
}

/// Relative error below 1e-7 between -87 and 88, which bound what is given.
CUDAL1_INLINE Vec exponential(Vec x)
{
    x = x < all(-87.0f) ? all(-87.0f) : x;
    x = x > all(88.0f) ? all(88.0f) : x;
    const Vec shifted = x * 1.44269504f + 12582912.0f; // the whole power of two, in the lowest bits
    const Vec whole = shifted - 12582912.0f;
    const Vec rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    Vec sum = all(1.9875691500e-4f);
    sum = sum * rest + 1.3981999507e-3f;
    sum = sum * rest + 8.3334519073e-3f;
    sum = sum * rest + 4.1665795894e-2f;
    sum = sum * rest + 1.6666665459e-1f;
    sum = sum * rest + 5.0000001201e-1f;
    sum = sum * (rest * rest) + rest + 1.0f;
    return (Vec)((IntVec)sum + ((IntVec)shifted << 23));
}

/// What of the next panel a tile asks the memory for while it computes: each tile of a panel a part of it.
struct Ahead {
    const char* from;
    const char* end;
    std::size_t lines; ///< a step
};

constexpr std::size_t lineBytes = 64;

Ahead aheadOf(const MultiplyTask& task, std::size_t row, std::size_t panel)
{
    const std::size_t bytes = panelColumns * task.depth * sizeof(Stored);
    const std::size_t tiles = (task.rows + CUDAL1_TILE_ROWS - 1) / CUDAL1_TILE_ROWS, tile = row / CUDAL1_TILE_ROWS;
    const char* next = static_cast<const char*>(task.panels) + (panel + 1) * bytes;
    if (panel + 1 == task.lastPanel)
        return {next, next, 1};
    const std::size_t lines = panelColumns * depthStep * sizeof(Stored) / lineBytes; // that a step reads
    return {next + bytes / tiles * tile, next + bytes / tiles * (tile + 1), tiles >= lines ? 1 : lines / tiles + 1};
}

/// Writes the sums of one row and panel to where they belong.
CUDAL1_INLINE void saveSums(const MultiplyTask& task, std::size_t row, std::size_t panel, const Vec* sums)
{
    const std::size_t first = panel * panelColumns;
    const std::size_t count = task.columns - first < panelColumns ? task.columns - first : panelColumns;
    float* output = task.output + row * task.outputStride + first;
    for (std::size_t v = 0; v < panelVecs; ++v) {
        Vec sum = sums[v];
        const std::size_t at = v * lanes;
        if (at + lanes <= count) {
            if (task.bias)
                sum += load(task.bias + first + at);
            save(output + at, task.adds ? load(output + at) + sum : sum);
            continue;
        }
        for (std::size_t i = at; i < count; ++i) {
            const float value = sum[i - at] + (task.bias ? task.bias[first + i] : 0.0f);
            output[i] = task.adds ? output[i] + value : value;
        }
    }
}

#ifndef CUDAL1_OWN_PRODUCTS
template<std::size_t Rows> void tile(const MultiplyTask& task, std::size_t row, std::size_t panel)
{
    Ahead ahead = aheadOf(task, row, panel);
    const auto* input = static_cast<const Stored*>(task.input) + row * task.inputStride;
    const auto* columns = static_cast<const Stored*>(task.panels) + panel * panelColumns * task.depth;
    Vec sums[Rows][panelVecs] = {};
    for (std::size_t k = 0; k < task.depth; k += depthStep) {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < panelVecs; ++v)
                sums[r][v] = stepSum(sums[r][v], columns + v * lanes * depthStep, input + r * task.inputStride + k);
        columns += panelColumns * depthStep;
        for (std::size_t i = 0; i < ahead.lines && ahead.from < ahead.end; ++i, ahead.from += lineBytes)
            __builtin_prefetch(ahead.from, 0, 2);
    }
    for (std::size_t r = 0; r < Rows; ++r)
        saveSums(task, row + r, panel, sums[r]);
}

template<std::size_t Rows> void tileOf(const MultiplyTask& task, std::size_t row, std::size_t panel, std::size_t rows)
{
    if (rows == Rows)
        tile<Rows>(task, row, panel);
    else if constexpr (Rows > 1)
        tileOf<Rows - 1>(task, row, panel, rows);
}

void multiply(const MultiplyTask& task)
{
    for (std::size_t panel = task.firstPanel; panel < task.lastPanel; ++panel)
        for (std::size_t row = 0; row < task.rows; row += CUDAL1_TILE_ROWS) {
            const std::size_t left = task.rows - row;
            tileOf<CUDAL1_TILE_ROWS>(task, row, panel, left < CUDAL1_TILE_ROWS ? left : CUDAL1_TILE_ROWS);
        }
}

#endif

/// Scores of 16 tokens for Heads queries. Keys lie by depth, 16 tokens together, as columns of a panel do. Two sums
/// for each head, so that one need not wait for the other.
template<std::size_t Heads>
void scoresOf(const Stored* keys, const Stored* query, std::size_t paddedHead, std::size_t headSize, float* scores,
              std::size_t stride)
{
    Vec even[Heads] = {}, odd[Heads] = {};
    std::size_t k = 0;
    for (; k + 2 * depthStep <= headSize; k += 2 * depthStep) {
#pragma GCC unroll 4
        for (std::size_t h = 0; h < Heads; ++h) {
            even[h] = stepSum(even[h], keys + k * lanes, query + h * paddedHead + k);
            odd[h] = stepSum(odd[h], keys + (k + depthStep) * lanes, query + h * paddedHead + k + depthStep);
        }
    }
    for (std::size_t h = 0; h < Heads; ++h) {
        if (k < headSize)
            even[h] = stepSum(even[h], keys + k * lanes, query + h * paddedHead + k);
        save(scores + h * stride, even[h] + odd[h]);
    }
}

/// Values of 16 dimensions for Heads queries, weighted by their shares.
template<std::size_t Heads>
void mixOf(const AttendTask& task, std::size_t at, const float* shares, std::size_t stride, float* mixed)
{
    Vec sums[Heads] = {};
    const auto* base = static_cast<const Stored*>(task.values) + at;
    for (std::size_t token = 0; token < task.length; ++token) {
        const Vec value = widen(base + static_cast<std::size_t>(task.table[token / blockTokens]) * task.blockStride +
                                token % blockTokens * task.paddedHead);
#pragma GCC unroll 4
        for (std::size_t h = 0; h < Heads; ++h)
            sums[h] += value * shares[h * stride + token];
    }
    for (std::size_t h = 0; h < Heads; ++h)
        save(mixed + h * task.paddedHead + at, sums[h]);
}

/// Shares in place of scores; returns the sum that they are to be divided by.
float softmax(float* scores, std::size_t length, std::size_t padded)
{
    for (std::size_t i = length; i < padded; ++i)
        scores[i] = lowest;
    Vec highest = all(lowest);
    for (std::size_t i = 0; i < padded; i += lanes) {
        const Vec value = load(scores + i);
        highest = value > highest ? value : highest;
    }
    float most = lowest;
    for (std::size_t i = 0; i < lanes; ++i)
        most = highest[i] > most ? highest[i] : most;
    Vec sum = {};
    for (std::size_t i = 0; i < padded; i += lanes) {
        const Vec share = exponential(load(scores + i) - most);
        save(scores + i, share);
        sum += share;
    }
    for (std::size_t i = length; i < padded; ++i)
        scores[i] = 0;
    return total(sum);
}

/// Blocks lie anywhere, which the processor cannot foresee: both kinds are asked for before the first is used.
void askForBlocks(const AttendTask& task, std::size_t blocks)
{
    const std::size_t bytes = blockTokens * task.paddedHead * sizeof(Stored);
    const void* const caches[] = {task.keys, task.values};
    for (const void* cache : caches)
        for (std::size_t block = 0; block < blocks; ++block) {
            const auto* from = reinterpret_cast<const char*>(
                static_cast<const Stored*>(cache) + static_cast<std::size_t>(task.table[block]) * task.blockStride);
            for (std::size_t at = 0; at < bytes; at += lineBytes)
                __builtin_prefetch(from + at, 0, 2);
        }
}

template<std::size_t Heads> void attendHeads(const AttendTask& task, std::size_t first)
{
    const std::size_t padded = (task.length + blockTokens - 1) / blockTokens * blockTokens;
    constexpr std::size_t fits = 32; // blocks of a head that the second level of caches holds beside other things
    if (first == 0 && padded / blockTokens <= fits)
        askForBlocks(task, padded / blockTokens);
    float* scores = task.scratch;
    float* mixed = scores + Heads * padded;
    Stored query[Heads * 512];
    for (std::size_t h = 0; h < Heads; ++h)
        for (std::size_t i = 0; i < task.headSize; i += lanes) {
            const float* from = task.query + (first + h) * task.headSize + i;
            const std::size_t left = task.headSize - i;
            narrow(query + h * task.paddedHead + i, left < lanes ? loadSome(from, left) : load(from));
        }
    for (std::size_t token = 0; token < padded; token += blockTokens)
        scoresOf<Heads>(static_cast<const Stored*>(task.keys) +
                            static_cast<std::size_t>(task.table[token / blockTokens]) * task.blockStride,
                        query, task.paddedHead, task.headSize, scores + token, padded);
    float sums[Heads];
    for (std::size_t h = 0; h < Heads; ++h)
        sums[h] = softmax(scores + h * padded, task.length, padded);
    for (std::size_t i = 0; i < task.paddedHead; i += lanes)
        mixOf<Heads>(task, i, scores, padded, mixed);
    for (std::size_t h = 0; h < Heads; ++h)
        for (std::size_t i = 0; i < task.headSize; i += lanes) {
            auto* to = static_cast<Stored*>(task.output) + (first + h) * task.headSize + i;
            const Vec value = load(mixed + h * task.paddedHead + i) / sums[h];
            const std::size_t left = task.headSize - i;
            if (left < lanes)
                narrowSome(to, value, left);
            else
                narrow(to, value);
        }
}

void attend(const AttendTask& task)
{
    std::size_t head = 0;
    for (; head + 4 <= task.group; head += 4)
        attendHeads<4>(task, head);
    switch (task.group - head) {
    case 3: attendHeads<3>(task, head); break;
    case 2: attendHeads<2>(task, head); break;
    case 1: attendHeads<1>(task, head); break;
    default: break;
    }
}

void normalise(const float* input, const float* weight, float epsilon, std::size_t count, void* output)
{
    const std::size_t whole = count / lanes * lanes, rest = count - whole;
    Vec squares = {};
    for (std::size_t i = 0; i < whole; i += lanes)
        squares += load(input + i) * load(input + i);
    if (rest) {
        const Vec value = loadSome(input + whole, rest);
        squares += value * value;
    }
    const float scale = 1.0f / __builtin_sqrtf(total(squares) / static_cast<float>(count) + epsilon);
    auto* to = static_cast<Stored*>(output);
    for (std::size_t i = 0; i < whole; i += lanes)
        narrow(to + i, load(input + i) * scale * load(weight + i));
    if (rest)
        narrowSome(to + whole, loadSome(input + whole, rest) * scale * loadSome(weight + whole, rest), rest);
}

CUDAL1_INLINE Vec gated(Vec value, Vec up)
{
    return value / (1.0f + exponential(-value)) * up;
}

void gate(const float* values, const float* up, std::size_t count, void* output)
{
    auto* to = static_cast<Stored*>(output);
    const std::size_t whole = count / lanes * lanes, rest = count - whole;
    for (std::size_t i = 0; i < whole; i += lanes)
        narrow(to + i, gated(load(values + i), load(up + i)));
    if (rest)
        narrowSome(to + whole, gated(loadSome(values + whole, rest), loadSome(up + whole, rest)), rest);
}

float greatest(const float* values, std::size_t count)
{
    Vec most = all(values[0]);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const Vec value = load(values + i);
        most = value > most ? value : most;
    }
    float out = values[0];
    for (std::size_t j = 0; j < lanes; ++j)
        out = most[j] > out ? most[j] : out;
    for (; i < count; ++i)
        out = values[i] > out ? values[i] : out;
    return out;
}

double expSums(const float* values, std::size_t count, float most, float scale, double* blocks)
{
    double sum = 0;
    for (std::size_t begin = 0; begin < count; begin += sumBlock) {
        const std::size_t end = count - begin < sumBlock ? count : begin + sumBlock;
        Vec sums = {};
        std::size_t i = begin;
        for (; i + lanes <= end; i += lanes)
            sums += exponential((load(values + i) - most) * scale);
        double block = static_cast<double>(total(sums));
        if (i < end) {
            const Vec rest = exponential((loadSome(values + i, end - i) - most) * scale);
            for (std::size_t j = 0; j < end - i; ++j)
                block += static_cast<double>(rest[j]);
        }
        blocks[begin / sumBlock] = block;
        sum += block;
    }
    return sum;
}

} // namespace
} // namespace cudal1::decoder

#pragma GCC diagnostic pop
// NOLINTEND(misc-definitions-in-headers)
