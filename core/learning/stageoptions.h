// SPDX-License-Identifier: GPL-3.0-or-later
// What a stage of a training is set to.
#pragma once

#include "core/base/result.h"
#include "core/language/askmethod.h"
#include "core/protocol/training.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cudal1::learning {

/// The stages of the paper: sections 2.2, 2.3 and 2.4.
enum class Stage { Supervised, SelfSupervised, Contrastive };
std::string_view wordOf(Stage stage); ///< "sft", "self", "contrastive"
std::optional<Stage> stageFromText(std::string_view word);

/// Whether a batch is drawn and judged while the one before it is judged and learnt from.
enum class Overlap { Auto, On, Off }; ///< Auto: on where the trainer and the judge do not share a device
std::string_view toString(Overlap overlap);
bool fromString(std::string_view word, Overlap& out);

/// What core/learning/stagesettings.h lists, and what is told otherwise: stage, model, out, seed, from, precision and
/// preset.
struct StageOptions {
    Stage stage = Stage::Supervised;
    std::string model; ///< a Hugging Face folder
    std::string out;   ///< for checkpoints and the record; the training is taken up where it has one
    int steps = 100;   ///< batches, skipped ones among them
    int batch = 8;     ///< examples of a batch (stage 1), prompts of a batch (stages 2 and 3)
    std::uint64_t seed = 1;
    std::string device = "cpu", numbers; ///< of the trainer
    int threads = 0, passTokens = 8192;
    bool recomputes = false;
    protocol::Sharding sharding = protocol::Sharding::None;
    protocol::OptimizerSettings optimizer;
    int loraRank = 0;
    int saveEvery = 10; ///< batches
    int keep = 2;
    int from = 0; ///< go on from the checkpoint of this step; later ones are kept aside. 0: from the newest
    // Of stages 2 and 3.
    int group = 8;        ///< replies to a prompt
    int epochs = 1;       ///< how often a batch is gone through
    int minibatches = 1;  ///< updates of a batch and epoch
    int maxTokens = 2048; ///< of a reply
    double temperature = 1;
    double judgeLimit_s = 900; ///< for one program, while no other one of the training comes to its end; what takes
                               ///< longer is named and left out of its group
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Quick;
    // Of stage 3.
    std::string exemplars = "bucket"; ///< "bucket", "random", "islands"; "none": plain GRPO
    bool ownExemplars = false;        ///< only what this training itself has found, and not all that the project has
    double plainShare = 0;            ///< of the prompts: how many show no exemplars, though there are some
    double clipHigh = 0;              ///< how far a ratio may be above 1; 0: as far as below it
    Overlap overlap = Overlap::Auto;
    /// Whose distribution beta holds the policy to: "start", the weights that the stage begins with, or another model's
    /// folder, such as stage 1's checkpoint.
    std::string reference = "start";
    protocol::GrpoSettings grpo; ///< grpoOf() has it with what follows from the rest
};

/// InvalidArgument with the first thing that is wrong.
base::Status check(const StageOptions& options);

/// What makes a training the same one, as JSON. Left out is what may change between two legs of it
/// (StageSetting::mayChange) and the number of steps of a rate that does not decay.
nlohmann::json identityOf(const StageOptions& options);

/// What the trainer is asked to open, and how it is asked to learn in stage 3.
protocol::OpenTraining openOf(const StageOptions& options);
protocol::GrpoSettings grpoOf(const StageOptions& options);
/// Whether a trainer ("cpu", "cuda", "cuda:1") and one of the judges ("cpu", "cuda:1,cuda:2") work on one device, where
/// drawing and learning would disturb the times of programs. "cuda" is the first GPU.
bool shareDevice(std::string_view trainer, std::string_view judges);
/// Whether one batch is drawn ahead: in stage 3 alone, since its losses know by which weights replies were drawn.
bool overlaps(const StageOptions& options, std::string_view judges);

/// How a model is asked in stages 2 and 3: as in a collection, with exemplars where the stage shows them.
language::AskMethod askMethodOf(const StageOptions& options);

} // namespace cudal1::learning
