// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of a decoder for processors with tiles of bfloat16 (AMX): products by tiles, and all else with
// AVX-512. A panel lies in memory as the processor wants a tile of weights.
#define CUDAL1_TILE_ROWS 32
#define CUDAL1_BF16 1
#define CUDAL1_OWN_PRODUCTS 1
#include "core/decoder/kernelbody.h"

namespace cudal1::decoder {
namespace {

constexpr std::size_t tileRows = 16, tileDepth = 32;                    // numbers
constexpr std::size_t weightStride = 2 * panelColumns * sizeof(Stored); // bytes between pairs of the depth
constexpr std::size_t sumStride = panelColumns * sizeof(float);

/// What the processor is told of its eight tiles. 0 to 2 have the sums of up to 16 rows and 48 columns, and 6 the
/// input. 3 to 5 have weights, or the sums of 16 rows more while 7 has the weights.
struct alignas(64) TileShapes {
    std::uint8_t palette = 1, firstRow = 0, reserved[14] = {};
    std::uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {};
};

/// For blocks of so many rows.
void shapeTiles(std::size_t rows)
{
    TileShapes shapes;
    for (std::size_t i = 0; i < 8; ++i)
        shapes.rows[i] = static_cast<std::uint8_t>(i < 3 || i == 6 ? rows : tileRows);
    asm volatile("" : : "r"(&shapes) : "memory"); // the compiler does not know that all of it is read
    _tile_loadconfig(&shapes);
}

CUDAL1_INLINE void ask(Ahead& ahead)
{
    constexpr std::size_t pairs = tileDepth / depthStep;
    for (std::size_t i = 0; i < pairs * ahead.lines && ahead.from < ahead.end; ++i, ahead.from += lineBytes)
        __builtin_prefetch(ahead.from, 0, 2);
}

/// Sums of `whole` numbers of the depth, [rows][panelColumns].
void sumsOf16(const Stored* input, const Stored* columns, std::size_t inputBytes, std::size_t whole, Ahead& ahead,
              float* sums)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    for (std::size_t k = 0; k < whole; k += tileDepth, input += tileDepth, columns += tileDepth * panelColumns) {
        ask(ahead);
        _tile_loadd(6, input, inputBytes);
        _tile_loadd(3, columns, weightStride);
        _tile_loadd(4, columns + 2 * lanes, weightStride);
        _tile_loadd(5, columns + 4 * lanes, weightStride);
        _tile_dpbf16ps(0, 6, 3);
        _tile_dpbf16ps(1, 6, 4);
        _tile_dpbf16ps(2, 6, 5);
    }
    _tile_stored(0, sums, sumStride);
    _tile_stored(1, sums + lanes, sumStride);
    _tile_stored(2, sums + 2 * lanes, sumStride);
}

/// The same of 32 rows, so that each tile of weights is read once for two of the input.
void sumsOf32(const Stored* input, const Stored* columns, std::size_t inputBytes, std::size_t whole, Ahead& ahead,
              float* sums)
{
    const Stored* second = input + tileRows * inputBytes / sizeof(Stored);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    for (std::size_t k = 0; k < whole; k += tileDepth, columns += tileDepth * panelColumns) {
        ask(ahead);
        _tile_loadd(7, columns, weightStride);
        _tile_loadd(6, input + k, inputBytes);
        _tile_dpbf16ps(0, 6, 7);
        _tile_loadd(6, second + k, inputBytes);
        _tile_dpbf16ps(3, 6, 7);
        _tile_loadd(7, columns + 2 * lanes, weightStride);
        _tile_dpbf16ps(4, 6, 7);
        _tile_loadd(6, input + k, inputBytes);
        _tile_dpbf16ps(1, 6, 7);
        _tile_loadd(7, columns + 4 * lanes, weightStride);
        _tile_dpbf16ps(2, 6, 7);
        _tile_loadd(6, second + k, inputBytes);
        _tile_dpbf16ps(5, 6, 7);
    }
    _tile_stored(0, sums, sumStride);
    _tile_stored(1, sums + lanes, sumStride);
    _tile_stored(2, sums + 2 * lanes, sumStride);
    _tile_stored(3, sums + tileRows * panelColumns, sumStride);
    _tile_stored(4, sums + tileRows * panelColumns + lanes, sumStride);
    _tile_stored(5, sums + tileRows * panelColumns + 2 * lanes, sumStride);
}

/// Rows from this one on, of one panel. What of the depth fills no tile is added pair by pair.
void block(const MultiplyTask& task, std::size_t row, std::size_t rows, std::size_t panel)
{
    alignas(64) float sums[2 * tileRows * panelColumns];
    Ahead ahead = aheadOf(task, row, panel);
    const std::size_t whole = task.depth / tileDepth * tileDepth;
    const auto* input = static_cast<const Stored*>(task.input) + row * task.inputStride;
    const auto* columns = static_cast<const Stored*>(task.panels) + panel * panelColumns * task.depth;
    (rows > tileRows ? sumsOf32 : sumsOf16)(input, columns, task.inputStride * sizeof(Stored), whole, ahead, sums);
    for (std::size_t r = 0; r < rows; ++r) {
        Vec all48[panelVecs];
        for (std::size_t v = 0; v < panelVecs; ++v) {
            all48[v] = load(sums + r * panelColumns + v * lanes);
            for (std::size_t k = whole; k < task.depth; k += depthStep)
                all48[v] = stepSum(all48[v], columns + k * panelColumns + v * lanes * depthStep,
                                   input + r * task.inputStride + k);
        }
        saveSums(task, row + r, panel, all48);
    }
}

void multiply(const MultiplyTask& task)
{
    std::size_t shaped = 0; // rows that the tiles have now
    const auto shape = [&](std::size_t rows) {
        if (rows != shaped)
            shapeTiles(rows);
        shaped = rows;
    };
    for (std::size_t panel = task.firstPanel; panel < task.lastPanel; ++panel)
        for (std::size_t row = 0; row < task.rows;) {
            const std::size_t left = task.rows - row;
            const std::size_t rows = left >= 2 * tileRows ? 2 * tileRows : left >= tileRows ? tileRows : left;
            shape(rows < tileRows ? rows : tileRows);
            block(task, row, rows, panel);
            row += rows;
        }
    _tile_release(); // so that nobody has to keep them when another thread gets this core
}

} // namespace

const CpuKernels amxBf16Kernels{"amx_bf16", CUDAL1_BF16 == 1, multiply, attend, normalise, gate, greatest, expSums};

} // namespace cudal1::decoder
