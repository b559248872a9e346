// SPDX-License-Identifier: GPL-3.0-or-later
// What the example learns from: small tasks, and two programs for each of them.
#pragma once

#include "core/base/result.h"
#include "core/language/templates.h"
#include "core/store/project.h"

#include <filesystem>
#include <string>
#include <vector>

namespace cudal1::learning {

struct ExampleTask {
    store::TaskRecord task;
    std::string copy;   ///< the reference under the name that is asked for: correct, and no faster
    std::string answer; ///< a program that is faster
};

struct ExampleData {
    std::vector<ExampleTask> learnt, heldOut; ///< tasks 1 to 3 of each family, and task 4
    language::Templates templates;            ///< short ones, since the model is tiny
};

/// resources/example-tasks, where it was installed or in the source tree; $CUDAL1_EXAMPLE_TASKS goes before both.
base::Result<std::filesystem::path> exampleFolder(const std::filesystem::path& programFolder);
/// `prompts`: the program's own templates, which stand in for those that the folder does not have.
base::Result<ExampleData> readExampleData(const std::filesystem::path& folder, const std::filesystem::path& prompts);

/// A program as the tiny model is to write it: one block of code.
std::string exampleReply(const std::string& program);

} // namespace cudal1::learning
