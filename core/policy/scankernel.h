// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA kernel for running sums and products along one dimension: some warps for each row where the dimension is the
// last, otherwise a thread for each column.
#pragma once

#include "core/policy/elementwisechains.h"
#include "core/policy/kernelwriter.h"

#include <cstdint>
#include <string>

namespace cudal1::policy {

/// The result has the dimensions [rows, length, inner], the source [source rows, source length, inner]. Place p of a
/// row of the scan is the source's place offset + step * p where low <= p < high, and zero elsewhere.
struct ScanKernel {
    enum class Operation { Sum, Product };
    enum class Factor { None, Numbers, Mask }; ///< a tensor of the source's shape, by which each element is multiplied

    Operation operation = Operation::Sum;
    std::int64_t rows = 1, length = 1, inner = 1;
    std::int64_t sourceLength = 1, firstRow = 0; ///< the source's row that the result's first one is made of
    std::int64_t step = 1, offset = 0;           ///< a step is 1 or -1
    std::int64_t low = 0, high = 1;
    bool storesReversed = false; ///< place p of the scan lies at length - 1 - p of the result
    Factor factor = Factor::None;
    Chain before; ///< what makes an element of the source, before it is multiplied

    std::int64_t columns() const { return rows * inner; }
};

/// Adds the kernel and a function over tensors to the source and returns the function's name: NAME(x, factor, further
/// inputs of `before`), without what it does not have. `shape` is the result's, `sourceElements` the source's number.
std::string addScan(Source& source, const ScanKernel& kernel, const Shape& shape, std::int64_t sourceElements,
                    const std::string& about);

} // namespace cudal1::policy
