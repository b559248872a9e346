// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the result files that the authors of CUDA-L1 released: one JSON object a line, one line a KernelBench task.
#pragma once

#include "core/base/result.h"
#include "core/tasks/published.h"

#include <filesystem>

namespace cudal1::tasks {

/// A row has `level_id`, `task_id`, `ref_code`, `custom_code` and scores, of which `score_default` (speed-up over the
/// reference as it is) becomes the claim; all are kept in the details. A JSON array of such rows is read as well. Lines
/// that are no row become problems; Unreadable only when the file is none of its kind at all.
base::Result<Publication> readCudaL1Results(const std::filesystem::path& file);

} // namespace cudal1::tasks
