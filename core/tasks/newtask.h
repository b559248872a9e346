// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a task file in KernelBench's format from a module of the user's: text in, text out, no Python.
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::tasks {

/// A class that a text defines at module level.
struct ModuleClass {
    std::string name;
    int line = 0; ///< 1-based
};
std::vector<ModuleClass> classesOf(std::string_view source);

struct NewTask {
    std::string source;                 ///< of the user's file; stands in the task unchanged
    std::string file;                   ///< its name, for messages and a comment
    std::string className;              ///< empty: the only class that there is
    std::vector<std::string> inputs;    ///< one for each argument of forward: see inputExpression()
    std::vector<std::string> arguments; ///< of the constructor; each may hold several: see constructorValues()
};

struct NewTaskText {
    std::string text;
    std::string className; ///< the one that was meant
    int ownLines = 0;      ///< lines that are the user's; what follows was added
};

/// The user's text, then `Model` (unless that is what the class is called), `get_inputs` and `get_init_inputs`. Errors
/// say what is wrong with the source ("FILE:LINE" as context) or with an input ("input 2, column 9: …").
base::Result<NewTaskText> newTaskText(const NewTask& request);

/// Of a module whose forward ran and returned no tensor.
base::Error noResult(const NewTaskText& made, const std::string& file);
/// What a failed run of the task means to the user: the framework's words at the line of the user's file where it
/// happened, taken from the evaluator's message and traceback. Errors that are not the task's come back unchanged.
base::Error runFailure(const base::Error& error, const NewTaskText& made, const std::string& file);

/// Writes the text to a file that is there whole or not at all. InvalidArgument when it exists, unless `replace`.
base::Status writeTask(const std::filesystem::path& file, const std::string& text, bool replace);

} // namespace cudal1::tasks
