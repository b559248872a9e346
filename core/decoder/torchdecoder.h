// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder by libtorch's operators with a paged cache: on a GPU, or on the CPU to compare with.
#pragma once

#include "core/base/result.h"
#include "core/decoder/checkpoint.h"
#include "core/decoder/steprunner.h"

#include <ATen/core/ATen_fwd.h>

#include <map>
#include <memory>
#include <string>

namespace cudal1::decoder {

/// On a GPU a step in which every text has one row is a CUDA graph, captured once for each power of two of rows and of
/// blocks. CUDAL1_NO_CUDA_GRAPH=1 leaves that out.
class TorchDecoder : public StepRunner {
public:
    struct Options {
        std::string device = "cpu"; ///< "cpu", "cuda", "cuda:0"
        std::string numbers;        ///< "float32", "bfloat16"
        int blocks = 1;
        std::size_t context = 0;
        std::size_t maxRows = 512;
    };

    /// Checks the device, chooses the numbers where none are given, and says how many bytes are free there.
    static base::Result<std::size_t> prepare(Options& options);
    static std::size_t bytesOfBlock(const modelfiles::DecoderConfig& config, const std::string& numbers);
    /// Unavailable where the device's memory is not enough.
    static base::Result<std::unique_ptr<TorchDecoder>> make(const Checkpoint& checkpoint, const Options& options);

    /// Copies the weights of a model of the same shape, as one in training has them, rounded to this one's numbers.
    /// Replies under way would go on with a cache of the old ones: let them end first.
    void take(const std::map<std::string, const at::Tensor*>& weights);

    ~TorchDecoder() override;
    std::string name() const override;
    int blocks() const override;
    std::size_t vocabulary() const override;
    std::size_t cacheBytes() const override;
    std::size_t weightBytes() const override;
    void compute(std::span<const StepRow> rows) override;
    std::span<const float> logits() override;
    bool draw(std::span<const TokenWanted> wanted, std::span<Drawn> drawn) override;
    std::size_t maxRows() const override;
    void copyBlock(int from, int to) override;

private:
    struct State; ///< tensors; this header is for files without torch
    explicit TorchDecoder(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

} // namespace cudal1::decoder
