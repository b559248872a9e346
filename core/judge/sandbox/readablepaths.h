// SPDX-License-Identifier: GPL-3.0-or-later
// What a candidate may read besides its own folder: the system's programs and libraries, the framework, the toolkit.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

struct ReadablePaths {
    std::vector<std::string> trees;           ///< real paths of folders and files, none below another, each before those after it in the alphabet
    std::map<std::string, std::string> links; ///< symbolic links outside the trees on the way to them, with their text
};

/// As this process finds them, by its environment (PATH, CUDA_HOME, LD_LIBRARY_PATH, HOME, TMPDIR). `prefixes` are the
/// folders of the Python environment. The user's home, temporary folders and the tasks that are installed with these
/// programs are left out, also where they lie below one of the others.
ReadablePaths readablePaths(const std::vector<std::string>& prefixes);

/// All but temporary folders and installed tasks, for a machine on which CUDA does not work with less.
ReadablePaths allPaths();

} // namespace cudal1::judge
