// SPDX-License-Identifier: GPL-3.0-or-later
// Recurrent layers as cuDNN's operator computes them.
#pragma once

#include "core/protocol/messages.h"

#include <optional>

namespace cudal1::policy {

/// A node `cudal1.lstm` or `cudal1.gru`, with the arguments of torch.lstm or torch.gru, that computes the same as this
/// one of `aten._cudnn_rnn`, with its id. Empty for other nodes, and where cuDNN is asked for more: projections,
/// dropout, sequences of several lengths.
std::optional<protocol::GraphNode> recurrentLayerOf(const protocol::GraphNode& node);

} // namespace cudal1::policy
