// SPDX-License-Identifier: GPL-3.0-or-later
// What a module keeps between calls where nobody compares it: in plain attributes, and in buffers that are not told to
// the candidate.
#pragma once

#include "core/judge/module/pythonhost.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <set>
#include <string>

namespace cudal1::judge {

/// Copies of these tensors, by path as Python reads it from the module ("cell.state[0]"). Parameters, what shares their
/// memory, and the buffers `compared` are left out. `tracer` is the module trace.py. Throws PythonError.
std::map<std::string, at::Tensor> keptElsewhere(const PyRef& model, const PyRef& tracer,
                                                const std::set<std::string>& compared);

/// The path of the first tensor that is another one afterwards; empty where none is. A tensor on another device with
/// the same values is the same one.
std::string firstChanged(const std::map<std::string, at::Tensor>& before,
                         const std::map<std::string, at::Tensor>& after);

} // namespace cudal1::judge
