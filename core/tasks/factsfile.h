// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded facts of tasks: a file of JSON lines, one task a line, that says what each task's module is.
//
// A row has level, id and name, and what the evaluator derives of a task file (protocol::FactsRequest):
// input_generators, inputs, init_inputs, init_parameters, forward_parameters, initialisation, parameters, buffers,
// modules, outputs and operators. core/judge/witness/facts.py says how operators and values are written down:
// infinities as "inf" and "-inf". Python's own Infinity, -Infinity and NaN are read as such words.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <vector>

namespace cudal1::tasks {

class FactsFile {
public:
    /// Reads and parses all rows (the bundled suite's take some 20 ms). Unreadable, with "FILE:LINE" as context, for a
    /// line that is no row or whose task has a row already. Empty lines are passed over.
    static base::Result<FactsFile> read(const std::filesystem::path& file);

    /// Null when the file has none of this task. Lists may be folded: see unfolded().
    const nlohmann::json* row(const base::TaskId& task) const;
    /// In the file's order.
    const std::vector<base::TaskId>& tasks() const { return m_tasks; }

private:
    std::vector<base::TaskId> m_tasks;
    std::map<base::TaskId, nlohmann::json> m_rows;
};

/// Where the facts of a suite lie: beside level1, level2, …
std::filesystem::path factsOfSuite(const std::filesystem::path& suite);

/// `value` with every {"repeat": n, "block": […]} in its lists, at any depth, written out. A fold that would write out
/// more than a million entries, or whose repeat is no number from 0, stays as it is.
nlohmann::json unfolded(const nlohmann::json& value);

} // namespace cudal1::tasks
