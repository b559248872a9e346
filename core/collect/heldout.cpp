// SPDX-License-Identifier: GPL-3.0-or-later
// Finds held-out tasks by id, by path and by text.
#include "core/collect/heldout.h"

#include "core/tasks/split.h"

#include <algorithm>
#include <set>

namespace cudal1::collect {

std::vector<base::TaskId> heldOutAmong(const std::vector<store::TaskRecord>& tasks, const tasks::Suite& bundled,
                                       const std::vector<store::TaskRecord>& besides)
{
    const auto isHeldOut = [](int level, const base::TaskId& id) {
        return tasks::splitOf(level, id) == tasks::Split::HeldOut;
    };
    std::set<std::string> texts;
    for (const tasks::Task& task : bundled.tasks)
        if (isHeldOut(task.level, task.id))
            texts.insert(task.hash);
    std::set<base::TaskId> ids;
    for (const store::TaskRecord& task : besides) {
        ids.insert(task.id);
        texts.insert(task.hash);
    }
    texts.erase(std::string()); // unknown, and so no other's
    std::vector<base::TaskId> out;
    for (const store::TaskRecord& task : tasks) {
        bool held = ids.contains(task.id) || texts.contains(task.hash) || isHeldOut(task.level, task.id);
        if (const base::TaskId byPath = tasks::idOfPath(task.id.value); !held && task.level == 0 && !byPath.empty())
            held = isHeldOut(std::stoi(byPath.value), byPath);
        if (held)
            out.push_back(task.id);
    }
    return out;
}

std::string listedIds(const std::vector<base::TaskId>& ids)
{
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(ids.size(), 8); ++i)
        out += (i ? ", " : "") + ids[i].value;
    return out + (ids.size() > 8 ? " and " + std::to_string(ids.size() - 8) + " more" : "");
}

base::Status refuseHeldOut(const std::vector<base::TaskId>& heldOut, const std::string& where, const std::string& hint)
{
    if (heldOut.empty())
        return {};
    return base::Error{base::ErrorCode::InvalidArgument,
                       "Held-out tasks test what was learned, so nothing is learned from them: " + listedIds(heldOut),
                       where, hint};
}

} // namespace cudal1::collect
