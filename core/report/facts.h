// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a report says, read from a project before a line of it is written.
#pragma once

#include "core/ablation/ablation.h"
#include "core/charts/chart.h"
#include "core/charts/oneversion.h"
#include "core/charts/projectsummary.h"
#include "core/costs/costs.h"
#include "core/counters/storedcounters.h"
#include "core/rejudge/publishedclaims.h"
#include "core/report/reportedtask.h"
#include "core/report/scope.h"
#include "core/timeline/model.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cudal1::report {

struct ReportedAblation {
    store::AblationRecord record;
    ablation::AblationPlan plan;
    std::vector<ablation::CombinationRow> rows;
};

/// A recording; either side may be missing.
struct ReportedTimeline {
    store::TimelineRecord record;
    std::shared_ptr<const timeline::Model> reference, candidate;
};

/// What is known of a variant's kernels and of the reference's beside them.
struct ReportedKernels {
    base::TaskId task;
    base::VariantId variant;
    counters::StoredCounters stored;
    std::optional<costs::Costs> costs; ///< of the task
};

/// A published program beside the task that it was written for.
struct BeforeAndAfter {
    rejudge::RankedClaim claim;
    std::string reference;                     ///< source of the task
    std::vector<store::ClaimRecord> ofVariant; ///< all claims of this program
    store::VariantRecord variant;
};

struct ReportFacts {
    std::string project; ///< file name
    ReportScope scope;
    std::vector<ReportedTask> tasks;             ///< those with variants or baselines
    std::vector<store::ClaimRecord> withoutCode; ///< claims of these tasks for which no program was published
    std::vector<charts::Chart> charts;           ///< of a project, those with something to see
    rejudge::PublishedClaims published;          ///< of the template of claims
    std::vector<BeforeAndAfter> gallery;         ///< the highest of them that came with code
    std::vector<ReportedAblation>
        ablations; ///< of the tasks, or the one that is meant; the paper's template has them too
    std::vector<ReportedTimeline> timelines; ///< of the variants shown, one each
    std::vector<ReportedKernels> kernels;    ///< of the variants shown, one each
    std::optional<store::RunRecord> run;
    std::vector<store::RunRecord> runs; ///< of the project, newest first; only for it
    bool runByTime = false;             ///< the run made no variant: those judged while it ran are meant
    int untried = 0;
    charts::OneVersion version; ///< what the tasks were chosen by, of a project
    charts::ProjectSummary summary;
    store::CountedPrecision counted;  ///< of the project: at which precision results count
    std::vector<store::TaskRow> rows; ///< behind the summary
    // Distinct values over the evaluations shown; a report over two machines has to say so.
    std::set<std::string> devices, environments, precisions, presets, isolation, isolationMissing;
    std::int64_t firstMeasured_ms = 0, lastMeasured_ms = 0;

    /// About tasks of which there are baselines and no variants, whose numbers would all be nothing.
    bool onlyBaselines() const;
    /// The summary of many tasks, which leaves out what is told task by task.
    bool isOverview() const;
    /// About one task, whatever the scope is called.
    bool single() const
    {
        return scope.kind == ReportScope::Kind::Task || scope.kind == ReportScope::Kind::Comparison ||
               scope.kind == ReportScope::Kind::Ablation;
    }
};

/// NotFound for what the project does not have, InvalidArgument for a comparison that cannot be, Cancelled.
base::Result<ReportFacts> gather(const store::Project& project, const ReportScope& scope);

} // namespace cudal1::report
