// SPDX-License-Identifier: GPL-3.0-or-later
// What a call leaves in the module's buffers, as the running statistics of a norm: is it what the reference leaves?
#pragma once

#include "core/judge/wire/oracleerrors.h"
#include "core/judge/witness/referencehost.h"
#include "core/judge/witness/secretcall.h"

#include <string>
#include <vector>

namespace cudal1::judge {

/// Of the buffers that calls change (ArenaLayout::buffers). Used from the witness's main thread; the witness owns it.
/// Keeps a reference to `reference`.
class ReferenceBuffers {
public:
    explicit ReferenceBuffers(ReferenceHost& reference) : m_reference(reference) {}

    /// Copies the reference's buffers, as they are now, to the arena, from where the candidate takes them.
    void give();
    /// After these calls of the candidate, which has put its buffers into the arena: the same calls of the reference,
    /// beginning with what give() gave. Says which buffer differs, and how; empty when none does, or without calls.
    /// Throws what ReferenceHost::runReference throws.
    std::string compare(const std::vector<SecretCall>& calls);
    /// Both sides' errors against float64 in the buffers that compare() has just found alike, for the same calls. Not
    /// measured where rounding explains how far they are from one another, or the reference does not run in float64.
    OracleErrors errors(const std::vector<SecretCall>& calls);

private:
    void giveReference(); ///< the buffers that give() gave
    ReferenceHost& m_reference;
    // In the order of the layout.
    std::vector<at::Tensor> m_given, m_expected;
};

} // namespace cudal1::judge
