// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of a decoder for processors with AVX2 and fused multiply-add.
#define CUDAL1_TILE_ROWS 2
#define CUDAL1_BF16 0
#include "core/decoder/kernelbody.h"

namespace cudal1::decoder {

const CpuKernels avx2Kernels{"avx2", CUDAL1_BF16 == 1, multiply, attend, normalise, gate, expSums};

} // namespace cudal1::decoder
