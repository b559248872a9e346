// SPDX-License-Identifier: GPL-3.0-or-later
// What the program `cudal1-model` does for its arguments.
#pragma once

#include <string>
#include <vector>

namespace cudal1::decoder {

/// `arguments`: without the program's name. `python`: the interpreter to embed. Returns the exit status: 0, 1 where
/// something failed, 2 for a wrong use. Prints to standard output nothing but answers: whatever else writes there, in
/// this program or in its libraries, goes to standard error.
int runModelProgram(const std::vector<std::string>& arguments, const std::string& python);

} // namespace cudal1::decoder
