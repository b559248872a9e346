// SPDX-License-Identifier: GPL-3.0-or-later
// What the two readers of a decoder's shape share: checks, and how a refusal becomes an error. For this folder's .cpp
// files.
#pragma once

#include "core/modelfiles/decoderconfig.h"

#include <string>
#include <utility>

namespace cudal1::modelfiles {

struct ConfigRefused {
    base::ErrorCode code;
    std::string problem; ///< follows "The model cannot be used: "
};

/// Throws ConfigRefused for sizes that no decoder has.
void checkSizes(const DecoderConfig& config);

base::Result<DecoderConfig> checkedConfig(auto read)
{
    try {
        DecoderConfig out = read();
        checkSizes(out);
        return out;
    } catch (const ConfigRefused& refused) {
        return base::Error{refused.code, "The model cannot be used: " + refused.problem, "",
                           refused.code == base::ErrorCode::InvalidArgument
                               ? "docs/localmodel.md lists what is supported"
                               : "Its description is damaged; fetch it again"};
    }
}

} // namespace cudal1::modelfiles
