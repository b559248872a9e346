// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a kernel program as Python: its C or CUDA text, compiled at import or at the first call, and a function over
// tensors.
#pragma once

#include "core/policy/kernelprogram.h"
#include "core/policy/technique.h"

#include <functional>
#include <string>

namespace cudal1::policy {

/// C text of one function `name(const float* a0, ..., float* out0, ..., double s0, ..., int threads)`.
std::string cText(const KernelProgram& program, const std::string& name);

/// Text of a CUDA kernel `name(const float* a0, ..., float* out0, ..., double s0, ...)` and how it is launched.
struct CudaText {
    std::string text;
    std::int64_t grid = 1;
    int wide = 1, high = 1; // a block: `wide` threads share each of `high` rows or columns

    int threads() const { return wide * high; }
};
/// `channelsInnermost`: for tensors that lie so; the program must have axes for that.
CudaText cudaText(const KernelProgram& program, const std::string& name, const LaunchOptions& launch,
                  bool channelsInnermost = false);

/// Adds helper, kernel and function to the source and returns the function's name: NAME(inputs..., scalars...).
std::string addKernel(Source& source, const Graph& graph, const KernelProgram& program,
                      const TechniqueContext& context);

/// Adds the class CudaKernel(name, text, grid, threads, pointers, scalars, shared=0), which compiles and launches. A
/// block has `threads` threads in one row, a multiple of 32.
void addCudaHelper(Source& source);

/// The Python text of `laid_out(x, stride)`: x, or a copy of it, with these strides and from an address on that kernels
/// can read vectors from.
const std::string& laidOutHelper();

/// Adds a function at module level and returns its name: `stem`, or with a number behind it where another version of
/// the module, with other techniques on, has another function of that name. `text` writes it under a name; it is called
/// with an empty one too, and has no effects.
std::string addFunction(Source& source, const std::string& stem,
                        const std::function<std::string(const std::string&)>& text);

/// A shape as a Python tuple: "(16, 64)", "(16, )".
std::string tupleText(const Shape& shape);

/// Declares `const float eN = ...;` for every expression that `roots` need and `names` does not hold yet, and adds them
/// to `names`. `load` gives the text that reads an input.
std::string declare(const KernelProgram& program, const std::vector<int>& roots, std::map<int, std::string>& names,
                    const std::function<std::string(int)>& load, const std::string& indent);

/// CUDA text of the passes over the reduced axes, at the first level of a function. `loop` opens a loop over the
/// elements that a thread has of a row, `over(op, value)` combines the value of all threads of a row by a struct that
/// withDefinitions() defines. Adds to `names` what is then known of a row.
std::string passesText(const KernelProgram& program, const std::string& loop,
                       const std::function<std::string(const std::string&, const std::string&)>& over,
                       const std::function<std::string(int)>& load, std::map<int, std::string>& names);

/// Reductions of one pass over the reduced axis.
std::vector<int> reductionsOf(const KernelProgram& program, int stage);
/// Row expressions that are computed once after pass `stage` and are read by later passes or stored.
std::vector<int> rowResults(const KernelProgram& program, int stage);
/// Value that a reduction begins with: "0.0f", "1.0f", "-INFINITY", "INFINITY".
std::string neutral(const std::string& reduction);
/// "const float* a0, float* out0, double s0".
std::string signature(const KernelProgram& program, bool restricted);

} // namespace cudal1::policy
