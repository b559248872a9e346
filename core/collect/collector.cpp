// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of policies, one after the other at each place.
#include "core/collect/collector.h"

#include "core/optimize/options.h"
#include "core/optimize/samplefacts.h"
#include "core/optimize/timeahead.h"
#include "core/protocol/reward.h"

#include <QDateTime>

#include <algorithm>
#include <set>

namespace cudal1::collect {

using base::Error;
using base::ErrorCode;
using store::RunState;

namespace {

constexpr int proposalsOfLibrary = 8; ///< of a round: see optimize::taskPrompt()

} // namespace

struct Collector::Seat {
    optimize::SearchPlace place;
    bool lost = false;
    std::size_t cell = 0;
    std::unique_ptr<policy::Policy> policy;
    std::unique_ptr<optimize::Search> search; ///< null while it has nothing to do
    optimize::SearchProgress seen;
    bool enough = false; ///< its search was stopped since enough was found or tried
};

language::AskMethod oneShot(int together)
{
    using language::PromptPart;
    language::AskMethod method;
    method.kind = language::AskMethod::Kind::Vanilla;
    method.samples = together;
    method.repair = false;
    method.without = {PromptPart::Exemplars, PromptPart::Costs,   PromptPart::Operators, PromptPart::Timeline,
                      PromptPart::Failures,  PromptPart::Effects, PromptPart::Toggles};
    return method;
}

base::Status check(const CollectOptions& options)
{
    const auto wrong = [](std::string message, std::string hint = {}) {
        return Error{ErrorCode::InvalidArgument, std::move(message), {}, std::move(hint)};
    };
    if (options.perTask < 1 || options.perTask > 1000)
        return wrong("The trials for a task are a number from 1 to 1000");
    if (options.successes < 1 || options.successes > options.perTask)
        return wrong("The successes at which a task is done are a number from 1 to that of the trials, " +
                     std::to_string(options.perTask));
    if (options.together < 1 || options.perTask % options.together != 0)
        return wrong("The replies that are asked for at a time have to divide the trials for a task, " +
                         std::to_string(options.perTask),
                     "Give --samples or --per-task another value");
    if (options.run.longest < 0)
        return wrong("The length of a program is a number of characters; 0 is any length");
    if (options.policies.empty())
        return wrong("No policy is named", "Name one with --policy");
    for (auto it = options.policies.begin(); it != options.policies.end(); ++it)
        if (std::find(options.policies.begin(), it, *it) != it)
            return wrong("The policy " + *it + " is named twice");
    for (const std::string& name : options.policies)
        if (const auto choice = language::PolicyChoice::of(std::vector{name}, oneShot(options.together)); !choice)
            return choice.error();
    return {};
}

Collector::Collector(store::Project& project, models::ModelSources sources, QObject* parent)
    : QObject(parent), m_project(project), m_sources(std::move(sources))
{
}

Collector::~Collector() = default;

void Collector::start(const CollectOptions& options, const std::vector<store::TaskRecord>& tasks,
                      const std::vector<optimize::SearchPlace>& places)
{
    m_options = options;
    m_options.run.alone = true;
    m_options.run.confirmsAbove = protocol::certainReward;
    m_choices.clear();
    m_names.clear();
    m_cells.clear();
    m_waiting.clear();
    m_seats.clear();
    m_error = {};
    m_before = 0;
    m_running = true;
    m_stopping = false;
    m_begun_ms = QDateTime::currentMSecsSinceEpoch();
    const auto failLater = [this](const Error& error) {
        QMetaObject::invokeMethod(
            this, [this, error] { end(RunState::Failed, error); }, Qt::QueuedConnection);
    };
    if (const auto status = check(options); !status)
        return failLater(status.error());
    for (const std::string& name : options.policies) {
        const auto choice = language::PolicyChoice::of(std::vector{name}, oneShot(options.together));
        auto policy = choice->make({}, m_sources);
        if (!policy)
            return failLater(policy.error());
        m_choices.push_back(*choice);
        m_names.push_back((*policy)->name());
        if (choice->asksModel())
            m_kept = std::move(*policy);
    }
    for (const store::TaskRecord& task : tasks)
        for (std::size_t p = 0; p < m_choices.size(); ++p) {
            m_waiting.push_back(m_cells.size());
            m_cells.push_back({task, p, {}, 0, 0, false, {}});
        }
    for (const optimize::SearchPlace& place : places) {
        m_seats.push_back(std::make_unique<Seat>());
        m_seats.back()->place = place;
    }
    QMetaObject::invokeMethod(
        this, [this] { fill(); }, Qt::QueuedConnection);
}

void Collector::fill()
{
    if (!m_running)
        return;
    for (const auto& seat : m_seats)
        while (m_running && !m_stopping && !seat->lost && !seat->search && !m_waiting.empty()) {
            const std::size_t cell = m_waiting.front();
            m_waiting.pop_front();
            begin(*seat, cell);
        }
    if (!m_running)
        return;
    sendProgress();
    if (std::any_of(m_seats.begin(), m_seats.end(), [](const auto& seat) { return seat->search != nullptr; }))
        return;
    end(m_stopping ? RunState::Stopped : m_waiting.empty() ? RunState::Finished : RunState::Failed, m_error);
}

optimize::SearchOptions Collector::optionsOf(const Seat& seat, const CollectCell& cell) const
{
    optimize::SearchOptions own = m_options.run;
    const language::PolicyChoice& choice = m_choices[cell.policy];
    own.task = cell.task;
    own.device = seat.place.device;
    own.evaluator = seat.place.evaluator;
    own.method = choice.methodText();
    const int inRound = choice.asksModel() || choice.asksAgent() ? m_options.together : proposalsOfLibrary;
    own.rounds = (m_options.perTask + inRound - 1) / inRound;
    return own;
}

/// What the project has of the cell's run.
base::Status Collector::count(CollectCell& cell) const
{
    cell.trials = cell.successes = 0;
    if (!cell.run)
        return {};
    const auto facts = optimize::sampleFacts(m_project, cell.run);
    if (!facts)
        return facts.error();
    std::set<base::VariantId> correct;
    for (const optimize::SampleFacts& one : *facts) {
        cell.trials += !one.usable() || one.evaluation.has_value();
        if (one.correct())
            correct.insert(one.sample.variant);
    }
    cell.successes = int(correct.size());
    return {};
}

/// False where nothing was begun.
bool Collector::begin(Seat& seat, std::size_t place)
{
    CollectCell& cell = m_cells[place];
    const optimize::SearchOptions options = optionsOf(seat, cell);
    const auto runs = m_project.runs();
    if (!runs) {
        end(RunState::Failed, runs.error());
        return false;
    }
    const auto known = optimize::newestOf(*runs, options, m_names[cell.policy]);
    if (known && optimize::isRunning(m_project, *known)) {
        cell.trouble = "another process is at work on it";
        return false;
    }
    if (known) {
        cell.run = known->id;
        if (const auto status = count(cell); !status) {
            end(RunState::Failed, status.error());
            return false;
        }
        const bool enough = cell.successes >= m_options.successes || cell.trials >= m_options.perTask;
        if (enough || known->state == RunState::Finished) {
            cell.done = true;
            ++m_before;
            return false;
        }
    }
    seat.cell = place;
    seat.enough = false;
    seat.seen = {};
    seat.policy = m_choices[cell.policy].makeOrFail({}, m_sources);
    seat.search = std::make_unique<optimize::Search>(m_project, *seat.place.crew, *seat.policy);
    Seat* const at = &seat;
    optimize::Search* const search = seat.search.get();
    connect(search, &optimize::Search::log, this, [this, at](const QString& line) {
        const CollectCell& own = m_cells[at->cell];
        emit log(QString::fromStdString(own.task.id.value + ", " + m_options.policies[own.policy] + ": ") + line);
    });
    connect(search, &optimize::Search::progress, this, [this, at](const optimize::SearchProgress& seen) {
        at->seen = seen;
        sendProgress();
    });
    connect(
        search, &optimize::Search::evaluationStored, this, [this, at] { judged(*at); }, Qt::QueuedConnection);
    // Not from within the search's own signal, since it is taken apart then.
    connect(
        search, &optimize::Search::finished, this, [this, at](RunState state) { ended(*at, state); },
        Qt::QueuedConnection);
    if (known && optimize::isUnfinished(m_project, *known))
        search->resume(known->id);
    else
        search->start(options);
    return true;
}

void Collector::judged(Seat& seat)
{
    if (!seat.search || seat.enough)
        return;
    CollectCell& cell = m_cells[seat.cell];
    cell.run = seat.search->run();
    if (const auto status = count(cell); !status)
        return end(RunState::Failed, status.error());
    if (cell.successes < m_options.successes && cell.trials < m_options.perTask)
        return;
    seat.enough = true;
    seat.search->stop();
}

void Collector::ended(Seat& seat, RunState state)
{
    if (!seat.search)
        return;
    CollectCell& cell = m_cells[seat.cell];
    const Error why = seat.search->error();
    if (seat.search->run())
        cell.run = seat.search->run();
    seat.search.reset();
    seat.policy.reset();
    if (const auto status = count(cell); !status)
        return end(RunState::Failed, status.error());
    cell.done = seat.enough || state == RunState::Finished || cell.successes >= m_options.successes ||
                cell.trials >= m_options.perTask;
    if (state == RunState::Failed && !cell.done) {
        cell.trouble = why.text();
        const bool placeLost = why.code == ErrorCode::Unavailable || why.code == ErrorCode::ProcessFailed ||
                               why.code == ErrorCode::TimedOut;
        const bool asking = m_choices[cell.policy].asksModel() || m_choices[cell.policy].asksAgent();
        emit log(
            QString::fromStdString(cell.task.id.value + ", " + m_options.policies[cell.policy] + ": " + cell.trouble));
        if (placeLost && !asking) { // the library needs nobody but the judge
            seat.lost = true;
            m_error = why;
        }
    }
    // A model's limit; with a higher one the collection goes on.
    if (state == RunState::Stopped && !cell.done && !m_stopping && why.code == ErrorCode::LimitReached) {
        m_error = why;
        stop();
        return;
    }
    fill();
}

void Collector::stop()
{
    if (!m_running || m_stopping)
        return;
    m_stopping = true;
    for (const auto& seat : m_seats)
        if (seat->search)
            seat->search->stop();
    QMetaObject::invokeMethod(
        this, [this] { fill(); }, Qt::QueuedConnection);
}

void Collector::sendProgress()
{
    CollectProgress out;
    out.planned = int(m_cells.size());
    for (const CollectCell& cell : m_cells) {
        out.done += cell.done || !cell.trouble.empty();
        out.successes += cell.successes;
    }
    std::vector<double> underWay;
    for (const auto& seat : m_seats)
        if (seat->search) {
            underWay.push_back(seat->seen.secondsLeft);
            const CollectCell& cell = m_cells[seat->cell];
            out.text += (out.text.empty() ? "" : "; ") + cell.task.id.value + ", " + m_options.policies[cell.policy] +
                        (seat->seen.text.empty() ? "" : ": " + seat->seen.text);
        }
    if (const int own = out.done - m_before; own > 0)
        out.secondsLeft = double(QDateTime::currentMSecsSinceEpoch() - m_begun_ms) / 1000 / own *
                          (out.planned - out.done);
    else
        out.secondsLeft = optimize::secondsLeftOf(underWay, out.planned - out.done - double(underWay.size()));
    out.guessed = out.done == m_before;
    emit progress(out);
}

void Collector::end(RunState state, Error error)
{
    if (!m_running)
        return;
    m_running = false;
    m_error = std::move(error);
    for (const auto& seat : m_seats)
        seat->search.reset();
    emit finished(state);
}

} // namespace cudal1::collect
