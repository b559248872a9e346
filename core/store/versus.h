// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one variant is faster than another, by what the project has of both.
#pragma once

#include "core/protocol/versus.h"
#include "core/store/project.h"

namespace cudal1::store {

/// Of the newest evaluations of two variants that can be compared (protocol::versus); why the newest two cannot when none can.
/// InvalidArgument also when one has none, or they are of two tasks or of two texts of one. Reads the samples of two.
base::Result<protocol::Versus> versus(const Project& project, base::VariantId first, base::VariantId second);

} // namespace cudal1::store
