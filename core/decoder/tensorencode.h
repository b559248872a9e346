// SPDX-License-Identifier: GPL-3.0-or-later
// Floats as numbers of the formats that files of models are written in.
#pragma once

#include "core/modelfiles/tensorformat.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cudal1::decoder {

/// IEEE 754 binary16, rounded to the nearest, ties to even; too large ones become infinite.
std::uint16_t toHalf(float value);

/// Appends `elements` numbers, whole blocks, in F32, F16, BF16 or Q8_0 (blocks of 32 with a scale in F16: the greatest
/// magnitude / 127). False where a finite number became infinite.
bool appendEncoded(modelfiles::TensorFormat format, const float* from, std::size_t elements,
                   std::vector<std::byte>& to);

} // namespace cudal1::decoder
