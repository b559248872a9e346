// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA kernel for pools and depthwise convolutions: a thread for each result, windows that are known at compile time,
// element-wise operators before and behind in registers.
#pragma once

#include "core/policy/elementwisechains.h"
#include "core/policy/kernelwriter.h"

#include <array>
#include <optional>
#include <string>

namespace cudal1::policy {

struct WindowKernel {
    enum class Kind { Max, Mean, Products };
    struct Axis {
        std::int64_t in = 1, out = 1, window = 1, stride = 1, padding = 0, dilation = 1;
        bool inside() const; ///< all windows lie within the image
    };

    Kind kind = Kind::Max;
    bool countsPadding = true; ///< a mean divides by the places of the whole window
    std::int64_t images = 1, inChannels = 1, outChannels = 1;
    std::array<Axis, 3> axes; ///< the last ones are those of the tensor
    bool bias = false;        ///< of products
    Chain before, after;

    std::int64_t taps() const;   ///< places of a window
    std::int64_t places() const; ///< of one channel of one image
    std::int64_t results() const;
};

/// Whether a program reads its inputs, but for the one that it begins with, alike at all places of an image.
bool sameOverPlaces(const Chain& chain);

/// Adds the kernel and a function over tensors to the source and returns the function's name: NAME(x, weight, bias,
/// further inputs of `before`, further inputs of `after`), without what it does not have. `shape` is the result's.
std::string addWindow(Source& source, const WindowKernel& kernel, const Shape& shape, const std::string& about);

} // namespace cudal1::policy
