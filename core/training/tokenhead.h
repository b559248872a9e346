// SPDX-License-Identifier: GPL-3.0-or-later
// From the last hidden states to log-probabilities of tokens and back, without ever holding all logits.
#pragma once

#include "core/training/objective.h"

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace cudal1::training {

/// What is told of row `row` of the hidden states; the answer is the slope of the loss by the log-probability.
using RowObjective = std::function<double(std::size_t row, double logProbability, double entropy)>;

struct TokenHead {
    at::Tensor matrix;        ///< [vocabulary][hidden]
    double temperature = 1;   ///< logits are divided by it
    std::int64_t rows = 1024; ///< whose logits are held at once
};

/// Goes over the rows of `hidden` [rows][hidden], whose tokens are `targets` [rows] of type int64, in order.
///
/// Of row h with logits z = W h / T, p = softmax(z) and slope s of the loss by log p[target], the loss's gradient by z
/// is s (onehot(target) - p). It is carried on at once to h and W, so that logits are computed once a row and
/// forgotten: forward and backward pass are one.
/// Returns the gradient by `hidden`, in its type, and adds the matrix's to `matrixGradient` where that is defined.
/// With `learns` false nothing is carried back, and what it returns is undefined.
at::Tensor headPass(const TokenHead& head, const at::Tensor& hidden, const at::Tensor& targets,
                    const RowObjective& objective, bool learns, const at::Tensor& matrixGradient);

} // namespace cudal1::training
