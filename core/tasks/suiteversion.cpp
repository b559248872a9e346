// SPDX-License-Identifier: GPL-3.0-or-later
// Kind, version and digest of a suite, and the sizes that tell versions apart.
#include "core/tasks/suiteversion.h"

#include "core/base/sha256.h"
#include "core/tasks/gitcommit.h"
#include "core/tasks/sizes.h"
#include "core/tasks/sourcefile.h"

#include <algorithm>

namespace cudal1::tasks {
namespace {

constexpr std::size_t ShownCommit = 12;

/// The first line of the file VERSION; empty without one.
std::string ownVersion(const std::filesystem::path& folder)
{
    const SourceFile file = readSource(folder / "VERSION");
    if (!file.ok())
        return {};
    std::string line = file.text.substr(0, file.text.find_first_of("\r\n"));
    line.erase(line.find_last_not_of(" \t") + 1);
    return line;
}

/// The same wherever the folder lies: loose files go by their name.
std::string digestOf(const std::vector<Task>& tasks)
{
    std::vector<std::string> lines;
    lines.reserve(tasks.size());
    for (const Task& task : tasks)
        lines.push_back((task.level > 0 ? task.id.value : task.path.filename().string()) + " " + task.hash + "\n");
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines)
        all += line;
    return base::sha256Hex(all);
}

} // namespace

void stampVersion(Suite& suite)
{
    suite.digest = digestOf(suite.tasks);
    if (suite.version = ownVersion(suite.path); !suite.version.empty()) {
        suite.kind = Suite::Kind::Bundled;
    } else if (auto commit = commitOf(suite.path)) {
        suite.kind = Suite::Kind::Checkout;
        suite.version = std::move(*commit);
    }
    const std::string pin = suite.pin();
    for (Task& task : suite.tasks)
        if (task.level > 0)
            task.suite = pin;
}

const Task* Suite::find(const base::TaskId& id) const
{
    const auto it = std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) { return task.id == id; });
    return it == tasks.end() ? nullptr : &*it;
}

std::string Suite::pin() const
{
    if (kind == Kind::Bundled)
        return version;
    if (kind == Kind::Checkout && !version.empty())
        return name + "@" + version.substr(0, ShownCommit);
    return name + " (" + path.string() + ")";
}

const char* toString(Suite::Kind kind)
{
    switch (kind) {
    case Suite::Kind::Bundled: return "bundled";
    case Suite::Kind::Checkout: return "checkout";
    case Suite::Kind::Folder: break;
    }
    return "folder";
}

std::string shortHash(const std::string& hash)
{
    return hash.substr(0, 8);
}

std::string describeBriefly(const Suite& suite)
{
    std::string out = suite.kind == Suite::Kind::Bundled ? suite.version : suite.name;
    switch (suite.kind) {
    case Suite::Kind::Bundled: out += " (bundled)"; break;
    case Suite::Kind::Checkout:
        out += suite.version.empty() ? " (git checkout, commit unknown)"
                                     : " (git checkout, commit " + suite.version.substr(0, ShownCommit) + ")";
        break;
    case Suite::Kind::Folder: out += " (folder)"; break;
    }
    return out;
}

std::string describe(const Suite& suite)
{
    return describeBriefly(suite) + ", digest " + shortHash(suite.digest);
}

SizeComparison compareSizes(const Suite& suite, const Suite& other)
{
    SizeComparison out;
    for (const Task& task : suite.tasks) {
        const Task* twin = task.level > 0 ? other.find(task.id) : nullptr;
        if (!twin)
            continue;
        ++out.common;
        out.different += task.hash != twin->hash && sizesOf(task.source) != sizesOf(twin->source);
    }
    return out;
}

std::string describe(const SizeComparison& comparison)
{
    if (comparison.different == 0)
        return {};
    return "The sizes of " + std::to_string(comparison.different) + " of the " + std::to_string(comparison.common) +
           " tasks that it shares with the bundled suite differ from those there: results of the two are never put "
           "together.";
}

} // namespace cudal1::tasks
