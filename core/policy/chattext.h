// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and settings of a request to a language model as the texts that are stored with its samples.
#pragma once

#include "core/policy/chatmodel.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::policy {

/// Each message behind a line "<|user|>" with its role, which is a word. A line of a message that could be taken for
/// such a line begins with a backslash more. What is stored as the prompt of a sample, and what recorded replies are
/// found by.
std::string messagesText(const std::vector<ChatMessage>& messages);
/// Exactly the messages that messagesText() was given; empty for a text that it did not write.
std::optional<std::vector<ChatMessage>> messagesOf(const std::string& text);

/// One line of JSON with what is set: {"max_tokens":2048,"temperature":0.8}; "{}" where nothing is.
std::string settingsText(const SamplingSettings& settings);
/// The other way round. InvalidArgument for what is no JSON object, unknown names, wrong types, and what
/// checkSettings() refuses.
base::Result<SamplingSettings> settingsOf(const std::string& text);
/// InvalidArgument, with the name of the setting, for a value outside of the bounds in SamplingSettings.
base::Status checkSettings(const SamplingSettings& settings);
/// Of the JSON that a sample keeps, which also says how was asked, the fields that settingsText() writes, in its form;
/// another text as it is.
std::string samplingText(const std::string& stored);
/// `settings` with what it leaves open taken from `usual`.
SamplingSettings filled(SamplingSettings settings, const SamplingSettings& usual);

} // namespace cudal1::policy
