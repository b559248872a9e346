// SPDX-License-Identifier: GPL-3.0-or-later
// What can be told of device code without a tool: the entries of a cubin and of a PTX text. Any thread; damaged input
// gives an empty answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudal1::kernels {

/// Mangled names of the kernels of a cubin (an ELF file for CUDA), in the order of its symbols.
std::vector<std::string> cubinEntries(std::string_view image);

/// Whether a text is PTX: it states a version and a target before its first entry.
bool isPtx(std::string_view text);

/// Mangled names of the entries of a PTX text, in its order.
std::vector<std::string> ptxEntries(std::string_view text);

/// A kernel of the framework or of NVIDIA's libraries, by its mangled or readable name.
bool isLibraryKernel(std::string_view name);

} // namespace cudal1::kernels
