// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the example's tasks, answers and templates.
#include "core/learning/exampledata.h"

#include "core/base/bundled.h"
#include "core/language/templates.h"
#include "core/tasks/suite.h"

#include <fstream>
#include <sstream>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
namespace fs = std::filesystem;

namespace {

/// Without the comment and the sentence at its top and without its inputs.
std::string copyOf(const std::string& source)
{
    const auto begin = source.find("import torch"), end = source.find("def get_inputs");
    std::string out = source.substr(begin, end - begin);
    while (!out.empty() && out.back() == '\n')
        out.pop_back();
    if (const auto at = out.find("class Model("); at != std::string::npos)
        out.replace(at, 12, "class ModelNew(");
    return out + "\n";
}

base::Result<std::string> textOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        return Error{ErrorCode::Unreadable, "An answer of the example cannot be read", path.string(),
                     "Install the program's data again"};
    const std::string all = text.str();
    const auto begin = all.find("import torch");
    return begin == std::string::npos ? all : all.substr(begin);
}

} // namespace

base::Result<fs::path> exampleFolder(const fs::path& programFolder)
{
    return base::findBundled({"CUDAL1_EXAMPLE_TASKS", "example-tasks", CUDAL1_SOURCE_EXAMPLE,
                              "the tasks of the example are", "Set CUDAL1_EXAMPLE_TASKS to the folder example-tasks",
                              [](const fs::path& folder) {
                                  std::error_code ignored;
                                  return fs::is_directory(folder / "answers", ignored);
                              }},
                             programFolder);
}

base::Result<ExampleData> readExampleData(const fs::path& folder, const fs::path& prompts)
{
    const auto suite = tasks::readSuite(folder);
    if (!suite)
        return suite.error();
    ExampleData out;
    for (const tasks::Task& task : suite->tasks) {
        const auto answer = textOf(folder / "answers" / task.path.filename());
        if (!answer)
            return answer.error();
        ExampleTask one{
            {task.id, task.name, task.suite, task.level, task.source, task.hash}, copyOf(task.source), *answer};
        (task.path.stem().string().ends_with("_4") ? out.heldOut : out.learnt).push_back(std::move(one));
    }
    if (out.learnt.empty() || out.heldOut.empty())
        return Error{ErrorCode::NotFound, "The folder has no tasks of the example", folder.string(),
                     "Set CUDAL1_EXAMPLE_TASKS to the folder example-tasks"};
    auto templates = language::Templates::load(prompts, folder / "prompts");
    if (!templates)
        return templates.error();
    out.templates = std::move(*templates);
    return out;
}

std::string exampleReply(const std::string& program)
{
    return "```python\n" + program + (program.ends_with("\n") ? "" : "\n") + "```";
}

} // namespace cudal1::learning
