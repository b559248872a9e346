// SPDX-License-Identifier: GPL-3.0-or-later
// One call as the witness knows it and no other process does.
#pragma once

#include "core/judge/witness/nullcandidates.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::judge {

/// How far rounding moves a result.
struct RoundingMove {
    double noise = 0;
    double jumping = 0;  ///< Difference::jumping
    double distance = 0; ///< of the results, as relativeDistance(); without the few that jump
};

/// What was found out about a call of the reference beside its results. Lists are empty until they are needed.
struct CallFacts {
    std::vector<RoundingMove> byOperators; ///< per output, when every operator rounds differently (rounding.py)
    std::vector<RoundingMove> far;         ///< the same by many times what rounding does
    std::vector<double> missed;            ///< per output, by how much another precision of the reference's misses
    std::vector<at::Tensor> exact; ///< the results in double precision, of a call that stays for other candidates
    WithoutLastOnes withoutLast;   ///< where somebody looked
    bool stays = false;            ///< the call stays for other candidates (ExpectedTrials)
};

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
    std::shared_ptr<CallFacts> facts; ///< PresentCall::set() makes it where there is none
};

} // namespace cudal1::judge
