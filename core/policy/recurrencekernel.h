// SPDX-License-Identifier: GPL-3.0-or-later
// One CUDA kernel for all layers and all steps of an LSTM or a GRU. Each block keeps the weights of a few units of one
// layer in registers from the first step to the last. In one direction all layers work at the same time, each a step
// behind the one below it, and half of a block multiplies what comes from below while the other half waits for its own
// layer; in two, the directions work at the same time, one layer after the other. So a step costs what blocks need to
// see one another's results, and no weight is read twice.
//
// Blocks wait for one another, so all of them must be at work at once: there are at most as many as a GPU has
// processors.
#pragma once

#include "core/policy/technique.h"

#include <algorithm>
#include <optional>
#include <string>

namespace cudal1::policy {

struct Recurrence {
    bool lstm = true; ///< else a GRU
    std::int64_t layers = 1, batch = 1, steps = 1, features = 1, hidden = 1;
    std::int64_t directions = 1;
    bool batchFirst = false; ///< the input is [batch, steps, features], else [steps, batch, features]
    std::int64_t units = 1;  ///< of a layer, that a block computes

    std::int64_t gates() const { return lstm ? 4 : 3; }
    std::int64_t groups() const { return directions == 2 ? 2 : layers; } ///< of blocks, which work at the same time
    std::int64_t blocks() const { return (hidden + units - 1) / units; } ///< of a group
    std::int64_t widthBelow() const { return std::max(layers > 1 ? directions * hidden : 0, features); }
    std::int64_t rowsOfWarp() const { return (gates() * units + 7) / 8; }
    std::int64_t stepsInTurn() const { return directions == 2 ? steps * layers : steps + layers - 1; }
    std::int64_t sharedBytes() const;
};

/// The layer of a node `cudal1.lstm` or `cudal1.gru` with `units` chosen; empty where there is no such kernel for it.
std::optional<Recurrence> recurrenceOf(const Graph& graph, const GraphNode& node);

/// Nanoseconds that it is expected to take.
double recurrence_ns(const Recurrence& recurrence);

/// Adds the kernel and a function over tensors to the source and returns the function's name: NAME(x, states, weights),
/// with the states (h0, c0) of an LSTM or (h0,) of a GRU, which returns what torch.lstm and torch.gru return. `weights`
/// are those of all layers, in torch's order.
std::string addRecurrence(Source& source, const Recurrence& recurrence);

} // namespace cudal1::policy
