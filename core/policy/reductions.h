// SPDX-License-Identifier: GPL-3.0-or-later
// What operators reduce, for kernels that run over one domain.
#pragma once

#include "core/policy/graph.h"

#include <optional>
#include <vector>

namespace cudal1::policy {

/// The domain of a kernel that reduces, and the axes of it that are reduced. A group norm reduces a part of an axis:
/// the channels stand as two axes of the domain, groups and the channels of one.
struct ReductionSpace {
    Shape domain;
    std::vector<std::size_t> axes; ///< neighbours, from the outermost
    std::int64_t groups = 0;       ///< that the channels, the second axis of tensors, are divided into; 0: undivided

    bool operator==(const ReductionSpace&) const = default;
    /// A tensor's shape with its channels, if it has that axis, divided as in the domain.
    Shape refined(const Shape& shape) const;
    /// The shape of a vector with a number for each channel. There must be groups.
    Shape ofChannels() const;
};

bool isGroupNorm(const GraphNode& node);
/// A batch norm by which the framework computes an instance norm without weights: of one image, keeping no statistics.
bool isInstanceNorm(const Graph& graph, const GraphNode& node);
/// Whether this operator may be one of a kernel that reduces; reductionOf() looks more closely.
bool isReduction(const GraphNode& node);
/// Empty where a kernel cannot reduce what the operator does.
std::optional<ReductionSpace> reductionOf(const Graph& graph, const GraphNode& node);

} // namespace cudal1::policy
