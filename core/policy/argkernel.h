// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA kernel that finds where the largest or smallest value is along one axis of a tensor. Several threads share
// what lies along the axis behind each result; each keeps the best that it has seen, and shared memory joins them. Of
// equal values the first counts, and NaN comes before any number, as in the framework.
#pragma once

#include "core/policy/kernelwriter.h"

#include <string>

namespace cudal1::policy {

struct ArgKernel {
    bool largest = true;
    std::int64_t outer = 1, extent = 1, inner = 1; ///< axes before the reduced one, that one, and those behind it

    std::int64_t results() const { return outer * inner; }
    std::int64_t sharing() const; ///< threads that share what lies behind a result
    std::int64_t columns() const; ///< results of a block
    std::int64_t blocks() const;
    /// Neighbours among the threads take neighbours along the axis, or else neighbouring results.
    bool alongAxis() const;
};

/// Adds the kernel and a function over a tensor to the source and returns the function's name: NAME(x). `shape` is the
/// result's, `about` a sentence that says what it finds.
std::string addArgReduction(Source& source, const ArgKernel& kernel, const Shape& shape, const std::string& about);

} // namespace cudal1::policy
