// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA kernel for attention. A block has some queries of one matrix and goes over tiles of keys and values, which it
// copies to shared memory; scores stay in registers. Products are of tensor cores, either in TF32 or, from three
// products of the parts of a number, nearly as exact as in float32. An infinite factor gives NaN in the latter, and in
// TF32 a NaN among keys or values may count as zero.
#pragma once

#include "core/policy/attention.h"
#include "core/policy/kernelwriter.h"

#include <string>
#include <vector>

namespace cudal1::policy {

/// Adds the kernels and a function over tensors to the source and returns the function's name: NAME(query, key, values,
/// operands of the steps...). The result has the shape and strides of `attention.result.value`. Where the framework
/// allows TF32 for products when it is called, it uses TF32.
std::string addAttention(Source& source, const Graph& graph, const Attention& attention);

/// What the function reads, in order.
std::vector<int> inputsOf(const Attention& attention);

} // namespace cudal1::policy
