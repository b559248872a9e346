// SPDX-License-Identifier: GPL-3.0-or-later
// The replies that an endpoint has still to get: what waits, what is on its way, what is tried again.
#pragma once

#include "core/models/endpoint.h"
#include "core/models/exchange.h"
#include "core/models/secret.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

class QNetworkAccessManager;

namespace cudal1::models {

/// One question with all its replies. `live` ends with its Question: nothing is told from then on.
struct AskedQuestion {
    policy::ChatRequest request;
    policy::ChatListener listener;
    std::int64_t promptBytes = 0;
    bool live = true;
};

/// For Endpoint alone. Held by shared pointers, since a listener may destroy the endpoint while it is told something.
class EndpointQueue : public QObject {
public:
    EndpointQueue(EndpointSettings settings, std::shared_ptr<Ledger> own, std::shared_ptr<Ledger> run,
                  RetryClock clock);
    ~EndpointQueue() override;

    void add(const std::shared_ptr<AskedQuestion>& question);
    /// Nothing of it is told any more, and its connections are closed.
    void takeBack(AskedQuestion& question);
    /// Everything is taken back, for good.
    void close();
    /// Whether it may be deleted now: it is not at work further up the stack.
    bool idle() const { return m_telling == 0; }

    const EndpointSettings& settings() const { return m_settings; }

private:
    struct Job {
        std::shared_ptr<AskedQuestion> question;
        int reply = 0;
        int attempt = 0; ///< from 0
        bool afterSilence = false;
        RequestForm form;        ///< in which it was sent last
        std::size_t network = 0; ///< that its exchange goes through
        std::unique_ptr<Exchange> exchange;
    };
    using JobPointer = std::shared_ptr<Job>;

    void pumpLater();
    void pump();
    void begin(const JobPointer& job);
    void ended(const JobPointer& job, AttemptOutcome outcome);
    void repeat(const JobPointer& job, const AttemptOutcome& outcome);
    bool mayRepeat(Job& job, const AttemptOutcome& outcome) const;
    void finish(const JobPointer& job, base::Result<policy::ChatReply> result);
    void tell(const std::function<void()>& told);
    base::Status mayAsk() const;
    std::optional<double> secondsLeft() const;
    std::size_t freeNetwork();
    void count(const Job& job, const AttemptOutcome& outcome);

    EndpointSettings m_settings;
    std::vector<std::shared_ptr<Ledger>> m_ledgers;
    RetryClock m_clock;
    std::optional<base::Result<Secret>> m_key; ///< empty: not read yet
    bool m_keyAsked = false;
    int m_telling = 0;      ///< listeners that are being told something
    bool m_pumping = false; ///< a pump is due in the event loop
    RequestForm m_form;     ///< as the server wants it
    struct Network {
        std::unique_ptr<QNetworkAccessManager> manager;
        int busy = 0;
    };
    std::vector<Network> m_networks;
    std::deque<JobPointer> m_waiting;
    std::vector<JobPointer> m_active; ///< each holds one of the `parallel` places
};

} // namespace cudal1::models
