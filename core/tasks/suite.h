// SPDX-License-Identifier: GPL-3.0-or-later
// Reads KernelBench-format files and folders without Python: what can be told from the text alone.
//
// A task file defines `Model`, `get_inputs` and `get_init_inputs` at module level. A suite is a folder with `level1`,
// `level2`, ... whose files are named `ID_Name.py`. Whether a file compiles and imports is for the evaluator
// (protocol::InspectRequest) to say.
//
// A dataset has versions that give one id to different work: KernelBench's present one has larger sizes than the one
// that is bundled. So a suite says which version it is, and a task carries that with the hash of its text.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cudal1::tasks {

struct Task {
    base::TaskId id;   ///< "3/41"; the absolute path for a single file
    int level = 0;     ///< 0 for a single file
    int number = 0;    ///< 0 for a single file
    std::string name;  ///< "GRUBidirectional"
    std::string suite; ///< Suite::pin(); empty for a single file
    std::filesystem::path path;
    std::string source;
    std::string hash; ///< SHA-256 of the source, lower-case hex
};

/// A file that is no task, with the line (1-based; 0 for the whole file) and why.
struct Problem {
    std::filesystem::path path;
    int line = 0;
    std::string message;
};

struct Suite {
    enum class Kind {
        Bundled,  ///< holds a file VERSION, as the one that comes with this program does
        Checkout, ///< lies in a git repository
        Folder,
    };

    std::string name; ///< of the folder
    Kind kind = Kind::Folder;
    std::string version; ///< Bundled: the first line of VERSION; Checkout: the commit, empty when it cannot be told
    std::string digest;  ///< SHA-256 over the lines "ID HASH" of all tasks, sorted; lower-case hex
    std::filesystem::path path;
    std::vector<Task> tasks;       ///< by level, then number
    std::vector<Problem> problems; ///< the files that were left out; the others load all the same

    const Task* find(const base::TaskId& id) const;

    /// Suite and version as results keep them: "kernelbench-v0, original sizes", "KernelBench@1a2b3c4d5e6f" or
    /// "mine (/home/me/mine)". What a folder without a version holds is told by the hash of each task.
    std::string pin() const;
};

/// "bundled", "checkout" or "folder".
const char* toString(Suite::Kind kind);

/// Enough of a SHA-256 to be told apart by a person: its first 8 digits.
std::string shortHash(const std::string& hash);

/// "kernelbench-v0, original sizes (bundled), digest 1a2b3c4d": what is open, for a person.
std::string describe(const Suite& suite);
/// The same without the digest.
std::string describeBriefly(const Suite& suite);

/// How many ids two suites share, and in how many of those the texts give different sizes.
struct SizeComparison {
    int common = 0;
    int different = 0;
};
SizeComparison compareSizes(const Suite& suite, const Suite& other);
/// "The sizes of 180 of its 250 tasks differ from those of the bundled suite."; empty when none does.
std::string describe(const SizeComparison& comparison);

/// Reads one file. InvalidArgument, with "FILE:LINE" as context, when a definition is missing.
base::Result<Task> readTask(const std::filesystem::path& file);

/// A text that is no file as a task of level 0, whose id is "text/" and the first 16 digits of its hash.
/// InvalidArgument, with "line N" as context, when a definition is missing.
base::Result<Task> taskOfText(const std::string& source);

/// Reads a folder: a suite with level folders, or any folder of task files (which all become level 0 file tasks).
base::Result<Suite> readSuite(const std::filesystem::path& folder);

/// The bundled suite: $CUDAL1_KERNELBENCH, the installed data folder beside `programFolder`, or the source tree.
base::Result<std::filesystem::path> bundledSuite(const std::filesystem::path& programFolder);

/// "3/41" for ".../level3/41_GRUBidirectional.py", wherever that lies; empty for a path of another kind.
base::TaskId idOfPath(const std::filesystem::path& file);

/// Resolves what a user typed: "LEVEL/ID" in `suite`, the path of a file, or the name of a task of a folder without
/// levels.
base::Result<Task> resolve(const Suite& suite, const std::string& text);

} // namespace cudal1::tasks
