// SPDX-License-Identifier: GPL-3.0-or-later
// What goes on behind a Crew: jobs on their way from the queue to an evaluator and back.
#pragma once

#include "core/crew/crew.h"

#include <QElapsedTimer>

#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace cudal1::crew {

/// Decides which seat gets which job, and whose fault it is when an evaluator dies. It emits the signals of its Crew,
/// which alone uses it, on the same thread.
class Dispatcher : public QObject {
public:
    /// A job that has no outcome yet, and those who wait for it.
    struct Open {
        CrewJob job;
        QByteArray text;            ///< of the request, by which equal ones are found; empty where it may not be shared
        std::vector<JobId> clients; ///< the numbers under which it was submitted, one for each who waits
        int deaths = 0;             ///< how often its evaluator has died while this was its only job
        bool suspect = false;       ///< its evaluator died beside other jobs: next time it is sent alone
        bool cancelled = false;
        std::optional<base::Error> lost; ///< why it is cancelled, where no client has asked for that
        QElapsedTimer sent;              ///< since it was last sent to an evaluator
    };
    /// A place at which one evaluator at a time works.
    struct Seat {
        int number = 0; ///< in the order of Crew::add(), from 0
        farm::Launcher launcher;
        std::unique_ptr<farm::Evaluator> evaluator; ///< null before the first job
        std::string device;                         ///< that it judges on; empty: the one that each request names
        QStringList environment;                    ///< variables that the evaluator was started with
        bool worn = false;                          ///< the evaluator is exchanged before its next job
        bool gone = false;                          ///< it gets no job any more
        bool greeted = false;                       ///< the evaluator has said hello, so it may have begun a job
        int fatalInARow = 0;                        ///< evaluations that were fatal here, since the last answer
        std::map<farm::RequestId, JobId> flights;   ///< jobs that the evaluator has, in the order in which it got them
        /// Jobs whose requests have failed because the evaluator died. They are looked at when `stopped` says that
        /// there are no more.
        std::vector<std::pair<JobId, base::Error>> lost;
    };

    Dispatcher(Crew* owner, const Rules& given) : q(owner), rules(given) {}

    void listen(Seat& seat);
    void schedule();
    void fill();
    int burdenOf(const Seat& seat, const Open& open) const;
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
    std::vector<std::unique_ptr<Seat>> seats; ///< connections hold pointers to them
    std::map<JobId, Open> open;               ///< by the number of the first client, who may have cancelled since
    std::map<JobId, JobId> workOf;            ///< for a client who shares another's job: its key in `open`
    std::deque<JobId> waiting;                ///< keys in `open` of jobs that no evaluator has
    JobId lastId = 0;
    bool scheduled = false; ///< fill() will be called from the event loop
};

} // namespace cudal1::crew
