// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and settings of a request to a language model as the texts that are stored with its samples.
#pragma once

#include "core/policy/chatmodel.h"

#include <string>
#include <vector>

namespace cudal1::policy {

/// All messages below each other, each under a line that names its role ("=== user ==="). What is stored as the prompt
/// of a sample, and what recorded replies are found by; equal messages give equal texts.
std::string messagesText(const std::vector<ChatMessage>& messages);

/// One line of JSON with what is set: {"max_tokens":2048,"temperature":0.8}; "{}" where nothing is.
std::string settingsText(const SamplingSettings& settings);
/// The other way round. InvalidArgument for what is no JSON object, unknown names, wrong types, and what
/// checkSettings() refuses.
base::Result<SamplingSettings> settingsOf(const std::string& text);
/// InvalidArgument, with the name of the setting, for a value outside of the bounds in SamplingSettings.
base::Status checkSettings(const SamplingSettings& settings);

} // namespace cudal1::policy
