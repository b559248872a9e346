// SPDX-License-Identifier: GPL-3.0-or-later
// Values that many elements of a weight share: a bias of zero, a gain of one, an identity, a matrix that is mostly
// zero.
#pragma once

#include "core/judge/module/torchsupport.h"

#include <vector>

namespace cudal1::judge {

/// Values that about one in ten elements of a floating tensor has, or more, of a complex one one in ten of their parts;
/// of a large tensor some elements are looked at. Empty where all values differ, and for an empty tensor; a tensor of
/// one element has its value.
std::vector<double> commonValues(const at::Tensor& weight);

/// A copy whose elements have other values, up to a quarter larger or smaller. Draws them from the framework's
/// generator.
at::Tensor aboutIts(const at::Tensor& weight);

/// A copy whose elements with a common value have others, each about that value. Zeros and what is almost zero, which
/// would be lost beside other numbers, get values on the scale of the whole tensor. Draws them as aboutIts() does.
at::Tensor withoutCommonValues(const at::Tensor& weight);

} // namespace cudal1::judge
