// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix product of float32 as three products of half precision, which the library multiplies on tensor cores.
//
// Each row of the left factor and each column of the right one is multiplied by the power of two that brings its
// largest number to between 2^14 and 2^15. A number x is then the sum of a half h and of a half l of what h lost, and x
// y is h l' + l h' + h h' without 2^-22 of it. That holds for numbers down to 2^-16 of the largest one of their row or
// column; smaller ones keep fewer digits, so that the error is small beside the products of the largest numbers. One
// batched product makes all three sums, of which the small ones come first. Tensor cores round a sum towards zero at
// each step, so the inner dimension is cut into chunks, whose results are added as float32 is. An infinite factor gives
// NaN.
#pragma once

#include "core/policy/kernelwriter.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace cudal1::policy {

/// One of the factors, as it lies in memory.
struct HalvesFactor {
    int value = -1;
    std::int64_t count = 0; ///< rows of the left factor, columns of the right one
    bool innerLast = true;  ///< the numbers that are multiplied and added with one another are neighbours in memory
    bool kept = false;      ///< it lasts from call to call, so its halves are made once
};

/// A product in the graph: `batch` times a left factor of [rows, inner] with a right one of [inner, columns].
struct HalvesProduct {
    std::int64_t batch = 1, inner = 0;
    HalvesFactor left, right;
    std::optional<int> bias; ///< a number for each column
    int result = -1;
    double replaced_ns = 0; ///< of the operator, as it was measured or else estimated for float32
    double expected_ns = 0; ///< of what takes its place, on a GPU like an H200

    std::int64_t chunks() const; ///< of the inner dimension
    std::int64_t chunk() const;  ///< numbers of one, with the zeros at its end
    std::int64_t bytes() const;  ///< of the halves of both factors and of the chunks' results
    std::string text() const;    ///< "[2048, 1024] by [1024, 512]"
};

/// The product that a node is, where factors and result are float32 and lie in order, or transposed in order. Empty for
/// any other node, and where halves and chunks would take too much memory. `rateOfMemory`: bytes that the device moves
/// in a nanosecond.
std::optional<HalvesProduct> halvesProduct(const Graph& graph, const GraphNode& node, double rateOfMemory);

/// Halves of factors that the graph has made already, so that products which share a factor make them once.
using KnownHalves = std::map<std::string, std::pair<int, int>>;

/// Adds kernels and functions to the source, and replaces the node whose product this is.
void replaceByHalves(Graph& graph, Source& source, const HalvesProduct& product, KnownHalves& known);

} // namespace cudal1::policy
