// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of cudal1-trainer.
#pragma once

#include <string>
#include <vector>

namespace cudal1::training {

/// `python`: the interpreter for tokenizers and torch.distributed. Returns the exit status: 2 for wrong use.
int runTrainerProgram(const std::vector<std::string>& arguments, const std::string& python);

} // namespace cudal1::training
