// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of a decoder for processors with AVX-512.
#define CUDAL1_TILE_ROWS 8
#define CUDAL1_BF16 0
#include "core/decoder/kernelbody.h"

namespace cudal1::decoder {

const CpuKernels avx512Kernels{"avx512", CUDAL1_BF16 == 1, multiply, attend, normalise, gate, expSums};

} // namespace cudal1::decoder
