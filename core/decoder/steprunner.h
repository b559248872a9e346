// SPDX-License-Identifier: GPL-3.0-or-later
// What computes: a decoder with a paged cache, on some device.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cudal1::decoder {

/// One token whose keys and values are to be computed. Rows of one text that come in one step must be in order.
struct StepRow {
    int token = 0;
    int position = 0;
    int rotaryLength = 0;                    ///< tokens of the text by which the dynamic scaling of the rotation goes
    const std::vector<int>* table = nullptr; ///< blocks of the text; all positions up to this one have a place there
    bool wantsLogits = false;
};

/// Used by one thread. Throws std::exception's kin where the device fails (out of memory, a lost GPU).
class StepRunner {
public:
    virtual ~StepRunner() = default;
    virtual std::string name() const = 0; ///< "cpu avx512_bf16", "cuda:0 bfloat16"
    virtual int blocks() const = 0;       ///< of the paged cache, blockTokens tokens each
    virtual std::size_t vocabulary() const = 0;
    virtual std::size_t cacheBytes() const = 0;  ///< when all blocks are in use
    virtual std::size_t weightBytes() const = 0; ///< as they are held in memory
    /// Computes the rows, keeps their keys and values, and gives the logits of those that want them, one after the
    /// other. They are valid until the next call. At most maxRows() rows.
    virtual std::span<const float> run(std::span<const StepRow> rows) = 0;
    virtual std::size_t maxRows() const = 0;
    /// Keys and values of one block into another.
    virtual void copyBlock(int from, int to) = 0;
};

} // namespace cudal1::decoder
