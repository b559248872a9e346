// SPDX-License-Identifier: GPL-3.0-or-later
// The candidate in a language model's reply.
#pragma once

#include "core/base/result.h"

#include <string>

namespace cudal1::serve {

/// The last fenced block that defines ModelNew; without one, the last fenced block; without any fence, the whole reply
/// where it defines ModelNew. InvalidArgument, with the reason, for a reply without code or with a fence that is never
/// closed, as of a reply that was cut off.
base::Result<std::string> codeOfReply(const std::string& reply);

} // namespace cudal1::serve
