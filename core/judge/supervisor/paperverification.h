// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's rule of verification: what looks very fast is measured a second time elsewhere.
#pragma once

#include "core/judge/supervisor/supervisor.h"

namespace cudal1::judge {

/// Throws RequestFailed for rules that cannot be followed, with what would do.
void checkPaperRules(const protocol::PaperRules& rules);

/// Where an evaluation that was measured by the paper's protocol must be verified, judges the candidate again: on
/// another GPU of the same model where there is one, else in fresh processes; on the CPU in fresh processes. A second
/// ratio that is more than 10 % off takes back that the number is accepted; a second verdict that the result is wrong
/// or cheated for stands.
void verifyAsPaper(Supervisor& supervisor, const protocol::EvaluateRequest& request, protocol::Evaluation& evaluation);

} // namespace cudal1::judge
