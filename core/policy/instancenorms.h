// SPDX-License-Identifier: GPL-3.0-or-later
// Instance norms in an operator graph.
#pragma once

#include "core/policy/graph.h"

namespace cudal1::policy {

/// The framework computes an instance norm without weights as a batch norm over one image that has all channels of all
/// images. Each of them becomes a group norm with one channel a group, without the views around it.
void recogniseInstanceNorms(Graph& graph);

} // namespace cudal1::policy
