// SPDX-License-Identifier: GPL-3.0-or-later
// What computes: a decoder with a paged cache, on some device.
#pragma once

#include "core/decoder/sampler.h"

#include <cstddef>
#include <cstdint>
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

/// A token that is to be drawn from the logits of a row.
struct TokenWanted {
    TokenSampling drawing;
    std::uint64_t number = 0; ///< of the token in its reply, from 0
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
    /// Computes the rows and keeps their keys and values. At most maxRows() rows.
    virtual void compute(std::span<const StepRow> rows) = 0;
    /// Of those rows of the last compute() that want logits, one after the other; valid until the next one.
    virtual std::span<const float> logits() = 0;
    /// Draws a token for each of these rows where the device has their logits and can: `wanted` has one entry for each.
    /// False: nothing was drawn, and logits() is to be drawn from.
    virtual bool draw(std::span<const TokenWanted> wanted, std::span<Drawn> drawn)
    {
        static_cast<void>(wanted);
        static_cast<void>(drawn);
        return false;
    }
    std::span<const float> run(std::span<const StepRow> rows)
    {
        compute(rows);
        return logits();
    }
    virtual std::size_t maxRows() const = 0;
    /// Keys and values of one block into another.
    virtual void copyBlock(int from, int to) = 0;
};

} // namespace cudal1::decoder
