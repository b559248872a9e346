// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the run folders of KernelBench: one file a generated kernel, and one file with its own evaluations of them.
#pragma once

#include "core/base/result.h"
#include "core/tasks/published.h"

#include <filesystem>

namespace cudal1::tasks {

/// Candidates are files `level_L_problem_P_sample_S_kernel.py` (older: without the sample), in `folder` or one folder
/// below. Their claims stand in `eval_results.json`: by problem a list of samples, or one object (older). Those have
/// times and no speed-ups; a speed-up is claimed where a result has the reference's time too (`ref_runtime`), or where
/// `baseline`, a file of KernelBench's results/timing (may be empty), has it. There are no references in such a folder.
base::Result<Publication> readKernelBenchRuns(const std::filesystem::path& folder,
                                              const std::filesystem::path& baseline);

} // namespace cudal1::tasks
