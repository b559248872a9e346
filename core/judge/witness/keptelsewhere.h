// SPDX-License-Identifier: GPL-3.0-or-later
// What a model keeps between calls: in parameters and buffers, in attributes, in objects that these refer to, and in
// the task's module.
#pragma once

#include "core/judge/module/devicekernels.h"
#include "core/judge/module/pythonhost.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

/// A tensor's type, shape and contents, without the memory that these take. On another device it is the same one.
struct KeptTensor {
    std::string form;
    std::uint64_t fingerprint = 0;
    bool operator==(const KeptTensor&) const = default;
};

/// What kept() of keptelsewhere.py has found, by path as Python reads it from the model ("cell.state[0]").
std::map<std::string, KeptTensor> keptTensors(const PyRef& found, const DeviceKernels& kernels,
                                              const c10::Device& device);

/// The paths of those that are others afterwards, or were not there before.
std::vector<std::string> changedPaths(const std::map<std::string, KeptTensor>& before,
                                      const std::map<std::string, KeptTensor>& after);

} // namespace cudal1::judge
