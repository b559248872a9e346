// SPDX-License-Identifier: GPL-3.0-or-later
// The sample project: recorded on a GPU by this program, to look around in on a machine without one.
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace cudal1::store {

/// A copy of the sample in `folder`, to be worked in: made when there is none yet of this very recording, else as it
/// was left. The recording is $CUDAL1_SAMPLE, the installed one beside `programFolder` or that of the source tree.
/// NotFound when there is none, Unavailable when `folder` cannot be written.
base::Result<std::filesystem::path> sampleProject(const std::filesystem::path& programFolder,
                                                  const std::filesystem::path& folder);

} // namespace cudal1::store
