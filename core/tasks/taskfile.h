// SPDX-License-Identifier: GPL-3.0-or-later
// One file as a task: its name and what its text must define. What suites and single files share.
#pragma once

#include "core/tasks/sourcefile.h"
#include "core/tasks/suite.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace cudal1::tasks {

/// "41_GRUBidirectional.py" taken apart; `name` keeps everything between the first underscore and ".py".
struct TaskFileName {
    int number = 0;
    std::string name;
};

/// Empty when the name is no `ID_Name.py` with an ID of 1 to 999999.
std::optional<TaskFileName> parseTaskFileName(const std::filesystem::path& file);

/// A number of 1 to 999999 in decimal digits and nothing else; 0 for any other text.
int parseNumber(std::string_view digits);

/// A task of level 0 with the file's absolute path as its id, or the flaw when `flaw.message` is not empty.
struct TaskFile {
    Task task;
    FileFlaw flaw;

    bool ok() const { return flaw.message.empty(); }
};

TaskFile loadTaskFile(const std::filesystem::path& file);

} // namespace cudal1::tasks
