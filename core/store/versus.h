// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one variant is faster than another, by what the project has of both.
#pragma once

#include "core/protocol/versus.h"
#include "core/store/project.h"

#include <vector>

namespace cudal1::store {

/// Of the newest evaluations that can be compared (protocol::versus); why the newest two cannot when none can. Each list is of
/// one variant, newest first. InvalidArgument when either is empty.
base::Result<protocol::Versus> versus(const std::vector<EvaluationSummary>& first, const std::vector<EvaluationSummary>& second);

/// The same for two variants of a project; InvalidArgument also when they are of two tasks or of two texts of one.
base::Result<protocol::Versus> versus(const Project& project, base::VariantId first, base::VariantId second);

} // namespace cudal1::store
