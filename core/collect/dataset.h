// SPDX-License-Identifier: GPL-3.0-or-later
// Correct programs of a collection as examples to learn from.
#pragma once

#include "core/collect/collector.h"
#include "core/language/templates.h"
#include "core/policy/chatmodel.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::collect {

/// One example: what is asked, and an answer that the judge found correct.
struct TrainingExample {
    store::TaskRecord task;
    std::string policy; ///< as samples name it: "technique library"
    std::string policyVersion;
    base::SampleId sample;
    base::VariantId variant;
    std::vector<policy::ChatMessage> prompt; ///< as a model was, or would be, asked: oneShot()
    std::string reply;                       ///< in the paper's three sections, without a model's thoughts
    std::string source;
    store::EvaluationSummary evaluation;
    std::optional<double> reward; ///< protocol::rewardOf()
};

/// What of a policy's replies to the tasks of one level was kept, and what was not.
struct CollectYield {
    std::size_t policy = 0; ///< of CollectOptions::policies
    int level = 0;          ///< 0: single files
    int tasks = 0, tasksWithSuccess = 0;
    int trials = 0, unusable = 0, correct = 0;
    int exploits = 0;
    int degenerate = 0;     ///< correct, with the label degenerate_task
    int tooLong = 0;        ///< correct, with more characters than SearchOptions::longest
    int nearDuplicates = 0; ///< correct, and like a faster one for the same task
    int kept = 0;
};

struct Dataset {
    std::vector<TrainingExample> examples; ///< by task in the order of the cells, the fastest first
    std::vector<CollectYield> yields;      ///< by policy, then level
};

/// What is needed to put the question that a model would have been asked, where the library answered.
struct AskedOn {
    protocol::Machine machine;
    protocol::DeviceInfo device;
    language::Templates templates;
};

/// Of what the project has for the cells. Only what the judge found correct is kept; near-duplicates of a faster
/// program for the same task are dropped, whoever wrote them.
base::Result<Dataset> datasetOf(const store::Project& project, const CollectOptions& options,
                                const std::vector<CollectCell>& cells, const AskedOn& asked);

/// The fields of docs/trainingdata.md.
nlohmann::json toJson(const TrainingExample& example);
/// One line each.
std::string toJsonLines(const std::vector<TrainingExample>& examples);

} // namespace cudal1::collect
