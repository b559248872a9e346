// SPDX-License-Identifier: GPL-3.0-or-later
// SASS of a cubin by NVIDIA's own disassembler, where there is one. Blocks until it has ended.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace cudal1::kernels {

/// The `nvdisasm` to use: CUDAL1_NVDISASM, that of PATH, of a CUDA Toolkit, of the Triton package beside `python` (a
/// Python interpreter's path, may be empty). Empty when there is none.
std::filesystem::path findDisassembler(const std::filesystem::path& python);

/// With the line numbers that the compiler left. Unavailable without a disassembler, with the next step; ProcessFailed,
/// with what it said, when it refuses the image. `folder` is for files of its own, which are removed.
base::Result<std::string> disassemble(std::string_view image, const std::filesystem::path& tool,
                                      const std::filesystem::path& folder);

} // namespace cudal1::kernels
