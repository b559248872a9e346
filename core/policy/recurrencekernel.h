// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA kernels for all steps of an LSTM or a GRU. Each block keeps the weights of a few units of one layer in registers
// from the first step to the last, so a step costs what blocks need to see one another's results, and no weight is read
// twice.
//
// In one direction one kernel has all layers, which work at the same time, each a step behind the one below it, and
// half of a block multiplies what comes from below while the other half waits for its own layer. Blocks wait for one
// another, so all of them must be at work at once: there are at most as many as a GPU has processors.
//
// In two directions no layer can begin before the one below has ended, so each has a kernel of its own, and what comes
// from below is multiplied for all steps before. The eight blocks of a cluster write their results into one another's
// shared memory, for two sequences in one direction. A layer has at most 256 units then. Clusters need compute
// capability 9.0 and do not wait for others.
#pragma once

#include "core/policy/technique.h"

#include <algorithm>
#include <optional>
#include <string>

namespace cudal1::policy {

struct Recurrence {
    bool lstm = true; ///< else a GRU
    std::int64_t layers = 1, batch = 1, steps = 1, features = 1, hidden = 1;
    bool bothDirections = false;
    bool batchFirst = false; ///< the input is [batch, steps, features], else [steps, batch, features]
    std::int64_t units = 1;  ///< of a layer, that a block computes

    std::int64_t gates() const { return lstm ? 4 : 3; }
    std::int64_t directions() const { return bothDirections ? 2 : 1; }
    std::int64_t blocksOfLayer() const { return (hidden + units - 1) / units; } ///< where there is one direction
    std::int64_t grid() const;                                                  ///< blocks of a kernel
    std::int64_t stepsInTurn() const { return bothDirections ? steps * layers : steps + layers - 1; }
};

/// The layer of a node `cudal1.lstm` or `cudal1.gru` with `units` chosen; empty where there is no such kernel for it.
std::optional<Recurrence> recurrenceOf(const Graph& graph, const GraphNode& node);

/// Nanoseconds that it is expected to take.
double recurrence_ns(const Recurrence& recurrence);

/// Adds a kernel and a function over tensors to the source and returns the function's name: NAME(x, states, weights),
/// with the states (h0, c0) of an LSTM or (h0,) of a GRU, which returns what torch.lstm and torch.gru return. `weights`
/// are those of all layers, in torch's order.
std::string addRecurrence(Source& source, const Recurrence& recurrence);

} // namespace cudal1::policy
