// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a convolution's kernel as Python, with the functions that launch it and that finish what it has left.
#pragma once

#include "core/policy/convolutionsite.h"

#include <string>
#include <vector>

namespace cudal1::policy {

/// Adds the site's kernel and its function to the source and returns the nodes that compute `site.result`, which take
/// the place of site.ids().
std::vector<GraphNode> convolutionNodes(Graph& graph, Source& source, const ConvolutionSite& site);

/// Adds a kernel that takes the means over places from what a convolution's kernel has left of its tiles, and returns
/// the node that makes `result`, a number for each channel of each image, from `parts`.
GraphNode meansNode(Graph& graph, Source& source, const ConvolutionSite& site, int parts, int result);

/// The shape of what a kernel leaves that does not store results.
Shape partsShape(const ConvolutionSite& site);

} // namespace cudal1::policy
