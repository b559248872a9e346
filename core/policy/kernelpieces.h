// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of a kernel's text that are the same in C and CUDA.
#pragma once

#include "core/policy/kernelprogram.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::policy {

/// CUDA text behind the definitions that it uses: INFINITY, which NVRTC lacks, and the structs that combine two
/// numbers, Sum, Prod, Max and Min. NaN wins, as in the framework.
std::string withDefinitions(const std::string& text);
/// The name of the one for a reduction: "Sum" for "sum".
std::string combinerOf(const std::string& reduction);
/// C text of an operation on texts; the same for C and CUDA.
std::string operationText(const std::string& op, const std::vector<std::string>& args);
/// What the operations of a program at one point of its domain cost, roughly, where that of a function like exp is 1.
double workOf(const KernelProgram& program);
/// "42".
inline std::string number(std::int64_t n)
{
    return std::to_string(n);
}
/// How many blocks of `each` the work takes, of which the last one may have less.
inline std::int64_t blocksOf(std::int64_t work, std::int64_t each)
{
    return (work + each - 1) / each;
}
/// "0.5f".
std::string floatText(double value);
/// Offset of an input at index `variable` of joined axes: "(o / 30 % 16) * 900 + ...", or "" for 0.
std::string offsetText(const std::vector<KernelAxis>& axes, std::size_t input, const std::string& variable);

} // namespace cudal1::policy
