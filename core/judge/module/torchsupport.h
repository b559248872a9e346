// SPDX-License-Identifier: GPL-3.0-or-later
// What every file that works on tensors needs.
#pragma once

#include <ATen/ATen.h>

#include "core/judge/module/pythonhost.h"
#include "core/judge/wire/tensorspec.h"

#include <string>
#include <vector>

namespace cudal1::judge {

c10::Device deviceOf(const std::string& name); ///< "cpu", "cuda:0"; throws c10::Error for another word
std::string nameOf(c10::ScalarType type);      ///< "float32"
c10::ScalarType scalarTypeOf(const std::string& name);
at::Tensor viewOf(std::byte* base, const TensorSpec& spec, const c10::Device& device); ///< shares the arena's memory
TensorSpec specOf(const at::Tensor& tensor, std::size_t& nextOffset); ///< places it at the next aligned offset
/// Waits until the device has nothing to do, and turns an error of an earlier kernel into c10::Error.
void synchronise(const c10::Device& device);

/// A Python tensor's C++ side. The object must be a tensor.
at::Tensor tensorOf(PyObject* object);
PyRef pythonOf(const at::Tensor& tensor);

bool isTensor(PyObject* object);

/// A torch.Tensor, of no derived class and without attributes of its own.
bool isPlainTensor(PyObject* object);

/// What a forward returned, flattened: a tensor, or a tuple or list of tensors.
struct Outputs {
    std::vector<at::Tensor> tensors;
    std::string kind;    ///< "tensor", "tuple", "list"
    std::string problem; ///< why it is none of these; empty when fine
};
/// `exact` refuses what is no plain tensor.
Outputs flattenOutputs(PyObject* result, bool exact);

} // namespace cudal1::judge
