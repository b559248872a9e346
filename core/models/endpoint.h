// SPDX-License-Identifier: GPL-3.0-or-later
// A model behind an OpenAI-compatible server.
#pragma once

#include "core/models/endpointsettings.h"
#include "core/models/ledger.h"
#include "core/policy/chatmodel.h"

#include <chrono>
#include <functional>
#include <memory>

class QObject;

namespace cudal1::models {

class EndpointQueue;

/// Waiting and chance of retries; tests put their own in.
struct RetryClock {
    /// Calls `then` from the event loop after `pause`, unless `context` is gone.
    std::function<void(std::chrono::milliseconds pause, QObject* context, std::function<void()> then)> later;
    std::function<double()> random; ///< from 0 to 1
    static RetryClock real();
};

/// Each reply is a request of its own, so that each streams, fails and is tried again alone; servers that keep what
/// they have read of a prompt read a shared one once. At most `parallel` requests are on their way at a time, those
/// that wait for another attempt among them: a server that is busy is asked for less.
///
/// The limits of the settings count by `own`, and where none is given from the first question of this object; those of
/// `run` are shared with the other models of the run. Of a reply that comes in one piece the partial text is all of it.
/// Everything is told from the event loop, never from within ask(). An endpoint that is destroyed takes all its
/// questions back. The key is read when the first question is asked.
class Endpoint : public policy::ChatModel {
public:
    explicit Endpoint(EndpointSettings settings, std::shared_ptr<Ledger> run = nullptr,
                      RetryClock clock = RetryClock::real(), std::shared_ptr<Ledger> own = nullptr);
    ~Endpoint() override;

    std::string name() const override; ///< "endpoint: NAME"
    std::unique_ptr<policy::Question> ask(const policy::ChatRequest& request, policy::ChatListener listener) override;

    const EndpointSettings& settings() const;
    const Ledger& ledger() const; ///< of this model alone

private:
    std::shared_ptr<Ledger> m_own;
    std::shared_ptr<EndpointQueue> m_queue;
};

} // namespace cudal1::models
