// SPDX-License-Identifier: GPL-3.0-or-later
// Whether what was derived of a task is what the recorded facts say.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cudal1::tasks {

/// Sentences, one for each field of `derived` (protocol::Facts::Item) and `row` (FactsFile) that differs, in the order
/// in which facts are written; a list names its first difference. 1, 1.0 and true are three things. Empty: all equal.
std::vector<std::string> differences(const nlohmann::json& derived, const nlohmann::json& row);

} // namespace cudal1::tasks
