// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a report. A new one is a function here and a line in parts(), and every format has it.
#pragma once

#include "core/report/document.h"
#include "core/report/facts.h"

#include <vector>

namespace cudal1::report {

/// Adds its sections to the document; nothing where there is nothing to say.
struct ReportPart {
    /// Overview: see ReportFacts::isOverview().
    enum In : unsigned {
        Full = 1,
        Summary = 2,
        Paper = 4,
        Claims = 8,
        Overview = 16,
        Everywhere = Full | Summary | Paper | Overview
    };
    unsigned in; ///< the templates that have it
    void (*add)(const ReportFacts& facts, Document& document);
};

/// In the order of the report.
const std::vector<ReportPart>& parts();

void addNumbers(const ReportFacts& facts, Document& document);      ///< the four numbers and the rule behind them
void addDistribution(const ReportFacts& facts, Document& document); ///< histogram, percentiles by level
void addCharts(const ReportFacts& facts,
               Document& document); ///< fast_p, against baselines, techniques, progress, devices
void addAblations(const ReportFacts& facts, Document& document); ///< combinations and effects
void addTimelines(const ReportFacts& facts, Document& document); ///< pictures of the recordings of what is shown
void addKernels(const ReportFacts& facts, Document& document);   ///< what holds up the kernels of what is shown
void addPaperTables(const ReportFacts& facts, Document& document);
void addRun(const ReportFacts& facts, Document& document);        ///< what the user started
void addComparison(const ReportFacts& facts, Document& document); ///< variants against each other
void addTaskTable(const ReportFacts& facts, Document& document);
void addVerdicts(const ReportFacts& facts, Document& document); ///< how many of each, and why
void addBaselines(const ReportFacts& facts, Document& document);
void addPublished(const ReportFacts& facts, Document& document); ///< claims beside what was found
void addClaims(const ReportFacts& facts, Document& document);    ///< their sums, the highest, and what techniques
void addGallery(const ReportFacts& facts, Document& document);   ///< the highest claims before and after
void addRuns(const ReportFacts& facts, Document& document);
void addTasks(const ReportFacts& facts, Document& document);   ///< a section a task: verdict, analysis, code, variants
void addLeftOut(const ReportFacts& facts, Document& document); ///< what an overview leaves out, and where it stands
void addEnvironment(const ReportFacts& facts, Document& document);
void addMethod(const ReportFacts& facts, Document& document);

/// One row a variant: every number of its newest evaluation.
Table variantRecords(const ReportFacts& facts);
/// Of a report on an ablation: `kind` says what a row is. A combination has 0 or 1 for each toggle and every number of
/// its evaluation (with the paper's template only those that its table shows); an effect, interaction or Shapley value
/// has 1 for the toggles that it is of, and its factor by one clock.
Table ablationRecords(const ReportFacts& facts);
/// The paper's tables in one, a row a level, clock and rule of failures.
Table paperRecords(const ReportFacts& facts);

} // namespace cudal1::report
