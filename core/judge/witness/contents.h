// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the contents of the inputs of timed calls. No call repeats another, and the contents of a later call do not
// follow from those of an earlier one.
//
// Contents are made of several draws of the dataset's own generator, mixed under a key. The key of each call comes from
// the system's source of randomness. Draws and keys stay in the witness. New contents keep what the dataset's inputs
// promise (InputTraits in inputfamily.h): ranges, zeros, symmetry, order, rows that sum to one or have the length one,
// and ids that are valid where they stand.
#pragma once

#include "core/judge/module/devicekernels.h"
#include "core/judge/witness/inputfamily.h"

#include <cstdint>
#include <vector>

namespace cudal1::judge {

/// Used from the witness's main thread.
class Contents {
public:
    /// `traits`: one for each input. Keeps a reference to `kernels`.
    Contents(const DeviceKernels& kernels, std::vector<InputTraits> traits)
        : m_kernels(kernels), m_traits(std::move(traits))
    {
    }

    /// How many draws to add before the first call: four where an input may not be changed by arithmetic (labels,
    /// masks), since such an input is put together from elements of several draws; else two.
    std::size_t wantedDraws() const;
    /// Adds one draw of all inputs. At most four draws are kept, and no more than `most` (at least one); the oldest go
    /// first.
    void addDraw(std::vector<at::Tensor> inputs, std::size_t most);
    bool empty() const { return m_draws.empty(); }
    /// Whether such an input is changed here, since each draw gives the same one.
    static bool changesByItself(const InputTraits& traits);

    /// New tensors for one call, one for each input, on the device of the draws; there must be a draw. The same key
    /// gives the same contents as long as the draws are the same. Seeds the framework's generators.
    std::vector<at::Tensor> make(std::uint64_t key) const;

private:
    at::Tensor mixed(std::size_t input, std::uint64_t key) const; ///< elements of the draws, times random factors
    at::Tensor selected(std::size_t input, bool byRows) const;    ///< each element, or row, from one of the draws
    at::Tensor drawnAnew(std::size_t input) const;                ///< each element from another place of its row
    at::Tensor distributions(std::size_t input) const;            ///< rows that sum to one

    const DeviceKernels& m_kernels;
    std::vector<InputTraits> m_traits;
    std::vector<std::vector<at::Tensor>> m_draws; ///< oldest first; each has one tensor for each input
};

/// 64 random bits from the system (getrandom), for what no other process may know. Throws std::runtime_error.
std::uint64_t secretNumber();
/// True with a probability of 1/n, by a secret number.
bool oneIn(std::uint64_t n);

} // namespace cudal1::judge
