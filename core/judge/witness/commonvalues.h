// SPDX-License-Identifier: GPL-3.0-or-later
// What makes a weight special: values that many elements share, as a bias of zero, a gain of one or an identity; rows
// that are copies of others; values that are almost equal, or almost zero.
#pragma once

#include "core/judge/module/torchsupport.h"

#include <vector>

namespace cudal1::judge {

/// Values that about one in ten elements of a floating tensor has, or more, of a complex one one in ten of their parts;
/// of a large tensor some elements are looked at. Zero, one and minus one count in a tensor of up to 20 elements even
/// where one element has them. Empty where all values differ, and for an empty tensor; a tensor of one element has its
/// value.
std::vector<double> commonValues(const at::Tensor& weight);

/// Whether slices along the first dimension are equal, as experts in one parameter that start as copies; of a large
/// tensor some are looked at. False where they have few elements.
bool hasEqualRows(const at::Tensor& weight);

/// Whether its elements are not equal, but differ by far less than those of weights do, so that what they decide does
/// not show in a result.
bool isFaint(const at::Tensor& weight);

/// A copy of a faint one whose elements differ as those of weights do. Draws them as aboutIts() does.
at::Tensor withUsualSpread(const at::Tensor& weight);

/// A copy whose elements have other values, up to a quarter larger or smaller. Draws them from the framework's
/// generator.
at::Tensor aboutIts(const at::Tensor& weight);

/// A copy whose elements with a common value have others, each about that value. Zeros and what is almost zero, which
/// would be lost beside other numbers, get values on the scale of the whole tensor. Draws them as aboutIts() does.
at::Tensor withoutCommonValues(const at::Tensor& weight);

} // namespace cudal1::judge
