// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA kernel for the statistics of norms: mean and deviation of sets of elements, each set by as many blocks of
// threads as keep the whole GPU at work.
//
// A thread takes the mean of a few elements and the squares of what differs from it, in registers, and joins that to
// what it has by the formula for two sets. So no square of a mean is taken from a mean of squares, and results are as
// near as those of two passes. Blocks leave their parts in memory; the last one of a set joins them.
#pragma once

#include "core/policy/kernelwriter.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::policy {

/// Moments of tiles that a convolution's kernel has left, in the shape (channels, images, parts of an image, 3). A set
/// has all parts of neighbouring channels, of one image or of all.
struct TileParts {
    std::int64_t images = 1, ofAnImage = 1;
    std::int64_t groups = 1;   ///< sets of an image
    std::int64_t channels = 1; ///< of a set
    bool allImages = false;

    std::int64_t run() const
    {
        return allImages ? images * ofAnImage : ofAnImage;
    }                                                       ///< parts of a channel that lie in a row
    std::int64_t count() const { return channels * run(); } ///< parts of a set
};

struct MomentsKernel {
    std::int64_t pieces = 1;   ///< of memory that a set is made of: the images of a batch norm
    std::int64_t sets = 1;     ///< whose pieces take turns in memory
    std::int64_t run = 1;      ///< elements of a piece, which follow one another
    std::int64_t channels = 1; ///< how often the results of a set are written: for each channel of a group
    std::int64_t weights = 0;  ///< numbers that the deviation's inverse is multiplied by, in turn; 0: none
    double eps = 0;
    std::optional<double> momentum;       ///< running statistics are kept, with this part of the new ones
    bool counts = false;                  ///< and a counter of calls
    std::optional<KernelProgram> program; ///< what is done with each element first; its domain is the whole tensor
    int programInput = 0;                 ///< the input of `program` that is the tensor
    std::optional<TileParts> parts;       ///< read instead of a tensor

    std::int64_t blocksOfASet() const;
    std::int64_t count() const { return pieces * run; } ///< elements of a set
};

/// Adds the kernel and a function over tensors to the source and returns the function's name:
/// NAME(inputs of `program`, or x, or the parts, then weight, running_mean, running_var, count, where it has them),
/// which returns the mean and weight / deviation, both of shape `results`.
std::string addMoments(Source& source, const MomentsKernel& kernel, const Shape& results,
                       const TechniqueContext& context);

} // namespace cudal1::policy
