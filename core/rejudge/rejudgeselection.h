// SPDX-License-Identifier: GPL-3.0-or-later
// Which variants of a project `cudal1 rejudge` is about, and which of them it has to judge.
#pragma once

#include "core/rejudge/claimoutcome.h"

#include <string>
#include <vector>

namespace cudal1::rejudge {

struct Filter {
    std::string origin;             ///< part of the origin; empty: everything that was imported
    int level = 0;                  ///< 0: every level
    std::vector<std::string> tasks; ///< "2/14" means "2/14@1a2b3c4d" too; empty: every task
    int limit = 0;                  ///< judge at most so many; 0: all
};

/// What makes an evaluation count as the one that was asked for.
struct RejudgeSettings {
    std::string device;      ///< "cuda:0"
    std::string deviceModel; ///< "NVIDIA H200"
    protocol::Precision precision = protocol::Precision::Kernelbench;
    protocol::Preset preset = protocol::Preset::Quick;
};

/// Rows of the filter in the order of tasks: levels, then numbers. Each has the newest evaluation with these settings.
/// With an origin, variants that were never imported are rows too, under the key "variant N".
base::Result<std::vector<ClaimOutcome>> select(const store::Project& project, const Filter& filter,
                                               const RejudgeSettings& settings);

/// What is to be judged: rows with code that are not stale, without those that have been found (unless `again`), each
/// variant once, cut to the limit.
std::vector<base::VariantId> toJudge(const std::vector<ClaimOutcome>& rows, const Filter& filter, bool again);

} // namespace cudal1::rejudge
