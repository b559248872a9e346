// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs on their way from the queue to an evaluator and back.
#pragma once

#include "core/crew/crew.h"

#include <QElapsedTimer>

#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace cudal1::crew {

/// What becomes of the jobs of a crew: which seat gets which, and whose fault it is when an evaluator dies. For Crew
/// alone, whose signals it emits.
class Dispatcher : public QObject {
public:
    /// A request, and who waits for its outcome.
    struct Open {
        CrewJob job;
        QByteArray text; ///< of the request, where it may be shared
        std::vector<JobId> clients;
        int deaths = 0;
        bool suspect = false; ///< it was with an evaluator that died, and goes alone next
        bool cancelled = false;
        std::optional<base::Error> lost; ///< why it was cancelled, where nobody asked for that
        QElapsedTimer sent;
    };
    /// A place where one evaluator at a time is at work.
    struct Seat {
        int number = 0;
        farm::Launcher launcher;
        std::unique_ptr<farm::Evaluator> evaluator; ///< null before the first job
        std::string device;
        QStringList environment;
        bool worn = false;
        bool gone = false;    ///< it gets no job any more
        bool greeted = false; ///< the evaluator has said hello: it may have seen a job
        int fatalInARow = 0;
        std::map<farm::RequestId, JobId> flights; ///< in the order sent
        std::vector<std::pair<JobId, base::Error>>
            lost; ///< by the evaluator's death, until `stopped` says that these are all
    };

    Dispatcher(Crew* owner, const Rules& given) : q(owner), rules(given) {}

    void listen(Seat& seat);
    void schedule();
    void fill();
    bool mayGo(const Seat& seat, const Open& open) const;
    void exchange(Seat& seat, const QStringList& environment);
    void send(Seat& seat, JobId id);
    void takeAnswer(Seat& seat, farm::RequestId request, const farm::Answer& answer);
    void takeFailure(Seat& seat, farm::RequestId request, const base::Error& error);
    void takeEnd(Seat& seat);
    void requeue(JobId id);
    JobOutcome cancelledOutcome(JobId id) const;
    void blame(Seat& seat, JobId id, const base::Error& error);
    void lose(Seat& seat, const base::Error& error);
    void breakDown(const base::Error& error);
    void cancel(JobId client);
    void cancelWork(JobId id);
    JobId add(CrewJob job, bool first);
    std::optional<JobId> equalTo(const CrewJob& job, const QByteArray& text) const;
    void conclude(JobId id, JobOutcome outcome);
    void concludeLater(JobId id, const JobOutcome& outcome);
    std::optional<JobId> landed(Seat& seat, farm::RequestId request);

    Crew* q;
    Rules rules;
    std::vector<std::unique_ptr<Seat>> seats; ///< their addresses are kept by connections
    std::map<JobId, Open> open;               ///< by its first client, who may have gone
    std::map<JobId, JobId> workOf;            ///< of clients that share what another has submitted
    std::deque<JobId> waiting;
    JobId lastId = 0;
    bool scheduled = false;
};

} // namespace cudal1::crew
