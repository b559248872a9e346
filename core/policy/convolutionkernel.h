// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA text of a planned convolution: the patch in shared memory, products by tensor cores (mma.sync, so from compute
// capability 8.0 on), element-wise steps before the result is written.
#pragma once

#include "core/policy/convolutionplan.h"
#include "core/policy/kernelprogram.h"

#include <optional>
#include <string>

namespace cudal1::policy {

/// Text of a kernel `name(const float* x, const float* taps, const float* bias, const float* a0, ..., float* out)`,
/// without `bias` where the convolution has none. `taps` is what packedTaps() makes of the weight. `a0, ...` are the
/// inputs of `epilogue` but the convolution's result, which is the value with the id `result`; all have the result's
/// shape or broadcast to it. Without an epilogue the result itself is written.
std::string convolutionText(const ConvolutionPlan& plan, const std::string& name, bool bias,
                            const std::optional<KernelProgram>& epilogue, int result);

/// Python text of `packed_taps(weight, groups, transposed, stride, padding, dilation, chunk, columns, exact)`.
const std::string& packedTapsHelper();

} // namespace cudal1::policy
