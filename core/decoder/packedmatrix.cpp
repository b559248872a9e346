// SPDX-License-Identifier: GPL-3.0-or-later
// Packs matrices into panels and multiplies with them.
#include "core/decoder/packedmatrix.h"

#include "core/modelfiles/tensorformat.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

namespace cudal1::decoder {

using modelfiles::fromBfloat;
using modelfiles::toBfloat;

AlignedMemory::AlignedMemory(std::size_t bytes) : m_size(bytes)
{
    if (bytes == 0)
        return;
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        throw std::bad_alloc();
    ::madvise(data, bytes, MADV_HUGEPAGE);
    m_data = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(data), Unmap{bytes});
}

void AlignedMemory::Unmap::operator()(std::byte* data) const
{
    ::munmap(data, bytes);
}

namespace {

/// Where weight `k` of the panel's output `c` is.
std::size_t placeOf(bool isBf16, std::size_t k, std::size_t c)
{
    return isBf16 ? k / 2 * 2 * panelColumns + 2 * c + k % 2 : k * panelColumns + c;
}

} // namespace

PackedMatrix::PackedMatrix(const CpuKernels& kernels, std::size_t columns, std::size_t depth, const Rows& rows,
                           Team& team)
    : m_kernels(&kernels), m_columns(columns), m_depth(depth), m_paddedDepth((depth + 1) / 2 * 2)
{
    const std::size_t panelNumbers = panelColumns * m_paddedDepth;
    m_memory = AlignedMemory(panels() * panelNumbers * (kernels.isBf16 ? 2 : 4));
    team.run(panels(), 1, [&](std::size_t begin, std::size_t end, int) {
        std::vector<float> buffer(panelColumns * depth);
        for (std::size_t panel = begin; panel < end; ++panel) {
            const std::size_t first = panel * panelColumns;
            const std::size_t count = std::min(panelColumns, columns - first);
            rows(first, count, buffer.data());
            auto* halves = reinterpret_cast<std::uint16_t*>(m_memory.data()) + panel * panelNumbers;
            auto* floats = reinterpret_cast<float*>(m_memory.data()) + panel * panelNumbers;
            for (std::size_t c = 0; c < count; ++c)
                for (std::size_t k = 0; k < depth; ++k) {
                    if (kernels.isBf16)
                        halves[placeOf(true, k, c)] = toBfloat(buffer[c * depth + k]);
                    else
                        floats[placeOf(false, k, c)] = buffer[c * depth + k];
                }
        }
    });
}

void PackedMatrix::multiply(Team& team, const void* input, std::size_t rows, std::size_t inputStride, float* output,
                            std::size_t outputStride, const float* bias, bool adds) const
{
    MultiplyTask task{input, rows,      inputStride, m_paddedDepth, m_memory.data(), 0,
                      0,     m_columns, bias,        output,        outputStride,    adds};
    // A piece is a few panels in a row, each of which asks for the next one ahead, and is worth its handing over from
    // about 100 KB of weights on. Long matrices have more pieces, so that the threads end together.
    const std::size_t bytes = panelColumns * m_paddedDepth * (m_kernels->isBf16 ? 2 : 4);
    const std::size_t pieces = static_cast<std::size_t>(team.size()) * (panels() > 200 ? 8 : 2);
    const std::size_t grain = std::max((panels() + pieces - 1) / pieces, 100'000 / (bytes * (1 + rows / 8)));
    team.run(panels(), grain, [&](std::size_t begin, std::size_t end, int) {
        MultiplyTask part = task;
        part.firstPanel = begin;
        part.lastPanel = end;
        m_kernels->multiply(part);
    });
}

void PackedMatrix::column(std::size_t column, float* to) const
{
    const std::size_t begin = column / panelColumns * panelColumns * m_paddedDepth, c = column % panelColumns;
    const auto* halves = reinterpret_cast<const std::uint16_t*>(m_memory.data()) + begin;
    const auto* floats = reinterpret_cast<const float*>(m_memory.data()) + begin;
    for (std::size_t k = 0; k < m_depth; ++k)
        to[k] = m_kernels->isBf16 ? fromBfloat(halves[placeOf(true, k, c)]) : floats[placeOf(false, k, c)];
}

} // namespace cudal1::decoder
