// SPDX-License-Identifier: GPL-3.0-or-later
// What the reference makes of the inputs of trials, kept for all candidates of a task: every candidate of a session
// gets the same trials, so their results need to be computed once.
#pragma once

#include "core/judge/witness/secretcall.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

/// What the reference computes with, beside the inputs of a call.
struct ReferenceState {
    std::uint64_t initSeed = 0; ///< under which its module was constructed
    std::uint64_t weights = 0;  ///< a fingerprint of all of its weights
    std::string flags;          ///< the framework's precision flags
    auto operator<=>(const ReferenceState&) const = default;
};

/// Used from the witness's main thread; the witness owns it. Nothing of it leaves the witness's memory. It holds what
/// fits into so many bytes. The calls that came first are kept, since each candidate begins with them; to drop those
/// that were used longest ago would leave none of a row that is gone through again and again.
class ExpectedTrials {
public:
    struct Trial {
        SecretCall call; ///< without a seed of its own: nobody is kept whose results follow from it
        double referenceCall_s = 0;
    };

    explicit ExpectedTrials(std::uint64_t mostBytes = 0) : m_mostBytes(mostBytes) {}

    /// Null for a trial that is not kept.
    const Trial* find(const std::string& family, std::uint64_t seed, const ReferenceState& state) const;
    /// Keeps copies of the trial's tensors if there is room. Returns whether it did. What is measured of the call later
    /// is kept with it (SecretCall::facts); call fit() when that may have happened.
    bool keep(std::uint64_t seed, const ReferenceState& state, Trial trial);
    void fit(); ///< drops the latest trials until all fit into the memory that they may take
    std::uint64_t bytes() const;
    std::size_t size() const { return m_kept.size(); }

private:
    struct Kept {
        std::uint64_t seed;
        ReferenceState state;
        Trial trial;
    };
    std::uint64_t m_mostBytes;
    std::vector<Kept> m_kept; ///< in the order in which they came
};

} // namespace cudal1::judge
