// SPDX-License-Identifier: GPL-3.0-or-later
// What works for the controller on a thread of its own: the evaluators, the jobs that run, and their connection to the
// project.
//
// The controller calls its functions through the event loop, and starts no two jobs at a time that would disturb each
// other. Each job ends with exactly one `ended`.
#pragma once

#include "core/crew/crew.h"
#include "core/store/project.h"
#include "ui/work/jobwork.h"
#include "ui/work/request.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace cudal1::ui {

class Engine : public QObject {
    Q_OBJECT
public:
    Engine(std::vector<farm::Launcher> launchers, PolicyFactory policy);
    ~Engine() override;

    /// Jobs that are not over are cut off: their runs can be resumed, as after a kill. So it is when the engine is
    /// destroyed.
    void setProject(const QString& file);
    /// The first one is asked what concerns no job. Evaluators that are no longer among them end as soon as no job uses
    /// them.
    void setLaunchers(std::vector<farm::Launcher> launchers);

    void start(quint64 job, JobRequest request);
    void stop(quint64 job);
    /// Asks every evaluator what its machine has.
    void describe();
    /// Runs a task that is not in the project yet once: by its shapes alone, and on the CPU where that fails. One at a
    /// time: it waits for what the evaluator is doing. `checkEnded` follows, also after stopCheck().
    void check(protocol::TaskSource task);
    void stopCheck();
    /// Runs a task once by its shapes alone and keeps the graph in the project; `shapesTraced` or `shapesFailed`
    /// follows. One at a time; of those asked for meanwhile only the last is traced, since the user has gone on to it.
    void traceShapes(const store::TaskRecord& task);

signals:
    void shapesTraced(const QString& hash);
    void shapesFailed(const QString& hash, const cudal1::base::Error& error);
    void checkProgress(const QString& text);
    void checkEnded(std::shared_ptr<const cudal1::protocol::OperatorGraph> graph, const cudal1::base::Error& error);
    void log(quint64 job, const QString& line);
    void progress(quint64 job, const cudal1::optimize::SearchProgress& progress);
    /// Something of this job was committed.
    void stored(quint64 job);
    void ended(quint64 job, cudal1::store::RunState state, const QString& message);
    void partialReply(quint64 job, const QString& text); ///< see JobWork
    void partialReplyOf(quint64 job, const cudal1::base::TaskId& task, const QString& text);
    void promptReady(std::shared_ptr<const cudal1::ui::PromptBasis> basis);
    /// Asked for, or when a launcher's first job is started.
    void machineReady(const cudal1::farm::Launcher& launcher, const cudal1::protocol::Machine& machine);
    /// "starting", "ready", "stopped", or empty for one that is used no more; the sentence is for a person.
    void evaluatorStateChanged(int seat, const QString& state, const QString& sentence);
    void failed(const cudal1::base::Error& error);

private:
    /// An evaluator and what it works on: the jobs of one device, or all that concerns none.
    struct Seat {
        int number = 0;
        Place place;
        std::unique_ptr<crew::Crew> crew;
    };

    Seat& seatOf(const Place& place);
    crew::Crew& anyCrew(const farm::Launcher& launcher);
    void dropSeats();
    base::Status open();
    void cutOff();
    void finish(quint64 job, store::RunState state, const QString& message);
    void describe(const farm::Launcher& launcher, crew::Crew& crew);
    void takeMachine(const farm::Launcher& launcher, const crew::JobOutcome& outcome);
    void takeCheck(const crew::JobOutcome& outcome);
    void takeShapes(const crew::JobOutcome& outcome);
    void keepShapes(const protocol::OperatorGraph& graph);

    /// Something that was asked of a crew and is no job's.
    struct Asked {
        crew::Crew* crew = nullptr;
        crew::JobId id = 0;
        bool is(const crew::Crew* other, crew::JobId job) const { return id && crew == other && id == job; }
    };

    std::vector<farm::Launcher> m_launchers;
    PolicyFactory m_makeLibrary;
    QString m_file;
    std::unique_ptr<store::Project> m_project;
    std::vector<Seat> m_seats;
    int m_lastSeat = 0;
    std::map<quint64, std::unique_ptr<JobWork>> m_works;
    std::map<quint64, std::vector<Place>> m_places; ///< of the jobs that run
    std::vector<std::pair<farm::Launcher, Asked>> m_described;
    std::set<QString> m_asked;           ///< texts of launchers that somebody waits to hear of
    std::vector<farm::Launcher> m_known; ///< those that have said what they have
    Asked m_check, m_shapes;
    protocol::GraphRequest m_checked; ///< of m_check
    QString m_shapesOf;               ///< hash of m_shapes' task
    std::optional<store::TaskRecord> m_nextShapes;
};

} // namespace cudal1::ui
