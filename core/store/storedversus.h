// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one variant is faster than another, by what the project has of both.
#pragma once

#include "core/protocol/versus.h"
#include "core/store/project.h"

namespace cudal1::store {

/// A variant's evaluations: those at the precision that counts, then the others; of both the newest first.
base::Result<std::vector<EvaluationSummary>> countedFirst(const Project& project, base::VariantId variant);

/// Of the first evaluations of two variants that can be compared (protocol::versus), as countedFirst() has them; why
/// the very first two cannot when none can. InvalidArgument also when one has none, or they are of two tasks or of two
/// texts of one. Reads the samples of two.
base::Result<protocol::Versus> versus(const Project& project, base::VariantId first, base::VariantId second);

/// The speed-up by wall of a variant's newest correct evaluation on a device model at a precision; invalid where there
/// is none.
base::Interval judgedOn(const Project& project, base::VariantId variant, const std::string& deviceModel,
                        protocol::Precision precision);

/// A variant that is faster at one speed of the host than the best one of its task, which owes its higher speed-up to a
/// slower host (protocol/hostspeed.h).
struct Rival {
    base::VariantId best, variant;
    base::Interval ratio; ///< of `variant` over `best`, by the wall clock; its low end lies above 1
    double bestReference_ns = 0, reference_ns = 0; ///< of the reference's call beside each
    std::string marks;                             ///< of `variant`, where they alone would keep it from being the best
};

/// Beside the best variant of a task the host was slower than beside most others, so that its speed-up owes something
/// to that.
struct SlowHost {
    base::VariantId best;
    double bestReference_ns = 0, reference_ns = 0; ///< of the reference's call beside it, and the others' median
    base::Interval there;                          ///< its speed-up by the wall clock on a host of that speed
};

/// Nothing where the reference took less than an eighth longer beside the best than beside the others, where there are
/// fewer than three of these on its device at its precision, or where its speed-up does not grow as the host slows.
/// `rows` as for rivalOf().
std::optional<SlowHost> slowHostOf(const std::vector<VariantRow>& rows);

/// The one with the highest low end of its ratio; nothing where none is faster. `rows` are those of one task, best
/// first.
std::optional<Rival> rivalOf(const std::vector<VariantRow>& rows);

} // namespace cudal1::store
