// SPDX-License-Identifier: GPL-3.0-or-later
// A stage's settings as an object of JSON, with the names that the options of `cudal1 train` have.
#pragma once

#include "core/learning/stageoptions.h"

#include <string>

namespace cudal1::learning {

/// A stage and where it learns from, as a file describes it.
struct StageText {
    StageOptions options; ///< without model, folder, seed and precision, which whoever starts it knows
    std::string data;     ///< stage 1: the file of examples
    std::string tasks; ///< stages 2 and 3: a folder of tasks or files, with commas between; empty: left to the caller
};

/// {"stage": "contrastive", "steps": 50, "group": 8, "exemplars": "none", "learning_rate": 1e-6, "train_device":
/// "cuda"}: the options' names with underscores. InvalidArgument for a field that there is not or that is of another
/// kind, and what check() says of the values.
base::Result<StageText> stageOf(const std::string& text);

} // namespace cudal1::learning
