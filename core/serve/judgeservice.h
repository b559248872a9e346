// SPDX-License-Identifier: GPL-3.0-or-later
// The judge as a service: whoever asks, over HTTP, a WebSocket or the Model Context Protocol, asks here. Requests go to
// one crew, equal ones in flight share one judging, and everything that is judged is stored in the project.
//
// Lives on one thread with an event loop, together with its Project and Crew, which must outlive it. Never blocks for
// longer than a transaction takes.
#pragma once

#include "core/crew/crew.h"
#include "core/serve/ask.h"
#include "core/serve/judgeanswer.h"

#include <QObject>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::serve {

using TicketId = quint64;

struct ServiceLimits {
    int open = 1024;     ///< requests that are not answered yet, of all clients
    int perClient = 512; ///< of one
};

/// Called from the event loop, never from within the call that made the request.
struct TicketListener {
    std::function<void(const protocol::Progress&)> progress; ///< may be empty
    std::function<void(const JudgeAnswer&)> done;            ///< exactly once, unless the ticket is cancelled
};

class JudgeWork;

class JudgeService : public QObject {
    Q_OBJECT
public:
    JudgeService(store::Project& project, crew::Crew& crew, ServiceLimits limits = {}, QObject* parent = nullptr);
    ~JudgeService() override;

    /// What there is to judge on; where the crew's seats have devices, they are these. Needed before anything is
    /// submitted, accepted or taken up.
    void setServed(ServiceDefaults served);
    const ServiceDefaults& served() const; ///< without devices before setServed()
    /// Goes on with what earlier processes accepted and did not judge; gives their number.
    base::Result<int> takeUp();

    /// LimitReached where the queue or the client's share of it is full.
    base::Result<TicketId> submit(const Ask& ask, TicketListener listener);
    /// All or none.
    base::Result<std::vector<TicketId>> submit(const std::vector<Ask>& asks,
                                               const std::function<TicketListener(std::size_t)>& listener);
    /// The listener is told nothing more. What nobody waits for is not judged.
    void cancel(TicketId ticket);

    /// Requests that are kept until they are judged, whatever becomes of this process: their ids. All or none.
    base::Result<std::vector<std::string>> accept(const std::vector<Ask>& asks);
    struct State {
        std::string word;   ///< "waiting", "judging", "done", "failed", "withdrawn"
        int position = -1;  ///< evaluations before it; -1 where it is over
        JudgeAnswer answer; ///< where it is done or failed
    };
    base::Result<State> state(const std::string& id) const; ///< NotFound for an unknown id
    /// `done` follows when the request is over; empty (0) where it is already, or unknown.
    TicketId watch(const std::string& id, TicketListener listener);
    /// InvalidArgument when it is over.
    base::Status withdraw(const std::string& id);

    /// Evaluations before this one; -1 for a ticket that is over.
    int position(TicketId ticket) const;
    int open() const; ///< requests without an answer
    /// Seconds until there is probably room again, from 1 to 600.
    int retryAfter_s() const;

    /// Answers everything that is open with Cancelled and takes no more. What was accepted is judged by the next
    /// process.
    void stop();

signals:
    void log(const QString& line);                                         ///< for a person, one line
    void judged(const cudal1::serve::JudgeAnswer& answer, double seconds); ///< once for each judging
    void refused(const cudal1::base::Error& error);                        ///< submit() or accept() said no
    void shared();                                                         ///< a request was joined to an equal one
    void answeredFromStore();

private:
    std::unique_ptr<JudgeWork> d;
};

} // namespace cudal1::serve
