// SPDX-License-Identifier: GPL-3.0-or-later
// Language models by the names that users give them.
#pragma once

#include "core/base/result.h"
#include "core/policy/chatmodel.h"

#include <memory>
#include <string>

namespace cudal1::cli {

/// Of "endpoint:NAME" or "local:NAME"; each call makes a model of its own. NotFound where the user has none of that
/// name; Unavailable where this build has no such models.
base::Result<std::unique_ptr<policy::ChatModel>> chatModel(const std::string& name);

} // namespace cudal1::cli
