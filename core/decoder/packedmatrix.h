// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix of weights in the order in which the CPU's inner loops read it.
#pragma once

#include "core/decoder/cpukernels.h"
#include "core/decoder/team.h"

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>

namespace cudal1::decoder {

/// Memory that begins at a cache line and is zero. Pages that nobody wrote to take no memory.
class AlignedMemory {
public:
    AlignedMemory() = default;
    explicit AlignedMemory(std::size_t bytes); ///< throws std::bad_alloc

    std::byte* data() const { return m_data.get(); }
    std::size_t size() const { return m_size; }

private:
    struct Unmap {
        std::size_t bytes;
        void operator()(std::byte* data) const;
    };
    std::unique_ptr<std::byte, Unmap> m_data{nullptr, Unmap{0}};
    std::size_t m_size = 0;
};

/// Outputs by inputs, [columns][depth] to whoever fills it; inside, panels of panelColumns outputs.
class PackedMatrix {
public:
    /// Gives rows [first, first + count) of the matrix as floats, `depth` apart. Called by several threads.
    using Rows = std::function<void(std::size_t first, std::size_t count, float* to)>;

    PackedMatrix() = default;
    PackedMatrix(const CpuKernels& kernels, std::size_t columns, std::size_t depth, const Rows& rows, Team& team);

    std::size_t columns() const { return m_columns; }
    std::size_t depth() const { return m_depth; }
    std::size_t paddedDepth() const { return m_paddedDepth; }
    std::size_t panels() const { return (m_columns + panelColumns - 1) / panelColumns; }
    std::size_t bytes() const { return m_memory.size(); }

    /// output[r] = input[r] * matrix (+ bias) (+ output[r]); `input` in the kernels' format, `inputStride` numbers
    /// apart.
    void multiply(Team& team, const void* input, std::size_t rows, std::size_t inputStride, float* output,
                  std::size_t outputStride, const float* bias, bool adds) const;
    /// The weights of output `column` as floats.
    void column(std::size_t column, float* to) const;

private:
    const CpuKernels* m_kernels = nullptr;
    std::size_t m_columns = 0;
    std::size_t m_depth = 0;
    std::size_t m_paddedDepth = 0;
    AlignedMemory m_memory;
};

} // namespace cudal1::decoder
