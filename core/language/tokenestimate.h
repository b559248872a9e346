// SPDX-License-Identifier: GPL-3.0-or-later
// How long a text is for a language model, before it is asked.
#pragma once

#include "core/policy/chatmodel.h"

#include <string>
#include <vector>

namespace cudal1::language {

/// About how many tokens a model reads the text as. Models differ by a quarter and more; what one has really read is
/// in the usage of its reply.
std::size_t estimatedTokens(const std::string& text);
/// Of all messages, with what marks their roles.
std::size_t estimatedTokens(const std::vector<policy::ChatMessage>& messages);

} // namespace cudal1::language
