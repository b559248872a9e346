// SPDX-License-Identifier: GPL-3.0-or-later
// What was recorded of the variants that a report shows: timelines, and what is known of their kernels.
#pragma once

#include "core/report/facts.h"

namespace cudal1::report {

/// The newest recording of each variant that the report shows; of a comparison and an ablation of each that it is
/// about.
base::Status readTimelines(const store::Project& project, ReportFacts& facts);
/// The same of counters, where there are some, or launches and times of a GPU.
base::Status readKernels(const store::Project& project, ReportFacts& facts);

} // namespace cudal1::report
