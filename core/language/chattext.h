// SPDX-License-Identifier: GPL-3.0-or-later
// Messages to a model as one text and back: how a sample keeps its prompt, so that it can be read and sent again.
#pragma once

#include "core/policy/chatmodel.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::language {

/// Each message behind a line "<|user|>" with its role. A line of a message that could be taken for such a line begins
/// with a backslash more.
std::string chatText(const std::vector<policy::ChatMessage>& messages);
/// Exactly the messages that chatText() was given; empty for a text that it did not write.
std::optional<std::vector<policy::ChatMessage>> messagesOf(const std::string& text);

/// About how many tokens a model reads the text as. Models differ by a quarter and more; what one has really read is
/// in the usage of its reply.
std::size_t estimatedTokens(const std::string& text);
/// Of all messages, with what marks their roles.
std::size_t estimatedTokens(const std::vector<policy::ChatMessage>& messages);

} // namespace cudal1::language
