// SPDX-License-Identifier: GPL-3.0-or-later
// Reads KernelBench-format files and folders without Python: what can be told from the text alone.
//
// A task file defines `Model`, `get_inputs` and `get_init_inputs` at module level. A suite is a folder with `level1`,
// `level2`, ... whose files are named `ID_Name.py`. Whether a file compiles and imports is for the evaluator
// (protocol::InspectRequest) to say.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cudal1::tasks {

struct Task {
    base::TaskId id;            ///< "3/41"; the absolute path for a single file
    int level = 0;              ///< 0 for a single file
    int number = 0;             ///< 0 for a single file
    std::string name;           ///< "GRUBidirectional"
    std::string suite;          ///< name of the suite; empty for a single file
    std::filesystem::path path;
    std::string source;
    std::string hash;           ///< SHA-256 of the source, lower-case hex
};

/// A file that is no task, with the line (1-based; 0 for the whole file) and why.
struct Problem {
    std::filesystem::path path;
    int line = 0;
    std::string message;
};

struct Suite {
    std::string name;
    std::filesystem::path path;
    std::vector<Task> tasks;       ///< by level, then number
    std::vector<Problem> problems; ///< the files that were left out; the others load all the same

    const Task* find(const base::TaskId& id) const;
};

/// Reads one file. InvalidArgument, with "FILE:LINE" as context, when a definition is missing.
base::Result<Task> readTask(const std::filesystem::path& file);

/// Reads a folder: a suite with level folders, or any folder of task files (which all become level 0 file tasks).
base::Result<Suite> readSuite(const std::filesystem::path& folder);

/// The bundled suite: $CUDAL1_KERNELBENCH, the installed data folder beside `programFolder`, or the source tree.
base::Result<std::filesystem::path> bundledSuite(const std::filesystem::path& programFolder);

/// "3/41" for ".../level3/41_GRUBidirectional.py", wherever that lies; empty for a path of another kind.
base::TaskId idOfPath(const std::filesystem::path& file);

/// Resolves what a user typed: "LEVEL/ID" in `suite`, or the path of a file.
base::Result<Task> resolve(const Suite& suite, const std::string& text);

} // namespace cudal1::tasks
