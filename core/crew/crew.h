// SPDX-License-Identifier: GPL-3.0-or-later
// A set of evaluators that takes requests and gives exactly one outcome for each.
//
// Each place in the crew is a seat, at which one evaluator at a time works. The crew sends several requests ahead to
// each evaluator, so that the next candidates are built while one is measured. When an evaluator dies, the requests
// that it had are sent again one at a time, so that the blame falls on the right one. A request that ends its evaluator
// twice is not sent again. When the device of a seat is gone, the other seats take over its requests.
//
// Lives on one thread with an event loop, together with its evaluators. It blocks only for a moment, where an evaluator
// is exchanged or ended.
#pragma once

#include "core/base/result.h"
#include "core/farm/evaluator.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <string>
#include <vector>

namespace cudal1::crew {

using JobId = quint64;

/// A request, and what it needs beyond its place in the queue.
struct CrewJob {
    farm::Request request; ///< where the seat has a device, that takes the place of the request's, unless it is "meta"
    std::string name;      ///< for a person: "2/14, variant 7"
    bool alone = false;    ///< the evaluator has no other request while it has this one
    QStringList environment; ///< variables that the evaluator is started with, as "NAME=value"
    /// When an equal request that may be shared too has no outcome yet, this one is not sent: it gets the outcome of
    /// the other. The work is cancelled when everybody who waits for it has cancelled it.
    bool shared = false;
};

/// A job that asks what the machine of an evaluator has. Several callers may share it.
CrewJob describing();

/// What became of a job.
struct JobOutcome {
    enum class Kind {
        Answered,  ///< `answer` is there
        Refused,   ///< the evaluator answered that it cannot do this; it would answer the same again
        Fatal,     ///< the evaluator ended each time this job was tried, with no other job beside it
        Cancelled, ///< by cancel() or cancelWaiting()
        Lost,      ///< no seat works any more; broken() has said why
    };
    Kind kind = Kind::Answered;
    farm::Answer answer = {}; ///< its type follows from the request's; an evaluation's verdict is never Cancelled
    base::Error error = {};   ///< meaningful for every kind but Answered
    double seconds = 0;       ///< from when the request was last sent to its outcome; 0 for Cancelled and Lost

    /// The evaluation, where an EvaluateRequest was answered; null otherwise.
    std::shared_ptr<const protocol::Evaluation> evaluation() const;
};

struct Rules {
    int ahead = 32; ///< how many requests each evaluator has at a time
    int tries = 2;  ///< a job is fatal when its evaluator has died so many times
    /// When so many jobs in a row are fatal at one seat, the fault lies with the machine (a driver died, a disk is
    /// full) and not with the jobs. The seat is lost then.
    int mostFatalInARow = 3;
};

enum class SeatState { Starting, Ready, Stopped };

class Dispatcher;

class Crew : public QObject {
    Q_OBJECT
public:
    explicit Crew(Rules rules = {}, QObject* parent = nullptr);
    ~Crew() override; ///< cancels what is on its way, without an outcome, and ends the evaluators

    /// Adds a seat. Its evaluator is started by `launcher` when the seat gets its first job, and exchanged for a new
    /// one when a job needs another environment or renew() was called. The evaluator judges on `device`, or where that
    /// is empty on the device that each request names.
    void add(const farm::Launcher& launcher, const std::string& device = {});
    /// How many jobs all evaluators together have at a time. Submitting more than that ahead gains nothing.
    int places() const;
    void setRules(const Rules& rules);
    /// The greeting of the first evaluator that is ready. It has no program's name where none is.
    protocol::Hello hello() const;

    /// Puts a job at the end of the queue. Where every seat was lost, all seats are tried again.
    JobId submit(CrewJob job);
    /// Puts a job at the head of the queue, before all jobs that no evaluator has yet.
    JobId submitFirst(CrewJob job);
    /// Ends a job: `done` with Cancelled follows within a second, unless the job is over before.
    void cancel(JobId job);
    /// Ends these jobs, the youngest first, so that no evaluator begins one that is cancelled next.
    void cancel(const std::vector<JobId>& jobs);
    /// Ends those of these jobs that no evaluator is working on.
    void cancelWaiting(const std::vector<JobId>& jobs);
    /// Has every evaluator exchanged for a new one before its next job. Call it after something that may have left the
    /// evaluators in another state than before. Jobs that they have are done by the new ones.
    void renew();
    bool isIdle() const; ///< every job has its outcome

signals:
    void log(const QString& line); ///< for a person, one line
    void progress(quint64 job, const cudal1::protocol::Progress& progress);
    /// Emitted once for each job, from the event loop or from within an evaluator's signal.
    void done(quint64 job, const cudal1::crew::JobOutcome& outcome);
    /// The last seat was lost. `done` with Lost follows for every job.
    void broken(const cudal1::base::Error& error);
    /// The evaluator of a seat starts, is waited for, is ready, or has ended. The sentence is for a person.
    void seatChanged(int seat, cudal1::crew::SeatState state, const QString& sentence);

private:
    std::unique_ptr<Dispatcher> d;
};

} // namespace cudal1::crew
