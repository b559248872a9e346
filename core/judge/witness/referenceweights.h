// SPDX-License-Identifier: GPL-3.0-or-later
// Other weights for the reference, to see whether a candidate's results follow them.
#pragma once

#include "core/judge/witness/referencehost.h"

#include <vector>

namespace cudal1::judge {

/// Used from the witness's main thread; the witness owns it. Keeps a reference to `reference`.
class ReferenceWeights {
public:
    explicit ReferenceWeights(ReferenceHost& reference) : m_reference(reference) {}

    /// Gives the reference other weights, or its own again, and writes them to the arena for the candidate; or
    /// constructs its module anew, where nothing is written. What is known of families no longer holds then.
    void give(const Reweigh& request);

private:
    /// What this weight is while calls are timed: none of its values is special, it is not faint, and no copy of
    /// another one, as a whole or row by row.
    at::Tensor timed(const std::string& name, const at::Tensor& initial) const;
    void write(); ///< copies the reference's present weights to the arena

    ReferenceHost& m_reference;
    std::vector<at::Tensor> m_initial; ///< copies, made before the first time that other weights are given
};

} // namespace cudal1::judge
