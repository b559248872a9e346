// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of a decoder for processors with no more than every x86-64 has.
#define CUDAL1_TILE_ROWS 1
#define CUDAL1_BF16 0
#include "core/decoder/kernelbody.h"

namespace cudal1::decoder {

const CpuKernels sse2Kernels{"sse2", CUDAL1_BF16 == 1, multiply, attend, normalise, gate, expSums};

} // namespace cudal1::decoder
