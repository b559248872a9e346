// SPDX-License-Identifier: GPL-3.0-or-later
// The angles of the rotary embedding, with the scalings for long texts.
#pragma once

#include "core/modelfiles/decoderconfig.h"

#include <cstddef>
#include <vector>

namespace cudal1::decoder {

/// Element i of a head is rotated together with element i + headSize / 2, by position * frequencies[i]; cosine and
/// sine are multiplied by `attention`.
struct RotaryFrequencies {
    std::vector<float> frequencies; ///< headSize / 2 of them, in radians a token
    std::vector<double> precise;    ///< before they were rounded to floats
    float attention = 1;
};

/// `length`: of the text in tokens; matters for the dynamic scaling alone, and there from originalContext on.
RotaryFrequencies rotaryFrequencies(const modelfiles::DecoderConfig& config, std::size_t length);

} // namespace cudal1::decoder
