// SPDX-License-Identifier: GPL-3.0-or-later
// The paths that a candidate may read besides its own folder: programs and libraries of the system, the framework, the
// CUDA Toolkit.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cudal1::judge {

struct ReadablePaths {
    std::vector<std::string> trees; ///< real paths of folders and files, sorted; none lies below another
    /// Symbolic links that lead to the trees and lie outside of them, with targets.
    std::map<std::string, std::string> links;
};

/// Finds them by this process's environment (PATH, CUDA_HOME, LD_LIBRARY_PATH, HOME, TMPDIR). `prefixes` are the
/// folders of the Python environment. The user's home, temporary folders and the tasks that are installed with this
/// program are left out, also where they lie below another of these paths.
ReadablePaths readablePaths(const std::vector<std::string>& prefixes);

/// All paths except temporary folders and installed tasks: for a machine on which CUDA does not work with fewer.
ReadablePaths allPaths();

} // namespace cudal1::judge
