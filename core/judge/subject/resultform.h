// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a result: its kind, and the number, shapes, types and device of its tensors. What it finds is a claim;
// the witness compares values.
#pragma once

#include "core/judge/module/torchsupport.h"
#include "core/judge/wire/messages.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// The tensors of what a forward returned. Throws Refusal when their number, a shape, a type or the device are not the
/// reference's. With `exact` they must be plain tensors; without, they may be of a derived class.
std::vector<at::Tensor> resultTensors(const PyRef& result, const ArenaLayout& layout, const c10::Device& device,
                                      bool exact);

/// "float32[16, 64]".
std::string shapeText(const at::Tensor& tensor);
std::string shapeText(const TensorSpec& spec);

} // namespace cudal1::judge
