// SPDX-License-Identifier: GPL-3.0-or-later
// One round of proposals: what the policy offers, less what was judged before, onto the queue of the run.
#pragma once

#include "core/optimize/search.h"

#include <string>
#include <vector>

namespace cudal1::optimize {

struct SearchRound {
    std::vector<store::QueueItem> items; ///< new on the queue, in the policy's order
    std::vector<std::string> notQueued;  ///< one sentence for each reply that was judged before or had no usable code
    std::vector<policy::Declined> declined;
    std::vector<std::string> troubles; ///< of the replies, one sentence each
    bool exhausted = false;            ///< the policy had nothing to answer
};

/// Stores what the policy of this name has replied: every reply as a sample of `run`, those to one prompt in one group,
/// and every source as one variant, whoever has proposed it before and how often. Samples and variants of a part of the
/// reply that names another policy are that policy's. Samples whose variant is known get their rewards. A source that
/// is queued already, or was judged with the same task source, device model, precision and preset, is not queued again;
/// so asking twice for a round that a kill cut short completes it. (That is another question, whose samples have a
/// group of their own.)
base::Result<SearchRound> storeRound(store::Project& project, const std::string& policy, policy::Reply reply,
                                     const policy::Prompt& prompt, const SearchOptions& options, base::RunId run);

/// Puts a variant that was judged before on the empty queue of a run.
base::Result<store::QueueItem> enqueueAgain(store::Project& project, base::RunId run, base::VariantId variant,
                                            int round);

/// One evaluation of a variant that the project has; limits at their defaults.
protocol::EvaluateRequest evaluateRequest(const store::TaskRecord& task, const store::VariantRecord& variant,
                                          const std::string& device, protocol::Precision precision,
                                          protocol::Preset preset, std::uint64_t seed);

/// What is stored of a variant that has ended its evaluator twice.
protocol::Evaluation evaluatorFailedTwice(const SearchOptions& options, const protocol::DeviceInfo& device,
                                          double seconds, const base::Error& error);

} // namespace cudal1::optimize
