// SPDX-License-Identifier: GPL-3.0-or-later
// What the placeholders of prompts stand for: facts of a prompt as lines for a reader.
#pragma once

#include "core/policy/policy.h"

#include <string>
#include <vector>

namespace cudal1::language {

// Each is empty where nothing is known.

std::string deviceText(const protocol::DeviceInfo& device);
std::string precisionText(protocol::Precision precision);
/// Languages and compilers that a program may use on the device.
std::string toolsText(const policy::Prompt& prompt);
std::string workText(const policy::LeastWork& least);
std::string floorText(const policy::LeastWork& least);
/// "5 operators, 120 µs together when each is measured alone; a call takes 90 µs."
std::string operatorsTotal(const protocol::OperatorGraph& graph);
/// One line for each kind of operator in each module, most time first, at most 25.
std::string operatorsList(const protocol::OperatorGraph& graph);
/// At most 6 of different reasons, newest first.
std::string failuresList(const std::vector<policy::Exemplar>& exemplars);
std::string effectsList(const std::vector<policy::KnownEffect>& effects);
std::string techniquesList(const std::vector<std::string>& techniques);

/// "does not build".
std::string verdictWords(protocol::Verdict verdict);
/// Whether it is correct and how fast, in sentences.
std::string outcomeSentence(const protocol::Evaluation& evaluation);
/// Reasons and labels with what proves them, long proofs cut in the middle.
std::string reasonsList(const protocol::Evaluation& evaluation);

} // namespace cudal1::language
