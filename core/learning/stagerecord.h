// SPDX-License-Identifier: GPL-3.0-or-later
// The file training.json of a training's folder: what the training is, so that the same command goes on with it and
// another one is refused. Paths in it may be relative to the folder, as in the sample.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/learning/stageoptions.h"

#include <string>
#include <vector>

namespace cudal1::learning {

struct StageRecord {
    base::RunId run;                      ///< under which samples are stored; none for stage 1
    std::string project;                  ///< the file that has the run
    bool known = false;                   ///< the folder had a record of this training
    std::string dataFile = {};            ///< of stage 1
    std::vector<base::TaskId> tasks = {}; ///< that are learnt from
};

/// Unreadable for a record that cannot be read; InvalidArgument, with the first setting that differs, for another
/// training's. `data`: digest of what is learnt from. A folder without a record gives an empty one.
base::Result<StageRecord> readRecord(const StageOptions& options, const std::string& data);
/// Makes the folder. In one go: a record is whole or not there.
base::Status writeRecord(const StageOptions& options, const std::string& data, const StageRecord& record);

/// A record as who did not begin the training finds it.
struct FoundRecord {
    StageOptions options; ///< of its newest leg; `out` is the folder that was asked for, wherever it was begun
    StageRecord record;
};
/// NotFound for a folder without a record; Unreadable and TooNew as readRecord().
base::Result<FoundRecord> findRecord(const std::string& folder);

} // namespace cudal1::learning
