// SPDX-License-Identifier: GPL-3.0-or-later
// The samples of a project as recorded replies.
#pragma once

#include "core/models/replaymodel.h"

#include <filesystem>
#include <memory>
#include <string>

namespace cudal1::models {

/// Whether the file is a project rather than a file of JSON lines, by its first bytes.
bool isProject(const std::filesystem::path& file);

/// Answers what the model has answered in the project `file`, in the order of its samples, under that model's name: the
/// same run with the same seed asks the same and gets the same, without any network. Nothing is paid, so replies have
/// no cost. A reply that has as many tokens as its limit counts as cut off. `policy`: "endpoint:qwen3", of which model;
/// empty where the project has replies of one alone. Errors: NotFound where there are none, InvalidArgument where
/// several models have answered, those of the project.
base::Result<std::unique_ptr<ReplayModel>> replayOf(const std::filesystem::path& file, const std::string& policy);

} // namespace cudal1::models
