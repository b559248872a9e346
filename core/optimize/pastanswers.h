// SPDX-License-Identifier: GPL-3.0-or-later
// What the policies of a run have answered in a round, as the store knows it, and the rewards for it.
#pragma once

#include "core/policy/policy.h"
#include "core/store/project.h"

#include <vector>

namespace cudal1::optimize {

/// In the order in which they were stored, with the newest evaluation of each on the device model at the precision.
base::Result<std::vector<policy::PastAnswer>> pastAnswers(const store::Project& project, base::RunId run, int round,
                                                          const std::string& deviceModel,
                                                          protocol::Precision precision);

/// As protocol::rewardOf().
std::optional<double> rewardOf(const store::EvaluationSummary& evaluation);

/// Rewards of the run's samples that led to `variant` (without a variant, of all that have none yet), by its newest
/// evaluation on the device model at the precision. What led to no variant gets 0, and what is not judged yet keeps
/// what it has.
base::Status storeRewards(store::Project& project, base::RunId run, base::VariantId variant,
                          const std::string& deviceModel, protocol::Precision precision);

} // namespace cudal1::optimize
