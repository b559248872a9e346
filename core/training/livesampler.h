// SPDX-License-Identifier: GPL-3.0-or-later
// Draws replies with the weights that are in training.
#pragma once

#include "core/decoder/loadedmodel.h"
#include "core/decoder/replyengine.h"
#include "core/training/trainingmodel.h"

#include <memory>

namespace cudal1::training {

/// The engine of cudal1-model on the device of the training: over our own loops on a CPU that has them for the
/// training's numbers, else over libtorch's operators. It has a copy of the weights in its own numbers and memory of
/// its own for keys and values.
class LiveSampler {
public:
    struct Options {
        std::string path; ///< of the model that the training began with
        std::size_t replies = 64;
        std::size_t cacheBytes = 0;
        int threads = 0;
    };

    /// Tokenizer and listener must outlive it.
    static base::Result<std::unique_ptr<LiveSampler>> make(const TrainingModel& model, const Options& options,
                                                           const decoder::Tokenizer& tokenizer,
                                                           decoder::ReplyListener& listener);

    /// Waits for the replies under way, then has the weights of now.
    void refresh(TrainingModel& model);
    void submit(decoder::ReplyEngine::Request request) { m_engine->submit(std::move(request)); }
    void waitUntilIdle() const;
    std::size_t context() const { return m_model->context; }
    const decoder::TokenSampling& defaults() const { return m_model->defaults; }

private:
    LiveSampler() = default;
    std::unique_ptr<decoder::LoadedModel> m_model;
    std::unique_ptr<decoder::ReplyEngine> m_engine; ///< last: it uses the model
};

} // namespace cudal1::training
