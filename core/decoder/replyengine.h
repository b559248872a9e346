// SPDX-License-Identifier: GPL-3.0-or-later
// The thread on which replies are drawn.
#pragma once

#include "core/decoder/batch.h"
#include "core/decoder/loadedmodel.h"
#include "core/decoder/replytext.h"
#include "core/decoder/tokenizer.h"
#include "core/protocol/localmodelmessages.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace cudal1::decoder {

/// What is told of requests. Called on the engine's thread.
class ReplyListener {
public:
    virtual ~ReplyListener() = default;
    virtual void added(std::uint64_t id, const protocol::ReplyPart& part) = 0;
    virtual void replied(std::uint64_t id, const protocol::GeneratedReply& reply) = 0;
    virtual void cancelled(std::uint64_t id) = 0;
    /// The device failed: nothing more will come of any request.
    virtual void failed(const std::string& problem) = 0;
};

class ReplyEngine : private BatchListener {
public:
    struct Request {
        std::uint64_t id = 0;
        std::vector<int> prompt;
        std::size_t replies = 1;
        std::size_t maxTokens = 1;
        TokenSampling drawing;
        std::vector<std::string> stop;
        bool partials = true;
        bool logprobs = false;
        bool tokens = false;
        std::chrono::steady_clock::time_point came = std::chrono::steady_clock::now();
    };

    /// Model, tokenizer and listener must outlive it.
    ReplyEngine(LoadedModel& model, const Tokenizer& tokenizer, ReplyListener& listener);
    ~ReplyEngine() override; ///< stops within a step; what is under way is forgotten

    // From any thread.
    void submit(Request request);
    void cancel(std::uint64_t id);
    bool idle() const;
    std::size_t running() const { return m_runningNow; }
    std::size_t waiting() const { return m_waitingNow; }

private:
    struct Written {
        ReplyText text;
        std::vector<float> logprobs;
        std::vector<int> drawn; ///< where tokens are asked for
        int tokens = 0;
    };
    struct Open {
        Request request;
        std::vector<Written> replies;
        std::size_t left = 0;
    };

    void work();
    bool receive(); ///< false when it is to end
    bool drawn(std::uint64_t id, std::size_t reply, const Drawn& drawn) override;
    void drewEnd(std::uint64_t id, std::size_t reply, const Drawn& drawn) override;
    void finished(std::uint64_t id, std::size_t reply, bool ended) override;

    LoadedModel& m_model;
    const Tokenizer& m_tokenizer;
    ReplyListener& m_listener;
    Batch m_batch;
    std::map<std::uint64_t, Open> m_open;

    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::vector<Request> m_submitted;
    std::vector<std::uint64_t> m_cancels;
    bool m_ends = false;
    bool m_isBusy = false;
    std::atomic<std::size_t> m_runningNow{0}, m_waitingNow{0};
    std::thread m_thread; ///< last: it starts when all else is there
};

} // namespace cudal1::decoder
