// SPDX-License-Identifier: GPL-3.0-or-later
// The axes of a loop nest from those of tensors. `strides` has for each input the elements between one index and the
// next of each axis of the domain.
#pragma once

#include "core/policy/kernelprogram.h"

#include <vector>

namespace cudal1::policy {

using InputStrides = std::vector<std::vector<std::int64_t>>;

/// Adds axis `axis` of the domain behind those of `out`, as one with the last of them where all inputs step on alike.
void appendAxis(std::vector<KernelAxis>& out, std::int64_t extent, std::size_t axis, const InputStrides& strides);

/// The axes where images or volumes lie with their channels innermost, and so do the inputs that are `whole`. Empty
/// where there is none of these, or another input is not the same at all places.
std::vector<KernelAxis> axesChannelsInnermost(const Shape& domain, InputStrides strides,
                                              const std::vector<bool>& whole);

} // namespace cudal1::policy
