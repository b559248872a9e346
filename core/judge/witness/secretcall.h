// SPDX-License-Identifier: GPL-3.0-or-later
// One call as the witness knows it and no other process does.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

/// The inputs and the seed of one call, before the subject sees them, and the results once they are known.
struct SecretCall {
    std::string family = "as_given";
    std::vector<at::Tensor> inputs;
    std::uint64_t seed = 0;
    bool isCompared = false;          ///< in any case; of other calls some are, at random
    std::size_t slot = 0;             ///< where the driver has the inputs staged (Driver::lay)
    std::vector<at::Tensor> expected; ///< the reference's results
    std::vector<at::Tensor> left;     ///< what the reference leaves in its inputs; empty where it writes into none
    std::vector<at::Tensor> actual;   ///< the candidate's results
    /// The bytes of the inputs as the candidate left them, with the places of the arena; undefined when nobody read
    /// them.
    at::Tensor inputsAfter;
};

} // namespace cudal1::judge
