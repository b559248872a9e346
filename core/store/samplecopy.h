// SPDX-License-Identifier: GPL-3.0-or-later
// The sample: a project that this program has recorded on a GPU, and a training, to look around in on a machine without
// one.
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace cudal1::store {

/// The project file of a copy of the sample, to be worked in. The copy is a folder of its own in `folder`: made when
/// there is none yet of this very recording, else as it was left. The recording is the folder $CUDAL1_SAMPLE, the
/// installed one beside `programFolder` or that of the source tree. NotFound when there is none, Unreadable when it
/// cannot be read, Unavailable when `folder` cannot be written.
base::Result<std::filesystem::path> sampleProject(const std::filesystem::path& programFolder,
                                                  const std::filesystem::path& folder);

} // namespace cudal1::store
