// SPDX-License-Identifier: GPL-3.0-or-later
// Device code beside the lines of source that it came from, where its compiler has left line numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudal1::kernels {

/// A text that lines may be of.
struct LineSource {
    std::string ending; ///< of the names that mean it: ".py"
    std::string text;
    int linesBefore = 0; ///< that stand above it in the file that was compiled
};

/// PTX, or SASS as `nvdisasm -g` prints it, with a comment "// kernel.py:20  acc += x" in place of each line number;
/// one that repeats the last is left out. A line of none of `sources` is named without its text. Code without line
/// numbers comes back as it is.
std::string withSourceLines(std::string_view code, const std::vector<LineSource>& sources);

/// Whether there are line numbers in it.
bool hasLineNumbers(std::string_view code);

/// What a variant's kernels can be of: its Python source, as Triton's kernels are, and the CUDA in the first of its
/// strings in three quotes that has a kernel. The framework puts that behind three lines of its own when it compiles it
/// from "cuda.cu".
std::vector<LineSource> lineSourcesOf(const std::string& python);

} // namespace cudal1::kernels
