// SPDX-License-Identifier: GPL-3.0-or-later
// A task, its variants and its baselines, as a report has them.
#pragma once

#include "core/baselines/baselinerows.h"
#include "core/store/storedversus.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::report {

struct ReportedVariant {
    store::VariantRow row;
    std::optional<protocol::Evaluation> evaluation; ///< that of `row`, without its samples
    std::optional<store::VariantRecord> record;     ///< source and analysis, where the report shows them
    std::vector<store::ClaimRecord> claims;         ///< what publications say of it: one for each device
};

struct ReportedBaseline : baselines::BaselineRow {
    ReportedVariant measured; ///< the variant that it is, with its evaluation
};

/// One task with those of its variants that the report is about. `shown` is the variant whose code stands in the
/// report: the best one, or the latest judged one when none is correct.
struct ReportedTask {
    store::TaskRow row;
    std::string source;
    std::vector<ReportedVariant> variants; ///< best first; of a comparison in the order asked for
    std::vector<ReportedBaseline> baselines;
    std::optional<std::size_t> shown;

    const ReportedVariant* shownVariant() const { return shown ? &variants[*shown] : nullptr; }
    /// How many times as fast the best variant is as a baseline, as `compare` has it; invalid where they cannot be
    /// compared.
    base::Interval bestOver(const ReportedBaseline& baseline) const;
    /// Of the best variant, among those that the report is about.
    std::optional<store::Rival> rival() const;
    std::optional<store::SlowHost> slowHost() const;
    std::vector<store::VariantRow> rowsOfBest() const; ///< the best first; empty where none is shown as the best
    /// Sets what the row says of all variants of the task by those that are here.
    void judgeByVariants();
    /// Sets `shown`.
    void chooseShown();
};

/// What a run found of a variant: the newest evaluation at the precision at which it was judged first, or, `byTime`,
/// the newest one that was made while the run went on. Empty when there is none.
std::optional<store::EvaluationSummary> evaluationOfRun(const store::Project& project, base::VariantId variant,
                                                        const store::RunRecord& run, bool byTime);

} // namespace cudal1::report
