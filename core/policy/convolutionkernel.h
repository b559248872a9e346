// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA text of a planned convolution: the patch in shared memory, products by tensor cores (mma.sync, so from compute
// capability 8.0 on), element-wise steps before the result is written.
//
// Products are of halves, which have TF32's mantissa at twice its rate but fewer exponents. So a patch is multiplied by
// the power of two that brings its largest number to about 2^12, the weight likewise, and the sums are divided again.
// Where products shall be exact, a factor is two halves, which together hold 22 bits of what is within 2^12 of the
// largest number, and fewer of what is smaller.
#pragma once

#include "core/policy/convolutionplan.h"
#include "core/policy/kernelprogram.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cudal1::policy {

/// What a kernel leaves in memory.
enum class ConvolutionStore {
    Results,
    Sums,   ///< of each channel and run of tiles, the sum over places
    Moments ///< of the same: count, mean, and sum of the squares of what differs from the mean
};
/// Numbers that are stored of each channel and run of tiles; none where results are.
int partWidth(ConvolutionStore stored);

/// A norm of each row of places, along the last axis, by its own mean and deviation.
struct RowNorm {
    double eps = 0;
    std::optional<int> weight, bias; ///< ids of values, with a number for each place of a row
};

/// What a kernel computes of the convolution's results, in this order. Each program has one output.
struct ConvolutionKernel {
    bool bias = false;
    /// Runs before the norm of rows and the pool; may reduce over the channels, but its output is full. `beforeInput`
    /// is the id of the value that the convolution makes.
    std::optional<KernelProgram> before;
    int beforeInput = -1;
    std::optional<RowNorm> rows; ///< then the plan has whole rows, and no program reduces
    bool mean = false;           ///< the plan's pool takes means, else maxima
    /// Runs last, also where no pool is. `afterInput` is the id of the value that it begins with. It may reduce over
    /// the channels. Only where it does not, no pool and no norm of rows is and results are stored, its inputs may
    /// differ from place to place.
    std::optional<KernelProgram> after;
    int afterInput = -1;
    ConvolutionStore stored =
        ConvolutionStore::Results; ///< what is stored of what comes last; other than results, its output is full

    bool reduces() const; ///< whether a program does, so that a warp must have all channels of a place
    /// What it reads besides the convolution's input, weight and bias: ids of values, with their names in the kernel.
    std::vector<std::pair<int, std::string>> inputs() const;
};

/// Text of a kernel `name(const float* x, const float* taps, const float* bias, const float* b0, ..., const float* a0,
/// ..., float* out)`, without `bias` where the convolution has none. `taps` is what packed_taps() makes of the weight.
/// `b0, ...` and `a0, ...` are the inputs of the programs but those that the kernel makes itself; behind them stand
/// `row_weight` and `row_bias` where rows are normalized by them. Where `stored` is not Results, the plan is `summed`,
/// and `out` has the shape (channels, images, runs of tiles, partWidth(stored)).
std::string convolutionText(const ConvolutionPlan& plan, const std::string& name, const ConvolutionKernel& kernel);

/// Whether an input of `program`, over images, channels and places, is the same at all places of an image, so that it
/// can be read where the channels of a place lie in registers.
bool readableByChannel(const KernelProgram& program, int input);

} // namespace cudal1::policy
