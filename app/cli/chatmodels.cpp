// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where a name becomes a model.
#include "app/cli/chatmodels.h"

#include "core/models/makechatmodel.h"

namespace cudal1::cli {

base::Result<std::unique_ptr<policy::ChatModel>> chatModel(const std::string& name)
{
    return models::makeChatModel(name);
}

} // namespace cudal1::cli
