// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where a name becomes a model.
#include "app/cli/chatmodels.h"

namespace cudal1::cli {

base::Result<std::unique_ptr<policy::ChatModel>> chatModel(const std::string& name)
{
    return base::Error{base::ErrorCode::Unavailable, "This build has no model " + name,
                       "it was made without " +
                           std::string(name.starts_with("local:") ? "models on this machine" : "endpoints"),
                       "--policy library needs no model"};
}

} // namespace cudal1::cli
