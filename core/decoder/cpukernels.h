// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of a decoder on the CPU, one table of functions for each set of instructions.
//
// A row's result never depends on which rows are computed beside it: every sum runs over the same terms in the same
// order. That is what makes a seed repeat whatever the batch is, and it is why these are our own and no library's
// products, whose order of summation depends on the number of rows.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace cudal1::decoder {

/// Columns of a panel: matrices are stored in panels of so many output columns, all of the depth together.
inline constexpr std::size_t panelColumns = 48;
/// Tokens of a block of the paged cache.
inline constexpr std::size_t blockTokens = 16;

/// output = input * matrix (+ bias) (+ output). Inputs are in the table's own format, outputs are floats.
struct MultiplyTask {
    const void* input;       ///< [rows][inputStride]
    std::size_t rows;        ///<
    std::size_t inputStride; ///< in numbers
    std::size_t depth;       ///< even; what exceeds the matrix's own depth is zero on both sides
    const void* panels;      ///< the whole matrix
    std::size_t firstPanel;  ///< of those to compute
    std::size_t lastPanel;   ///< one behind
    std::size_t columns;     ///< of the whole matrix
    const float* bias;       ///< may be null
    float* output;           ///< [rows][outputStride]
    std::size_t outputStride;
    bool adds; ///< to what is in `output`
};

/// The heads of queries that share one head of keys and values, for one row.
struct AttendTask {
    const float* query; ///< [group][headSize], rotated and scaled
    const void* keys;   ///< of this layer and head: block b at b * blockStride; see core/decoder/cpudecoder.h
    const void* values;
    std::size_t blockStride; ///< in numbers
    const int* table;        ///< blocks of the text, in order
    std::size_t length;      ///< tokens to look at, from 1
    std::size_t group;
    std::size_t headSize;   ///< even
    std::size_t paddedHead; ///< a multiple of 16
    float* scratch;         ///< 4 * (length rounded up to blocks + paddedHead) floats
    void* output;           ///< [group][headSize]
};

struct CpuKernels {
    std::string_view name; ///< "amx_bf16", "avx512_bf16", "avx512", "avx2", "sse2"
    bool isBf16;           ///< weights, inputs and cache are bfloat16, sums are floats; else all are floats
    void (*multiply)(const MultiplyTask& task);
    void (*attend)(const AttendTask& task);
    void (*normalise)(const float* input, const float* weight, float epsilon, std::size_t count, void* output);
    void (*gate)(const float* gate, const float* up, std::size_t count, void* output); ///< silu(gate) * up
    float (*greatest)(const float* values, std::size_t count); ///< of one at least; which one of NaNs is not said
    /// Sum of exp((value - greatest) * scale); also each block of 1024 values' own sum.
    double (*expSums)(const float* values, std::size_t count, float greatest, float scale, double* blocks);
};

inline constexpr std::size_t sumBlock = 1024;

/// Those that this processor can run, fastest first; `isBf16` only where instructions make bfloat16 worth its rounding.
std::vector<const CpuKernels*> cpuKernels();

extern const CpuKernels amxBf16Kernels;
extern const CpuKernels avx512Bf16Kernels;
extern const CpuKernels avx512Kernels;
extern const CpuKernels avx2Kernels;
extern const CpuKernels sse2Kernels;

} // namespace cudal1::decoder
