// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of evaluations as a person reads them, the same in logs and on the command line.
#pragma once

#include "core/protocol/messages.h"
#include "core/store/storedversus.h"

#include <optional>
#include <string>
#include <vector>

namespace cudal1::optimize {

/// "3.86× (3.83–3.89)"; ", unclear" or ", same" is added when the interval straddles 1; "not timed" when invalid.
/// `marks` (protocol::marksOf()) stand behind it.
std::string speedupText(const base::Interval& speedup, const std::string& marks = {});
/// "3.86×", "6.93× (TF32)": what a run has found so far, in few words, with what its marks say.
std::string bestText(const base::Interval& best, const std::string& marks);
/// "On an equally fast host #126 is 1.33× (1.22–1.45) as fast as #14, but at another precision (FP32)."
std::string rivalSentence(const store::Rival& rival);
/// That, where it comes from, and what to do about it.
std::string rivalText(const store::Rival& rival);
/// "Beside #14 the host was slower: …", and what it would gain on one like that of most others.
std::string slowHostText(const store::SlowHost& slow);
/// "does not build": a verdict in words.
std::string verdictText(protocol::Verdict verdict);
/// "correct, 3.86× (3.83–3.89)", or the verdict and its first reason in one line.
std::string outcomeText(const protocol::Evaluation& evaluation);
/// What an evaluator does in a phase: "checking"; "starting" before the first.
std::string phaseText(const std::string& phase);
/// "cuda_graph + tf32", or `otherwise` when there is none.
std::string techniquesText(const std::vector<std::string>& techniques, const std::string& otherwise);
/// "both in TF32", "both in float32": which precision both sides had; empty where it is KernelBench's, or none is
/// known.
std::string sidesText(std::optional<protocol::Precision> precision);
/// "NVIDIA H200", "NVIDIA H200, both in TF32": where it was measured, and which precision both sides had where it is
/// not KernelBench's.
std::string measuredOn(const store::EvaluationSummary& evaluation);
std::string measuredOn(const std::string& device, std::optional<protocol::Precision> precision);
/// "float32[8, 3, 224, 224], int64[8]": values of a graph by their ids; "none" without any.
std::string tensorsText(const protocol::OperatorGraph& graph, const std::vector<int>& ids);

} // namespace cudal1::optimize
