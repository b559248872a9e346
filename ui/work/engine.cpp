// SPDX-License-Identifier: GPL-3.0-or-later
// Runs jobs; an evaluator is started by the first one that needs it.
#include "ui/work/engine.h"

#include "core/taskfacts/taskfacts.h"

#include <algorithm>
#include <utility>

namespace cudal1::ui {

namespace {

QString seatWord(crew::SeatState state)
{
    switch (state) {
    case crew::SeatState::Starting: return QStringLiteral("starting");
    case crew::SeatState::Ready: return QStringLiteral("ready");
    case crew::SeatState::Stopped: return QStringLiteral("stopped");
    }
    return {};
}

} // namespace

Engine::Engine(std::vector<farm::Launcher> launchers, PolicyFactory policy)
    : m_launchers(std::move(launchers)), m_makeLibrary(std::move(policy))
{
}

Engine::~Engine()
{
    cutOff(); // before the crews and the project that jobs use
}

void Engine::setProject(const QString& file)
{
    cutOff();
    m_file = file;
    m_project.reset();
}

void Engine::setLaunchers(std::vector<farm::Launcher> launchers)
{
    m_launchers = std::move(launchers);
    dropSeats();
}

Engine::Seat& Engine::seatOf(const Place& place)
{
    Place real = place;
    if (real.launcher.isEmpty())
        real.launcher = m_launchers.front();
    for (Seat& seat : m_seats)
        if (seat.place == real)
            return seat;
    Seat& seat = m_seats.emplace_back(Seat{++m_lastSeat, real, std::make_unique<crew::Crew>()});
    crew::Crew* const crew = seat.crew.get();
    crew->add(real.launcher);
    connect(crew, &crew::Crew::seatChanged, this,
            [this, number = seat.number](int, crew::SeatState state, const QString& sentence) {
                emit evaluatorStateChanged(number, seatWord(state), sentence);
            });
    connect(crew, &crew::Crew::done, this, [this, crew](quint64 id, const crew::JobOutcome& outcome) {
        const auto described = std::find_if(m_described.begin(), m_described.end(),
                                            [&](const auto& one) { return one.second.is(crew, id); });
        if (described != m_described.end()) {
            takeMachine(described->first, outcome);
        } else if (m_check.is(crew, id)) {
            takeCheck(outcome);
        } else if (m_shapes.is(crew, id)) {
            takeShapes(outcome);
        }
        QMetaObject::invokeMethod(this, &Engine::dropSeats, Qt::QueuedConnection); // not from within its signal
    });
    connect(crew, &crew::Crew::progress, this, [this, crew](quint64 id, const protocol::Progress& seen) {
        if (m_check.is(crew, id))
            emit checkProgress(QString::fromStdString(seen.text));
    });
    return seat;
}

/// For what any evaluator of a launcher can answer: one that a job works on, since what is asked waits for it there
/// instead of disturbing it; else one that is there; else that of the CPU.
crew::Crew& Engine::anyCrew(const farm::Launcher& launcher)
{
    crew::Crew* found = nullptr;
    for (const Seat& seat : m_seats) {
        if (seat.place.launcher != launcher)
            continue;
        const bool used = std::any_of(m_places.begin(), m_places.end(), [&](const auto& job) {
            return std::find(job.second.begin(), job.second.end(), seat.place) != job.second.end();
        });
        if (!found || used)
            found = seat.crew.get();
    }
    return found ? *found : *seatOf({launcher, QStringLiteral("cpu"), {}}).crew;
}

/// Evaluators whose launcher is gone from the list and that no job uses.
void Engine::dropSeats()
{
    std::erase_if(m_seats, [this](const Seat& seat) {
        const bool known = std::find(m_launchers.begin(), m_launchers.end(), seat.place.launcher) != m_launchers.end();
        if (known || !seat.crew->isIdle())
            return false;
        for (const auto& [job, places] : m_places)
            if (std::find(places.begin(), places.end(), seat.place) != places.end())
                return false;
        emit evaluatorStateChanged(seat.number, {}, {});
        return true;
    });
}

base::Status Engine::open()
{
    if (m_project)
        return {};
    auto project = store::Project::open(m_file.toStdString());
    if (!project)
        return project.error();
    m_project = std::move(project.value());
    return {};
}

void Engine::start(quint64 job, JobRequest request)
{
    if (const base::Status opened = open(); !opened)
        return emit ended(job, store::RunState::Failed, QString::fromStdString(opened.error().text()));
    std::vector<Place> places = request.places;
    JobWork::Means means{*m_project, {}, m_makeLibrary};
    for (Place& place : places) {
        Seat& seat = seatOf(place);
        place = seat.place;
        means.crews.push_back(seat.crew.get());
        if (std::find(m_known.begin(), m_known.end(), place.launcher) == m_known.end())
            describe(place.launcher, *seat.crew); // what the window knows of the device comes from its first job
    }
    auto made = makeWork(std::move(means), std::move(request));
    JobWork* const work = made.get();
    m_works.emplace(job, std::move(made));
    m_places.emplace(job, std::move(places));
    connect(work, &JobWork::log, this, [this, job](const QString& line) { emit log(job, line); });
    connect(work, &JobWork::progress, this,
            [this, job](const optimize::SearchProgress& now) { emit progress(job, now); });
    connect(work, &JobWork::stored, this, [this, job] { emit stored(job); });
    connect(work, &JobWork::partialReply, this, [this, job](const QString& text) { emit partialReply(job, text); });
    connect(work, &JobWork::partialReplyOf, this,
            [this, job](const base::TaskId& task, const QString& text) { emit partialReplyOf(job, task, text); });
    connect(work, &JobWork::promptReady, this, &Engine::promptReady);
    // Queued: what works may not be destroyed from within its own signal.
    connect(
        work, &JobWork::ended, this,
        [this, job](store::RunState state, const QString& message) { finish(job, state, message); },
        Qt::QueuedConnection);
    work->start();
}

void Engine::finish(quint64 job, store::RunState state, const QString& message)
{
    if (m_works.erase(job) == 0)
        return;
    m_places.erase(job);
    dropSeats();
    emit ended(job, state, message);
}

void Engine::stop(quint64 job)
{
    if (const auto work = m_works.find(job); work != m_works.end())
        work->second->stop();
}

void Engine::cutOff()
{
    for (const auto& [job, work] : std::exchange(m_works, {})) {
        if (const base::Status left = work->cutOff(); !left)
            emit failed(left.error());
        emit ended(job, store::RunState::Stopped, {});
    }
    m_places.clear();
}

void Engine::describe()
{
    for (const farm::Launcher& launcher : m_launchers) {
        m_asked.insert(launcher.text());
        describe(launcher, anyCrew(launcher));
    }
}

void Engine::describe(const farm::Launcher& launcher, crew::Crew& crew)
{
    if (std::any_of(m_described.begin(), m_described.end(), [&](const auto& one) { return one.first == launcher; }))
        return;
    const crew::JobId id = crew.submitFirst(crew::describing());
    m_described.emplace_back(launcher, Asked{&crew, id});
}

void Engine::takeMachine(const farm::Launcher& launcher, const crew::JobOutcome& outcome)
{
    const farm::Launcher whose = launcher; // which is erased next
    const bool asked = m_asked.erase(whose.text()) > 0;
    std::erase_if(m_described, [&](const auto& one) { return one.first == whose; });
    if (outcome.kind == crew::JobOutcome::Kind::Answered) {
        m_known.push_back(whose);
        emit machineReady(whose, std::get<protocol::Machine>(outcome.answer));
    } else if (outcome.kind != crew::JobOutcome::Kind::Cancelled && asked) {
        emit failed(outcome.error); // a job that has brought the question along says itself what is wrong
    }
}

void Engine::check(protocol::TaskSource task)
{
    if (m_check.id)
        return;
    m_checked = {};
    m_checked.task = std::move(task);
    m_checked.device = "meta";
    m_checked.seed = farm::freshSeed();
    crew::Crew& crew = anyCrew(m_launchers.front());
    m_check = {&crew, crew.submit({m_checked, "the task", false, {}, false})};
}

void Engine::takeCheck(const crew::JobOutcome& outcome)
{
    // Only what the task itself did wrong may go better with data.
    if (outcome.kind == crew::JobOutcome::Kind::Refused && outcome.error.code == base::ErrorCode::Unreadable &&
        m_checked.device == "meta") {
        m_checked.device = "cpu";
        m_check.id = m_check.crew->submit({m_checked, "the task", false, {}, false});
        return;
    }
    m_check = {};
    if (outcome.kind == crew::JobOutcome::Kind::Answered)
        emit checkEnded(std::get<std::shared_ptr<const protocol::OperatorGraph>>(outcome.answer), {});
    else
        emit checkEnded(nullptr, outcome.error);
}

void Engine::stopCheck()
{
    if (m_check.id)
        m_check.crew->cancel(m_check.id);
}

void Engine::traceShapes(const store::TaskRecord& task)
{
    if (m_shapes.id) {
        m_nextShapes = task;
        return;
    }
    if (m_seats.empty())
        describe(m_launchers.front(), anyCrew(m_launchers.front())); // whether it fits is a matter of the device
    protocol::GraphRequest request;
    request.task = {task.id.value, task.source};
    request.device = "meta";
    request.seed = farm::freshSeed();
    m_shapesOf = QString::fromStdString(task.hash);
    crew::Crew& crew = anyCrew(m_launchers.front());
    m_shapes = {&crew, crew.submit({request, "the shapes of " + task.id.value, false, {}, false})};
}

void Engine::takeShapes(const crew::JobOutcome& outcome)
{
    m_shapes = {};
    if (outcome.kind == crew::JobOutcome::Kind::Answered)
        keepShapes(*std::get<std::shared_ptr<const protocol::OperatorGraph>>(outcome.answer));
    else
        emit shapesFailed(m_shapesOf, outcome.error);
    if (const auto next = std::exchange(m_nextShapes, std::nullopt))
        traceShapes(*next);
}

void Engine::keepShapes(const protocol::OperatorGraph& graph)
{
    // Between jobs there may be no connection.
    auto own = m_project ? base::Result<std::unique_ptr<store::Project>>(nullptr)
                         : store::Project::open(m_file.toStdString());
    const auto kept = own ? taskfacts::keepShapes(m_project ? *m_project : **own, m_shapesOf.toStdString(), graph)
                          : base::Status(own.error());
    if (kept)
        emit shapesTraced(m_shapesOf);
    else
        emit shapesFailed(m_shapesOf, kept.error());
}

} // namespace cudal1::ui
