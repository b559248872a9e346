// SPDX-License-Identifier: GPL-3.0-or-later
// What the inputs of a timed call hold. No call repeats another, and nothing of a later call follows from an earlier one.
//
// Everything here lives in the witness: the draws of the dataset's generator of which contents are made, and the key of each call,
// which is drawn from the system's source of randomness and told to nobody. How an input changes is bound by what it promises
// (inputfamily.h): ranges, zeros, symmetry, rows that sum to one, ids that are valid at their place.
#pragma once

#include "core/judge/module/devicekernels.h"
#include "core/judge/witness/inputfamily.h"

#include <cstdint>
#include <vector>

namespace cudal1::judge {

class Contents {
public:
    Contents(const DeviceKernels& kernels, std::vector<InputTraits> traits) : m_kernels(kernels), m_traits(std::move(traits)) {}

    /// How many draws are wanted before the first call: inputs without arithmetic are put together from several.
    std::size_t wantedDraws() const;
    /// One draw of all inputs more; the oldest goes when there are four, or when a fifth would be `most`.
    void addDraw(std::vector<at::Tensor> inputs, std::size_t most);
    bool empty() const { return m_draws.empty(); }

    /// New tensors for one call. The same key gives the same contents as long as the draws are the same.
    std::vector<at::Tensor> make(std::uint64_t key) const;

private:
    at::Tensor mixed(std::size_t input, std::uint64_t key) const;
    at::Tensor selected(std::size_t input, bool byRows) const;
    at::Tensor distributions(std::size_t input) const;

    const DeviceKernels& m_kernels;
    std::vector<InputTraits> m_traits;
    std::vector<std::vector<at::Tensor>> m_draws; ///< each a tensor for each input
};

/// From the system's source of randomness: for what no process but this one may know.
std::uint64_t secretNumber();

} // namespace cudal1::judge
