// SPDX-License-Identifier: GPL-3.0-or-later
// The file steps.jsonl of a training's folder: every step that was made, so that curves can be drawn while it runs and
// after it, whichever process makes it.
//
//     {"opened": {protocol::TrainingOpened}, "process": TOKEN, "time_ms": …}    a leg begins; TOKEN as of ownProcess()
//     {"stage": …, "batch": …, "loss": …, …, "time_ms": …}                      a step: the fields of StageRun::stepped
//     {"said": …, "time_ms": …}                                                 for a person: what was left out, what
//                                                                               the trainer's process has complained of
//     {"ended": "finished" | "stopped" | "failed", "message": …, "time_ms": …}  the leg ends; none after a kill
#pragma once

#include "core/base/result.h"
#include "core/protocol/training.h"

#include <nlohmann/json.hpp>

#include <QFile>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::learning {

enum class LegEnd { Finished, Stopped, Failed };

/// Appends lines, each flushed at once, so that a reader sees it and a kill takes at most the last one.
class StepLog {
public:
    explicit StepLog(const std::string& folder);

    /// Makes the folder where it is missing. Unavailable where the file cannot be written; what follows fails too.
    base::Status begin(const protocol::TrainingOpened& opened);
    base::Status add(const nlohmann::json& step);
    base::Status end(LegEnd how, const std::string& message);
    /// Before begin() it is kept until then.
    base::Status say(const std::string& line);

private:
    base::Status write(nlohmann::json line);

    std::string m_folder;
    QFile m_file;
    std::vector<nlohmann::json> m_early; ///< lines from before begin()
};

/// For a person.
struct LoggedMessage {
    std::int64_t time_ms = 0; ///< since 1970
    std::string text;         ///< one line
};

/// The log as it counts: a leg that takes up an older checkpoint takes back the steps that come after that.
struct LoggedSteps {
    std::vector<nlohmann::json> steps;              ///< in order; objects
    std::optional<protocol::TrainingOpened> opened; ///< of the newest leg
    int legs = 0;
    std::optional<LegEnd> end; ///< of the newest leg; none while it runs and after a kill
    std::string message;       ///< why it failed
    std::string process;       ///< that makes the newest leg
    std::int64_t began_ms = 0; ///< the newest leg; since 1970
    std::int64_t last_ms = 0;  ///< the newest line
    /// Of all legs: how each began and ended, what was said, checkpoints, and why steps were skipped.
    std::vector<LoggedMessage> messages;

    bool isRunning() const; ///< the newest leg has no end, and its process lives
    void say(std::int64_t time_ms, std::string text);
    int nextBatch() const; ///< the number of the batch that is to come, from 0
};

/// Empty for a folder without a log. A line that was cut off by a kill is left out. Unreadable where the file is there
/// and cannot be read.
base::Result<LoggedSteps> readStepLog(const std::string& folder);

/// A number of a step by its key; keys of `seconds` follow a dot ("seconds.learn"). Empty where it has none.
std::optional<double> numberOf(const nlohmann::json& step, const std::string& key);

} // namespace cudal1::learning
