// SPDX-License-Identifier: GPL-3.0-or-later
// A set of evaluators that takes requests to judge, and gives exactly one outcome for each.
//
// It keeps several requests on their way to each evaluator, so that the next ones are built while one is measured. When an evaluator dies, what
// was with it is judged again one at a time, so that the blame falls on the right request. What ends its evaluator twice is not asked again.
//
// Lives on one thread with an event loop, together with its evaluators. Never blocks, but for a moment where an evaluator of its own is exchanged.
#pragma once

#include "core/base/result.h"
#include "core/farm/evaluator.h"

#include <QObject>
#include <QStringList>

#include <memory>
#include <string>

namespace cudal1::crew {

using JobId = quint64;

/// A request, and what it needs beyond its place in the queue.
struct Job {
    protocol::EvaluateRequest request; ///< its device is the seat's where the seat has one
    std::string name;        ///< for a person: "2/14, variant 7"
    bool alone = false;      ///< nothing else is on its way to the same evaluator meanwhile
    QStringList environment; ///< "NAME=value", of the evaluator; only for evaluators that the crew starts itself
};

/// What became of a job.
struct Outcome {
    enum class Kind {
        Judged,    ///< `evaluation` is there; its verdict is never Cancelled
        Refused,   ///< the evaluator answered that it cannot judge this; asked again, it would say the same
        Fatal,     ///< it ended its evaluator, alone, as often as it was tried
        Cancelled, ///< by cancel() and its kin
        Lost,      ///< this machine judges nothing now; broken() has said why
    };
    Kind kind = Kind::Judged;
    std::shared_ptr<const protocol::Evaluation> evaluation;
    base::Error error;  ///< meaningful unless judged
    double seconds = 0; ///< since the request was last sent; 0 where it was not
};

struct Rules {
    int ahead = 32; ///< requests that each evaluator knows at a time
    int tries = 2;  ///< after so many deaths of its evaluator a job is fatal
    /// So many fatal jobs in a row are no job's fault: a driver died, a disk is full. The crew is broken then.
    int mostFatalInARow = 3;
};

class Crew : public QObject {
    Q_OBJECT
public:
    explicit Crew(Rules rules = {}, QObject* parent = nullptr);
    ~Crew() override; ///< cancels what is on its way, without an outcome

    /// One evaluator more, which is not owned and must outlive this. `device` is where it judges, empty for what each request says.
    void add(farm::Evaluator& evaluator, const std::string& device = {});
    /// One more that the crew starts so, and exchanges where a job wants another environment or renew() asks for it.
    void add(const farm::Launcher& launcher, const std::string& device = {});
    /// How many jobs find a place with the evaluators; who submits more of them at a time gains nothing.
    int places() const;
    void setRules(const Rules& rules);

    /// After all others.
    JobId submit(Job job);
    /// Before all others that no evaluator has yet.
    JobId submitFirst(Job job);
    /// `done` with Cancelled follows, within a second, unless the job is over before.
    void cancel(JobId job);
    void cancelAll();
    void cancelAllButOldest(); ///< but for the one that each evaluator works on
    /// The evaluators may not be what they were: what is on its way is judged by new ones. Only for evaluators of its own.
    void renew();
    bool isIdle() const; ///< no job is without its outcome

signals:
    void log(const QString& line); ///< for a person, one line
    void progress(quint64 job, const cudal1::protocol::Progress& progress);
    /// Once for each job, from the event loop or from within an evaluator's signal.
    void done(quint64 job, const cudal1::crew::Outcome& outcome);
    /// Nothing can be judged any more; `done` with Lost follows for every job.
    void broken(const cudal1::base::Error& error);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace cudal1::crew
