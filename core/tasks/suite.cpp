// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of single task files and of folders of them.
#include "core/tasks/suite.h"

#include "core/tasks/suiteversion.h"
#include "core/tasks/taskfile.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

namespace cudal1::tasks {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

struct Listing {
    std::vector<fs::path> entries; ///< sorted; names that begin with a dot or an underscore are left out
    std::error_code error;
};

Listing list(const fs::path& folder)
{
    Listing out;
    for (fs::directory_iterator it(folder, out.error), end; !out.error && it != end; it.increment(out.error)) {
        const std::string name = it->path().filename().string();
        if (!name.starts_with('.') && !name.starts_with('_'))
            out.entries.push_back(it->path());
    }
    std::sort(out.entries.begin(), out.entries.end());
    return out;
}

int levelOf(const fs::path& folder)
{
    constexpr std::string_view Prefix = "level";
    const std::string name = folder.filename().string();
    return name.starts_with(Prefix) ? parseNumber(std::string_view(name).substr(Prefix.size())) : 0;
}

base::TaskId idOf(int level, int number)
{
    return {std::to_string(level) + "/" + std::to_string(number)};
}

bool isFolder(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

std::vector<std::pair<int, fs::path>> levelFolders(const std::vector<fs::path>& entries)
{
    std::vector<std::pair<int, fs::path>> levels;
    for (const fs::path& entry : entries) {
        if (const int level = levelOf(entry); level > 0 && isFolder(entry))
            levels.emplace_back(level, entry);
    }
    return levels;
}

/// KernelBench's repository keeps its levels in a folder of its own name.
fs::path nestedSuite(const std::vector<fs::path>& entries)
{
    for (const fs::path& entry : entries) {
        std::string name = entry.filename().string();
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
        if (name == "kernelbench" && isFolder(entry) && !levelFolders(list(entry).entries).empty())
            return entry;
    }
    return {};
}

void readLevel(Suite& suite, int level, const fs::path& folder)
{
    const Listing listing = list(folder);
    if (listing.error)
        suite.problems.push_back({folder, 0, "the folder cannot be read: " + listing.error.message()});
    for (const fs::path& entry : listing.entries) {
        if (entry.extension() != ".py")
            continue;
        const auto name = parseTaskFileName(entry);
        if (!name) {
            suite.problems.push_back({entry, 0, "the file is not named ID_Name.py, so it has no id"});
            continue;
        }
        TaskFile file = loadTaskFile(entry);
        if (!file.ok()) {
            suite.problems.push_back({entry, file.flaw.line, file.flaw.message});
            continue;
        }
        file.task.level = level;
        file.task.number = name->number;
        file.task.id = idOf(level, name->number);
        suite.tasks.push_back(std::move(file.task));
    }
}

/// Two files with one id: the first by path stays, so that what an id means does not depend on the disk's order.
void dropDuplicates(Suite& suite)
{
    std::stable_sort(suite.tasks.begin(), suite.tasks.end(), [](const Task& a, const Task& b) {
        return std::tie(a.level, a.number, a.path) < std::tie(b.level, b.number, b.path);
    });
    std::vector<Task> kept;
    kept.reserve(suite.tasks.size());
    for (Task& task : suite.tasks) {
        if (!kept.empty() && kept.back().id == task.id) {
            suite.problems.push_back(
                {task.path, 0, "the id " + task.id.value + " is taken by " + kept.back().path.filename().string()});
        } else {
            kept.push_back(std::move(task));
        }
    }
    suite.tasks = std::move(kept);
}

void readLoose(Suite& suite, const std::vector<fs::path>& entries)
{
    for (const fs::path& entry : entries) {
        if (entry.extension() != ".py")
            continue;
        TaskFile file = loadTaskFile(entry);
        if (file.ok())
            suite.tasks.push_back(std::move(file.task));
        else
            suite.problems.push_back({entry, file.flaw.line, file.flaw.message});
    }
}

} // namespace

base::TaskId idOfPath(const fs::path& file)
{
    const auto name = parseTaskFileName(file);
    const int level = levelOf(file.parent_path());
    return name && level > 0 ? idOf(level, name->number) : base::TaskId();
}

base::Result<Task> readTask(const fs::path& file)
{
    TaskFile read = loadTaskFile(file);
    if (read.ok())
        return std::move(read.task);
    std::string where = file.string();
    if (read.flaw.line > 0)
        where += ":" + std::to_string(read.flaw.line);
    return Error{read.flaw.code, read.flaw.message, where, read.flaw.hint};
}

base::Result<Suite> readSuite(const fs::path& folder)
{
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (status.type() == fs::file_type::not_found)
        return Error{ErrorCode::NotFound, "there is no such folder", folder.string(), {}};
    if (error)
        return Error{ErrorCode::Unreadable, "the folder cannot be read: " + error.message(), folder.string(), {}};
    if (status.type() != fs::file_type::directory)
        return Error{ErrorCode::InvalidArgument, "this is a file, not a folder of tasks", folder.string(), {}};

    Suite suite;
    suite.path = fs::canonical(folder, error);
    if (error)
        return Error{ErrorCode::Unreadable, "the folder cannot be read: " + error.message(), folder.string(), {}};
    Listing listing = list(suite.path);
    if (listing.error)
        return Error{
            ErrorCode::Unreadable, "the folder cannot be read: " + listing.error.message(), folder.string(), {}};

    if (levelFolders(listing.entries).empty()) {
        if (const fs::path nested = nestedSuite(listing.entries); !nested.empty()) {
            suite.path = nested;
            listing = list(nested);
        }
    }
    suite.name = suite.path.filename().string();
    const auto levels = levelFolders(listing.entries);
    for (const auto& [level, path] : levels)
        readLevel(suite, level, path);
    if (levels.empty())
        readLoose(suite, listing.entries);
    else
        dropDuplicates(suite);

    if (suite.tasks.empty() && suite.problems.empty()) {
        return Error{ErrorCode::NotFound, "the folder holds no task files", folder.string(),
                     "A suite has folders level1, level2, … with files ID_Name.py; loose .py files are read too"};
    }
    std::stable_sort(suite.problems.begin(), suite.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.path < b.path; });
    stampVersion(suite);
    return suite;
}

} // namespace cudal1::tasks
