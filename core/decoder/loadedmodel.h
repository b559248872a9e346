// SPDX-License-Identifier: GPL-3.0-or-later
// A model that is ready to answer: files, weights, cache and what it was told.
#pragma once

#include "core/base/result.h"
#include "core/decoder/checkpoint.h"
#include "core/decoder/cpukernels.h"
#include "core/decoder/sampler.h"
#include "core/decoder/steprunner.h"
#include "core/decoder/team.h"

#include <memory>
#include <string>

namespace cudal1::decoder {

struct ModelOptions {
    std::string path;            ///< a Hugging Face folder or a .gguf file
    std::string device = "cpu";  ///< "cpu", "cuda", "cuda:0"
    std::string numbers;         ///< "float32", "bfloat16"; empty: what the device is fast at
    std::string engine;          ///< "torch": libtorch's operators on the CPU too; empty: the fastest
    int threads = 0;             ///< 0: one for each core that this process may use
    std::size_t context = 0;     ///< tokens; 0: the model's own
    std::size_t cacheBytes = 0;  ///< of keys and values; 0: a quarter of the free memory, and no more than can be used
    std::size_t maxReplies = 64; ///< at work at once
};

struct LoadedModel {
    ModelOptions options;
    std::unique_ptr<Checkpoint> checkpoint;
    std::unique_ptr<Team> team;
    const CpuKernels* samplingKernels = nullptr;
    std::unique_ptr<StepRunner> runner;
    std::string numbers;     ///< "float32", "bfloat16"
    std::size_t context = 0; ///< tokens of prompt and reply together
    TokenSampling defaults;  ///< what the model's files recommend
    double loadSeconds = 0;
};

/// Opens the files and reads the weights. InvalidArgument for options that make no sense here, Unavailable where the
/// device or the memory is missing, and what Checkpoint::open() says.
base::Result<std::unique_ptr<LoadedModel>> loadModel(const ModelOptions& options);

/// Bytes of memory that new work can have; 0 where the system does not say.
std::size_t availableMemory();

} // namespace cudal1::decoder
