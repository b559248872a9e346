// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that a person copies to look at a variant with NVIDIA's own tools.
#pragma once

#include "core/base/ids.h"

#include <string>

namespace cudal1::counters {

/// Writes the variant with its reference as one program, has Nsight Compute take all that it can of one kernel, with
/// its source lines, and opens it. An empty `kernel` means the first ones, whatever they are.
std::string ncuCommand(base::VariantId variant, const std::string& project, const std::string& kernel);
/// The same by Nsight Systems, of all calls.
std::string nsysCommand(base::VariantId variant, const std::string& project);

} // namespace cudal1::counters
