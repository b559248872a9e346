// SPDX-License-Identifier: GPL-3.0-or-later
// What an optimise run was asked for, as the JSON that its row in the store keeps, and which unfinished run fits it.
#pragma once

#include "core/optimize/search.h"

#include <optional>
#include <string>

namespace cudal1::optimize {

inline constexpr const char* runKind = "optimize";

/// The device as evaluators name it: "cuda" is "cuda:0".
std::string deviceName(const std::string& text);
/// The device of that name; for an empty one the first GPU, else the CPU. Unavailable when the machine has none such.
base::Result<protocol::DeviceInfo> deviceOf(const protocol::Machine& machine, const std::string& text);

/// Everything but the task's source, which the project's task row has.
std::string toJson(const SearchOptions& options, const std::string& policy);
/// The task's source is left empty. Unreadable when the text is not what toJson wrote.
base::Result<SearchOptions> optionsFromJson(const std::string& text);

/// The policy's name that toJson() was given; empty for another text.
std::string policyOf(const std::string& parameters);

/// The options that `run` was started with, task included. InvalidArgument when the task's text has changed since.
base::Result<SearchOptions> optionsOfRun(const store::Project& project, base::RunId run);

/// What a run needs to go on after its process has died, beside its row and its queue.
struct RunNotes {
    std::string owner;            ///< token of the process that runs it, see ownProcess(); empty where nobody does
    int nextRound = 0;            ///< the first round that was not proposed completely
    double spent_s = 0;           ///< of the budget
    std::int64_t heartbeat_s = 0; ///< when the owner was last heard of; writeNotes() sets it
    int nextTurn = 0;             ///< of that round, the first turn that was not answered
};
/// Those of a run that has none are empty. Unreadable when they are not what writeNotes() wrote.
base::Result<RunNotes> readNotes(const store::Project& project, base::RunId run);
base::Status writeNotes(store::Project& project, base::RunId run, const RunNotes& notes);
/// Leaves a run as a kill does: running, and owned by no process. The next start offers it.
base::Status leaveRunning(store::Project& project, base::RunId run);

/// Among these runs, which are sorted from the newest, the first with the same task source and settings, whatever its
/// state. A seed of 0 in `options` fits any.
std::optional<store::RunRecord> newestOf(const std::vector<store::RunRecord>& runs, const SearchOptions& options,
                                         const std::string& policy);
/// It is running by its row, and so is its process. A living process writes damaged notes anew with its next heartbeat,
/// so a run whose notes cannot be read counts as one without a process.
bool isRunning(const store::Project& project, const store::RunRecord& run);
/// The project's tasks. Those of searches whose processes are gone are as their variants make them, and not running.
base::Result<std::vector<store::TaskRow>> taskRows(const store::Project& project);
/// It was stopped, or its process is gone.
bool isUnfinished(const store::Project& project, const store::RunRecord& run);

/// The newest run with the same task source and settings that was stopped, or whose process is gone; a seed of 0 in
/// `options` fits any. Empty when there is none, or when the newest such run came to its end.
base::Result<std::optional<store::RunRecord>> unfinishedRun(const store::Project& project, const SearchOptions& options,
                                                            const std::string& policy);

} // namespace cudal1::optimize
