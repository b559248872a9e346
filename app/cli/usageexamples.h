// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that show what a verb is for.
#pragma once

#include <string_view>
#include <vector>

namespace cudal1::cli {

struct UsageExample {
    const char* command; ///< without the program's name: "evaluate 1/12 fast.py"
    const char* what;    ///< what it does, in one line
};

/// The examples of the verb of this name ("tasks check"); at least one for each.
std::vector<UsageExample> examplesOf(std::string_view verb);

} // namespace cudal1::cli
