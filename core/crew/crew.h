// SPDX-License-Identifier: GPL-3.0-or-later
// A set of evaluators that takes requests, and gives exactly one outcome for each.
//
// It keeps several requests on their way to each evaluator, so that the next ones are built while one is measured. When
// an evaluator dies, what was with it is asked again one at a time, so that the blame falls on the right request. What
// ends its evaluator twice is not asked again. A seat whose device is gone leaves its requests to the others.
//
// Lives on one thread with an event loop, together with its evaluators. Never blocks, but for a moment where an
// evaluator is exchanged or ended.
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
struct Job {
    farm::Request request;   ///< its device is the seat's where the seat has one, but for "meta"
    std::string name;        ///< for a person: "2/14, variant 7"
    bool alone = false;      ///< nothing else is on its way to the same evaluator meanwhile
    QStringList environment; ///< "NAME=value", of the evaluator
    /// An equal request that waits or is on its way, and may be shared too, stands for this one: both have its outcome.
    /// It is cancelled when everybody has cancelled it.
    bool shared = false;
};

/// What the machine of an evaluator has: asked by several at a time, answered once.
Job describing();

/// What became of a job.
struct Outcome {
    enum class Kind {
        Answered,  ///< `answer` is there
        Refused,   ///< the evaluator answered that it cannot do this; asked again, it would say the same
        Fatal,     ///< it ended its evaluator, alone, as often as it was tried
        Cancelled, ///< by cancel() and its kin
        Lost,      ///< no seat works now; broken() has said why
    };
    Kind kind = Kind::Answered;
    farm::Answer answer = {}; ///< its type follows from the request's; an evaluation's verdict is never Cancelled
    base::Error error = {};   ///< meaningful unless answered
    double seconds = 0;       ///< since the request was last sent; 0 where it was not

    /// Of an EvaluateRequest that was answered; null else.
    std::shared_ptr<const protocol::Evaluation> evaluation() const;
};

struct Rules {
    int ahead = 32; ///< requests that each evaluator knows at a time
    int tries = 2;  ///< after so many deaths of its evaluator a job is fatal
    /// So many fatal jobs in a row at one seat are no job's fault: a driver died, a disk is full. The seat is lost
    /// then.
    int mostFatalInARow = 3;
};

enum class SeatState { Starting, Ready, Stopped };

class Crew : public QObject {
    Q_OBJECT
public:
    explicit Crew(Rules rules = {}, QObject* parent = nullptr);
    ~Crew() override; ///< cancels what is on its way, without an outcome, and ends the evaluators

    /// One seat more: an evaluator that is started so with its first job, and exchanged where a job wants another
    /// environment or renew() asks for it. `device` is where it judges, empty for what each request says.
    void add(const farm::Launcher& launcher, const std::string& device = {});
    /// How many jobs find a place with the evaluators; who submits more of them at a time gains nothing.
    int places() const;
    void setRules(const Rules& rules);
    /// Of the first evaluator that has said hello; without a program's name where none has.
    protocol::Hello hello() const;

    /// After all others. Seats that were lost are tried again where none is left.
    JobId submit(Job job);
    /// Before all others that no evaluator has yet.
    JobId submitFirst(Job job);
    /// `done` with Cancelled follows, within a second, unless the job is over before.
    void cancel(JobId job);
    void cancel(
        const std::vector<JobId>& jobs); ///< the youngest first, so that no evaluator begins one that is cancelled next
    /// Those that are not the one that an evaluator works on.
    void cancelWaiting(const std::vector<JobId>& jobs);
    /// The evaluators may not be what they were: what is on its way is done by new ones.
    void renew();
    bool isIdle() const; ///< no job is without its outcome

signals:
    void log(const QString& line); ///< for a person, one line
    void progress(quint64 job, const cudal1::protocol::Progress& progress);
    /// Once for each job, from the event loop or from within an evaluator's signal.
    void done(quint64 job, const cudal1::crew::Outcome& outcome);
    /// No seat is left; `done` with Lost follows for every job.
    void broken(const cudal1::base::Error& error);
    /// An evaluator starts, is waited for, is ready or has ended; the sentence is for a person.
    void seatChanged(int seat, cudal1::crew::SeatState state, const QString& sentence);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace cudal1::crew
