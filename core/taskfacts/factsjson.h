// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a task, and a task of a list, as JSON: the same objects in the command line and in tools of agents.
#pragma once

#include "core/taskfacts/taskfacts.h"
#include "core/tasks/suite.h"

#include <nlohmann/json.hpp>

#include <map>

namespace cudal1::taskfacts {

/// What `cudal1 tasks show --json` prints.
nlohmann::json factsJson(const store::TaskRecord& task, const TaskFacts& facts);
/// One of what `cudal1 tasks --json` lists. `row` is null for a task that the project does not have.
nlohmann::json taskJson(const tasks::Task& task, const store::TaskRow* row);

/// The rows of a project, found by a task of a suite whatever id the project keeps it under.
class KnownTasks {
public:
    KnownTasks() = default; ///< knows none
    explicit KnownTasks(const std::vector<store::TaskRow>& rows);

    const store::TaskRow* of(const tasks::Task& task) const; ///< null when the project does not have it
    const std::map<base::TaskId, store::TaskRow>& rows() const { return m_rows; }

private:
    std::map<base::TaskId, store::TaskRow> m_rows;
};

} // namespace cudal1::taskfacts
