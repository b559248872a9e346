// SPDX-License-Identifier: GPL-3.0-or-later
// Names and texts of tasks, resolved without touching a file.
#include "core/serve/taskbook.h"

#include "core/base/sha256.h"

#include <algorithm>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;

TaskBook::TaskBook(tasks::Suite suite, const store::Project& project) : m_suite(std::move(suite)), m_project(project) {}

base::Result<store::TaskRecord> TaskBook::kept(const tasks::Task& task) const
{
    store::TaskRecord record{task.id, task.name, task.suite, task.level, task.source, task.hash};
    auto id = m_project.idOf(record);
    if (!id)
        return id.error();
    record.id = std::move(*id);
    return record;
}

base::Result<store::TaskRecord> TaskBook::named(const std::string& id) const
{
    if (const tasks::Task* task = m_suite.find({id}))
        return kept(*task);
    const auto loose = std::find_if(m_suite.tasks.begin(), m_suite.tasks.end(),
                                    [&](const tasks::Task& task) { return task.level == 0 && task.name == id; });
    if (loose != m_suite.tasks.end())
        return kept(*loose);
    if (auto known = m_project.task({id}))
        return known;
    return Error{ErrorCode::NotFound, "There is no task \"" + id.substr(0, 200) + "\"", m_suite.pin(),
                 "A task is named LEVEL/ID, such as 3/41; send the text of any other as \"reference\""};
}

base::Result<store::TaskRecord> TaskBook::ofText(const std::string& reference) const
{
    if (!m_takesTexts)
        return Error{ErrorCode::InvalidArgument, "References are not taken here", {}, "Name a task of the suite"};
    const auto read = tasks::taskOfText(reference);
    if (!read)
        return read.error();
    const auto same = std::find_if(m_suite.tasks.begin(), m_suite.tasks.end(),
                                   [&](const tasks::Task& task) { return task.hash == read->hash; });
    return kept(same != m_suite.tasks.end() ? *same : *read);
}

} // namespace cudal1::serve
