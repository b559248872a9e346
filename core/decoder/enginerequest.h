// SPDX-License-Identifier: GPL-3.0-or-later
// What a client asks of a model, checked and with the model's own settings filled in.
#pragma once

#include "core/base/result.h"
#include "core/decoder/replyengine.h"

#include <cstddef>
#include <vector>

namespace cudal1::decoder {

/// `context`: tokens that prompt and reply may have together; `defaults`: for settings that are missing. A missing seed
/// is drawn. InvalidArgument for what makes no sense or does not fit. The request's id is left to the caller.
base::Result<ReplyEngine::Request> engineRequest(const protocol::GenerateRequest& asked, std::vector<int> prompt,
                                                 std::size_t context, const TokenSampling& defaults);

} // namespace cudal1::decoder
