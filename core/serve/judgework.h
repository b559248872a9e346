// SPDX-License-Identifier: GPL-3.0-or-later
// The requests of a JudgeService that are open, on their way to the crew and back.
#pragma once

#include "core/serve/judgeservice.h"
#include "core/serve/servedqueue.h"

#include <map>
#include <optional>

namespace cudal1::serve {

/// Equal for requests that one evaluation answers. The seed is the one asked for: 0 goes with any that is drawn.
std::string keyOf(const Ask& ask);
base::Error serverEnding();

/// For JudgeService alone, whose signals it emits.
class JudgeWork : public QObject {
public:
    struct Client {
        TicketId ticket = 0; ///< 0: only an accepted request, which nobody waits for
        std::string name;
        TicketListener listener;
        std::optional<ServedQueue::Entry> entry;
    };
    struct Work {
        Ask ask;
        std::string key;
        std::uint64_t seed = 0;
        std::vector<Client> clients;
        bool begun = false;
    };

    JudgeWork(JudgeService* owner, store::Project& p, crew::Crew& c, ServiceLimits l)
        : q(owner), project(p), crew(c), limits(l), queue(p)
    {
        connect(&crew, &crew::Crew::done, this,
                [this](quint64 job, const crew::JobOutcome& outcome) { take(job, outcome); });
        connect(&crew, &crew::Crew::progress, this, [this](quint64 job, const protocol::Progress& seen) {
            const auto it = works.find(job);
            if (it == works.end())
                return;
            it->second.begun = true;
            for (const Client& client : std::vector(it->second.clients))
                if (client.listener.progress)
                    client.listener.progress(seen);
        });
        connect(&crew, &crew::Crew::log, this, [this](const QString& line) { emit q->log(line); });
    }

    base::Status room(const std::vector<Ask>& asks) const;
    std::optional<JudgeAnswer> fromStore(const Ask& ask) const;
    Work& workFor(const Ask& ask, std::uint64_t seed, crew::JobId& job);
    crew::JobId send(Work work);
    void count(const std::string& client, int by);
    void forget(const Client& client);
    void take(crew::JobId job, const crew::JobOutcome& outcome);
    JudgeAnswer store(const Work& work, const protocol::Evaluation& evaluation);
    void answer(const Work& work, const JudgeAnswer& answer);
    void park(Work work);
    void unpark();
    const protocol::DeviceInfo& device(const std::string& name) const;

    JudgeService* q;
    store::Project& project;
    crew::Crew& crew;
    ServiceDefaults served;
    ServiceLimits limits;
    ServedQueue queue;
    std::map<crew::JobId, Work> works; ///< in the order submitted
    std::map<std::string, crew::JobId> byKey;
    std::map<TicketId, crew::JobId> jobOf;       ///< 0 for what is answered from the store in a moment
    std::map<std::string, crew::JobId> accepted; ///< by id
    std::map<std::string, int> perClient;
    int open = 0;
    TicketId lastTicket = 0;
    double typical_s = 10; ///< of one evaluation, the newer the weightier
    std::vector<Work> parked;
    bool stopped = false;
};

} // namespace cudal1::serve
