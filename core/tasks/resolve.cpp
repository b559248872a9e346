// SPDX-License-Identifier: GPL-3.0-or-later
// From what a user typed to a task, and where the bundled suite lies.
#include "core/tasks/suite.h"

#include "core/base/bundled.h"
#include "core/base/cuttext.h"
#include "core/tasks/taskfile.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <system_error>

namespace cudal1::tasks {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr std::size_t MaxSuggestions = 3;

struct TypedId {
    int level = 0;
    int number = 0;

    std::string text() const { return std::to_string(level) + "/" + std::to_string(number); }
};

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

/// "3/41", "level3/41", "level3/41_GRUBidirectional" and the last with ".py".
std::optional<TypedId> parseId(std::string_view text)
{
    constexpr std::string_view Prefix = "level";
    if (text.starts_with(Prefix))
        text.remove_prefix(Prefix.size());
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    std::string_view number = text.substr(slash + 1);
    number = number.substr(0, number.find('_'));
    const TypedId id{parseNumber(text.substr(0, slash)), parseNumber(number)};
    return id.level > 0 && id.number > 0 ? std::optional(id) : std::nullopt;
}

std::string listedTasks(const std::vector<const Task*>& tasks)
{
    std::string out;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        out += i == 0 ? "" : i + 1 == tasks.size() ? " or " : ", ";
        out += tasks[i]->id.value + " " + tasks[i]->name;
    }
    return out;
}

std::string levelsOf(const Suite& suite)
{
    std::string out;
    int last = 0;
    for (const Task& task : suite.tasks) {
        if (task.level != last && task.level > 0)
            out += (out.empty() ? "" : ", ") + std::to_string(last = task.level);
    }
    return out;
}

std::string hintNear(const Suite& suite, TypedId id)
{
    std::vector<const Task*> near;
    for (const Task& task : suite.tasks) {
        if (task.level == id.level)
            near.push_back(&task);
    }
    if (near.empty()) {
        const std::string levels = levelsOf(suite);
        return levels.empty() ? "The suite is empty" : "The suite has the levels " + levels;
    }
    std::stable_sort(near.begin(), near.end(), [&](const Task* a, const Task* b) {
        return std::abs(a->number - id.number) < std::abs(b->number - id.number);
    });
    near.resize(std::min(near.size(), MaxSuggestions));
    return "Near it: " + listedTasks(near);
}

/// Tasks whose name holds `text`, or, when none does, whose name begins alike.
std::string hintByName(const Suite& suite, std::string_view text)
{
    constexpr std::size_t Alike = 4;
    const std::string wanted = lowered(text);
    std::vector<const Task*> found;
    for (const std::string& part : {wanted, wanted.substr(0, Alike)}) {
        if (part.size() < 2)
            continue;
        for (const Task& task : suite.tasks) {
            if (found.size() < MaxSuggestions && lowered(task.name).find(part) != std::string::npos)
                found.push_back(&task);
        }
        if (!found.empty())
            return "Did you mean " + listedTasks(found) + "?";
    }
    return "A task is LEVEL/ID, such as 3/41, or the path of a file";
}

/// The file of the suite that would have been `id`, had it been in order.
const Problem* leftOut(const Suite& suite, TypedId id)
{
    const std::string level = "level" + std::to_string(id.level);
    for (const Problem& problem : suite.problems) {
        const auto name = parseTaskFileName(problem.path);
        if (name && name->number == id.number && problem.path.parent_path().filename() == level)
            return &problem;
    }
    return nullptr;
}

/// Of a folder without levels, whose tasks have no shorter id than their path; null unless exactly one is called so.
const Task* looseTask(const Suite& suite, const std::string& name)
{
    const Task* found = nullptr;
    for (const Task& task : suite.tasks) {
        if (task.level != 0 || (task.name != name && task.path.filename() != name))
            continue;
        if (found)
            return nullptr;
        found = &task;
    }
    return found;
}

base::Result<Task> resolvePath(const Suite& suite, const fs::path& path)
{
    std::error_code ignored;
    for (const Task& task : suite.tasks) {
        // Names first: comparing what two paths lead to costs a system call each.
        if (task.path.filename() == path.filename() && fs::equivalent(task.path, path, ignored))
            return task;
    }
    return readTask(path);
}

bool hasLevels(const fs::path& folder)
{
    std::error_code ignored;
    for (const char* level : {"level1", "level2", "level3", "level4"}) {
        if (fs::is_directory(folder / level, ignored))
            return true;
    }
    return false;
}

} // namespace

base::Result<Task> resolve(const Suite& suite, const std::string& typed)
{
    const std::string text(base::trimmed(typed));
    if (text.empty())
        return Error{ErrorCode::InvalidArgument,
                     "no task is named",
                     {},
                     "A task is LEVEL/ID, such as 3/41, or the path of a file"};

    std::error_code ignored;
    const auto id = parseId(text);
    if (id) {
        if (const Task* task = suite.find({id->text()}))
            return *task;
    }
    if (fs::exists(fs::symlink_status(text, ignored)))
        return resolvePath(suite, text);
    if (const Task* task = looseTask(suite, text))
        return *task;
    if (id) {
        if (const Problem* problem = leftOut(suite, *id)) {
            std::string where = problem->path.string();
            if (problem->line > 0)
                where += ":" + std::to_string(problem->line);
            return Error{ErrorCode::NotFound, "task " + id->text() + " was left out: " + problem->message, where, {}};
        }
        return Error{ErrorCode::NotFound, "the suite has no task " + id->text(), suite.path.string(),
                     hintNear(suite, *id)};
    }
    if (text.find('/') != std::string::npos || text.ends_with(".py"))
        return Error{ErrorCode::NotFound, "there is no such file", text,
                     "A task is LEVEL/ID, such as 3/41, or the path of a file"};
    return Error{ErrorCode::NotFound, "there is no task '" + text + "'", suite.path.string(), hintByName(suite, text)};
}

base::Result<fs::path> bundledSuite(const fs::path& programFolder)
{
    return base::findBundled({"CUDAL1_KERNELBENCH", "kernelbench", CUDAL1_SOURCE_KERNELBENCH, "the bundled tasks are",
                              "Set CUDAL1_KERNELBENCH to a folder with level1, level2, …", hasLevels},
                             programFolder);
}

} // namespace cudal1::tasks
