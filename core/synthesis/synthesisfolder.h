// SPDX-License-Identifier: GPL-3.0-or-later
// Synthesised tasks as a folder that opens as a suite, with a manifest of how they came about.
#pragma once

#include "core/synthesis/synthesiser.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace cudal1::synthesis {

/// What the manifest says beside the result. Nothing in it differs between two runs with one seed on one machine.
struct Provenance {
    std::uint64_t seed = 0;
    int trials = 0;
    std::string program; ///< "cudal1 0.1.0"
    std::string torch;   ///< version of the framework that looked at the tasks
    std::string heldOut; ///< pin of the suite whose held-out tasks were kept apart
    std::size_t heldOutTasks = 0;
    std::size_t heldOutSequences = 0;
};

/// "00012_linear_gelu.py" of the twelfth task that was kept.
std::string fileName(std::size_t place, const KeptTask& task);

/// {"format", "seed", "composer", "rule", "counts", "removed", "tasks" …}; see docs/trainingdata.md.
nlohmann::json manifestOf(const SynthesisResult& result, const Provenance& provenance);

/// InvalidArgument where there is something in the folder already. Nothing is written.
base::Status checkTarget(const std::filesystem::path& folder);

/// A task a file, and manifest.json. The folder is there whole or not at all. Unavailable with the cause where it
/// cannot be written; as checkTarget().
base::Status writeFolder(const std::filesystem::path& folder, const SynthesisResult& result,
                         const Provenance& provenance);

} // namespace cudal1::synthesis
