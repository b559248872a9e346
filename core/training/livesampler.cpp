// SPDX-License-Identifier: GPL-3.0-or-later
// A sampler beside a model in training.
#include "core/training/livesampler.h"

#include "core/decoder/cpudecoder.h"

#include <poll.h>

#include <algorithm>

namespace cudal1::training {

namespace {

/// libtorch's operators on a GPU, and on a CPU without loops of ours for these numbers.
bool needsTorch(const decoder::ModelOptions& options)
{
    const bool isBf16 = options.numbers == "bfloat16";
    const auto kernels = decoder::cpuKernels();
    return options.device != "cpu" ||
           std::none_of(kernels.begin(), kernels.end(), [&](const auto* own) { return own->isBf16 == isBf16; });
}

} // namespace

base::Result<std::unique_ptr<LiveSampler>> LiveSampler::make(const TrainingModel& model, const Options& options,
                                                             const decoder::Tokenizer& tokenizer,
                                                             decoder::ReplyListener& listener)
{
    decoder::ModelOptions chosen;
    chosen.path = options.path;
    chosen.device = model.settings().device;
    chosen.numbers = model.settings().numbers == "float64" ? "float32" : model.settings().numbers;
    chosen.engine = needsTorch(chosen) ? "torch" : "";
    chosen.threads = options.threads;
    chosen.cacheBytes = options.cacheBytes;
    chosen.maxReplies = options.replies;
    auto loaded = decoder::loadModel(chosen);
    if (!loaded)
        return loaded.error();
    std::unique_ptr<LiveSampler> out(new LiveSampler);
    out->m_model = std::move(*loaded);
    out->m_engine = std::make_unique<decoder::ReplyEngine>(*out->m_model, tokenizer, listener);
    return out;
}

void LiveSampler::waitUntilIdle() const
{
    constexpr int again_ms = 1;
    while (!m_engine->idle())
        ::poll(nullptr, 0, again_ms);
}

void LiveSampler::refresh(TrainingModel& model)
{
    waitUntilIdle();
    if (auto* cpu = dynamic_cast<decoder::CpuDecoder*>(m_model->runner.get()))
        model.give(*cpu);
    else
        model.give(static_cast<decoder::TorchDecoder&>(*m_model->runner)); // the only other one that loadModel() makes
}

} // namespace cudal1::training
