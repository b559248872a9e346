// SPDX-License-Identifier: GPL-3.0-or-later
// The best that a project knows of a variant's kernels: counters that were taken, else its newest timeline.
#pragma once

#include "core/counters/kernelchange.h"
#include "core/counters/kernelfacts.h"
#include "core/store/project.h"

#include <nlohmann/json.hpp>

namespace cudal1::counters {

struct StoredCounters {
    protocol::Counters counters;
    std::int64_t created_ms = 0;
    base::TimelineId timeline; ///< that it was worked out of; none where it was counted
    /// Of a call, as the judge has timed it under the same conditions: recording makes calls longer. 0: not timed.
    double referenceJudged_ns = 0, candidateJudged_ns = 0;
};

/// What was recorded with the task's present text, a record of counts before one of times alone. Empty where there is
/// nothing. Without a variant: of the reference alone, or beside any variant.
base::Result<std::optional<StoredCounters>> storedCounters(const store::Project& project, const base::TaskId& task,
                                                           base::VariantId variant);

/// The side that is meant by a variant, or by none: the reference's. Its call takes as long as the judge has found,
/// where it was timed. Of a timeline it has a row for copies and memsets, copiesName.
protocol::CounterSide sideOf(const StoredCounters& stored, base::VariantId variant);

/// "Counted by CUPTI 13.0 in one call", "From launches and times alone: the driver lets …": which of the three it is,
/// and why no better one. A sentence.
std::string sourceText(const protocol::Counters& counters);

/// Of all that factsOf() has; times in nanoseconds, rates per second, shares 0 to 1.
nlohmann::json factsJson(const SideFacts& facts);
nlohmann::json changesJson(const std::vector<KernelChange>& changes);

} // namespace cudal1::counters
