// SPDX-License-Identifier: GPL-3.0-or-later
// What a policy was asked and what it answered, as texts to be kept with a variant.
#pragma once

#include "core/policy/policy.h"

#include <string>

namespace cudal1::policy {

/// All that a policy which reads the prompt as data was told: task, device, operators with their times, what was judged
/// so far.
std::string promptText(const Prompt& prompt);

/// The three sections of the paper's reply format (section 2.2) with the source in the last one.
std::string replyText(const std::string& performanceAnalysis, const std::string& algorithmDesign,
                      const std::string& codeImplementation, const std::string& source);

} // namespace cudal1::policy
