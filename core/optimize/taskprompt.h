// SPDX-License-Identifier: GPL-3.0-or-later
// What a policy is asked with at the beginning of a turn, the same in a search and in a preview of it.
#pragma once

#include "core/optimize/judged.h"
#include "core/optimize/search.h"

namespace cudal1::optimize {

/// `machine` is the one that has `device`. Round, turn, answers and what is for readers of background are left at their
/// defaults.
policy::Prompt taskPrompt(const SearchOptions& options, const protocol::Machine& machine,
                          const protocol::DeviceInfo& device, const protocol::OperatorGraph& graph,
                          const JudgedList& judged);

} // namespace cudal1::optimize
