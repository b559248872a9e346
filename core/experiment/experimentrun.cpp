// SPDX-License-Identifier: GPL-3.0-or-later
// The loop over the runs of an experiment.
#include "core/experiment/experimentrun.h"

#include "core/optimize/owner.h"

#include <algorithm>
#include <utility>

namespace cudal1::experiment {

using base::Error;
using base::ErrorCode;
using language::PolicyChoice;
using store::RunState;

ExperimentRun::ExperimentRun(store::Project& project, crew::Crew& crew, PolicyChoice::LibraryFactory library,
                             QObject* parent)
    : QObject(parent), m_project(project), m_crew(crew), m_library(std::move(library)),
      m_heartbeat([this] { return writeNotes(optimize::ownProcess()); })
{
}

ExperimentRun::~ExperimentRun() = default;

void ExperimentRun::start(ExperimentRecord record, std::vector<store::TaskRecord> tasks)
{
    m_record = std::move(record);
    m_tasks = std::move(tasks);
    m_error = {};
    m_running = true;
    m_stopping = false;
    if (const base::Status ready = prepare(); !ready)
        return end(RunState::Failed, ready.error());
    m_heartbeat.start();
    emit stored();
    next();
}

base::Result<std::unique_ptr<policy::Policy>> ExperimentRun::policyOf(const Arm& arm, std::uint64_t seed) const
{
    if (!arm.model().empty()) {
        if (!m_models)
            return Error{ErrorCode::Unavailable, "The models of this experiment are trained by the command line",
                         arm.policy, "Run `cudal1 experiment` with its file; its rows are shown here"};
        return m_models(arm, seed, m_sources);
    }
    const auto choice = PolicyChoice::of(arm.policy, arm.method.value_or(language::AskMethod()));
    return choice ? choice->make(m_library, m_sources) : choice.error();
}

base::Status ExperimentRun::prepare()
{
    m_sources = {};
    for (const Arm& arm : m_record.plan.arms())
        if (const auto policy = policyOf(arm, m_record.plan.seeds.front()); !policy)
            return policy.error();
    if (const base::Status kept = keep(m_project, m_record); !kept)
        return kept;
    const auto now = experimentOf(m_project, m_record.id);
    if (!now)
        return now.error();
    const auto notes = optimize::readNotes(m_project, m_record.id);
    if (now->running && (!notes || notes->owner != optimize::ownProcess())) {
        m_record.id = {}; // whose state is another's to set
        return Error{ErrorCode::Unavailable, "Another process is making the runs of this experiment", m_record.name,
                     "Wait for it, or stop it there"};
    }
    auto found = resultsOf(m_project, m_record);
    if (!found)
        return found.error();
    m_results = std::move(*found);
    m_tried.assign(m_results.size(), false);
    m_sources.run = std::make_shared<models::RunLedgers>(m_record.plan.limits);
    m_spending = std::make_unique<models::Spending>(m_project, models::spendingKey(m_record.id), m_sources.run);
    if (const base::Status owned = writeNotes(optimize::ownProcess()); !owned)
        return owned;
    return m_project.setRunState(m_record.id, RunState::Running);
}

base::Status ExperimentRun::writeNotes(const std::string& owner)
{
    optimize::RunNotes notes;
    notes.owner = owner;
    return optimize::writeNotes(m_project, m_record.id, notes);
}

int ExperimentRun::done() const
{
    return int(std::count_if(m_results.begin(), m_results.end(), [](const CellResult& one) { return one.done; }));
}

models::Ledger::Totals ExperimentRun::spent() const
{
    return m_sources.run ? m_sources.run->all()->totals() : models::Ledger::Totals();
}

QString ExperimentRun::titleOf(const CellResult& cell) const
{
    const Arm arm = m_record.plan.arms()[cell.arm];
    return QString::fromStdString(arm.policy + (arm.method ? ", " + arm.methodName() : std::string()) + ": " +
                                  cell.task.value + ", seed " + std::to_string(cell.seed));
}

void ExperimentRun::next()
{
    while (!m_stopping && m_making.size() < std::size_t(m_atOnce)) {
        const auto at = nextCell();
        if (!at)
            break;
        if (const base::Status begun = begin(*at); !begun)
            endAfterOthers(RunState::Failed, begun.error());
    }
    if (m_making.empty())
        m_stopping ? end(m_endState, m_endError) : end(RunState::Finished, {});
}

/// Those of the same model first, which is another one with each seed.
std::optional<std::size_t> ExperimentRun::nextCell() const
{
    const std::vector<Arm> arms = m_record.plan.arms();
    const std::optional<CellResult> last = m_at < m_results.size() && m_tried[m_at] ? m_results[m_at]
                                                                                    : std::optional<CellResult>();
    std::optional<std::size_t> first, same;
    for (std::size_t at = m_results.size(); at-- > 0;) {
        const CellResult& one = m_results[at];
        if (one.done || m_tried[at])
            continue;
        first = at;
        if (last && one.arm == last->arm && one.seed == last->seed && !arms[one.arm].model().empty())
            same = at;
    }
    return same ? same : first;
}

base::Status ExperimentRun::begin(std::size_t at)
{
    const CellResult& cell = m_results[at];
    m_at = at;
    m_tried[at] = true;
    auto making = std::make_unique<Making>();
    making->at = at;
    auto made = policyOf(m_record.plan.arms()[cell.arm], cell.seed);
    if (!made)
        return made.error();
    making->policy = std::move(*made);
    m_lastPolicy.reset();
    optimize::SearchOptions options = m_record.optionsOf(cell);
    const auto task = std::find_if(m_tasks.begin(), m_tasks.end(),
                                   [&](const store::TaskRecord& one) { return one.id == cell.task; });
    if (task == m_tasks.end() || task->hash != options.task.hash)
        return Error{ErrorCode::InvalidArgument, "The task has changed since the experiment was begun", cell.task.value,
                     "Open the experiment's file again"};
    options.task = *task;
    const auto unfinished = optimize::unfinishedRun(m_project, options, making->policy->name());
    if (!unfinished)
        return unfinished.error();
    emit log((*unfinished ? tr("Resuming ") : QString()) + titleOf(cell));
    making->search = std::make_unique<optimize::Search>(m_project, m_crew, *making->policy);
    optimize::Search* const search = making->search.get();
    connectTo(*making);
    m_making.push_back(std::move(making));
    *unfinished ? search->resume((*unfinished)->id) : search->start(options);
    return {};
}

void ExperimentRun::connectTo(Making& making)
{
    optimize::Search* const search = making.search.get();
    const CellResult& cell = m_results[making.at];
    const QString title = titleOf(cell);
    const QString margin = m_atOnce > 1 ? "  " + QString::fromStdString(cell.task.value) + ": " : QString("  ");
    connect(search, &optimize::Search::log, this, [this, margin](const QString& line) { emit log(margin + line); });
    connect(search, &optimize::Search::partialReply, this, &ExperimentRun::partialReply);
    connect(search, &optimize::Search::variantProposed, this, &ExperimentRun::stored);
    connect(search, &optimize::Search::evaluationStored, this, &ExperimentRun::stored);
    connect(search, &optimize::Search::progress, this,
            [this, title, mine = &making](const optimize::SearchProgress& now) {
                mine->fraction = now.fraction;
                mine->left_s = now.secondsLeft;
                mine->whole_s = std::max(mine->whole_s, now.secondsLeft); // what it says at first is of all of it
                ExperimentProgress out = progressOfAll(now.secondsLeft >= 0 ? mine->whole_s : -1);
                out.text = title.toStdString() + (now.text.empty() ? "" : ": " + now.text);
                out.guessed = now.guessed;
                emit progress(out);
            });
    // Queued: a search may not be destroyed from within its own signal.
    connect(
        search, &optimize::Search::finished, this, [this, search](RunState state) { cellEnded(search, state); },
        Qt::QueuedConnection);
}

/// The runs that wait take as long as one whole run, which is negative while it is unknown.
ExperimentProgress ExperimentRun::progressOfAll(double wholeRun_s) const
{
    ExperimentProgress out;
    out.done = done();
    out.planned = int(m_results.size());
    double parts = out.done, left_s = 0;
    for (const auto& one : m_making) {
        parts += one->fraction;
        left_s += std::max(0.0, one->left_s);
    }
    out.fraction = parts / std::max(1, out.planned);
    const int making = int(m_making.size());
    if (wholeRun_s >= 0)
        out.secondsLeft = (left_s + wholeRun_s * std::max(0, out.planned - out.done - making)) / std::max(1, making);
    return out;
}

void ExperimentRun::cellEnded(optimize::Search* search, RunState state)
{
    const auto found = std::find_if(m_making.begin(), m_making.end(),
                                    [search](const auto& one) { return one->search.get() == search; });
    if (found == m_making.end())
        return;
    const std::unique_ptr<Making> making = std::move(*found);
    m_making.erase(found);
    CellResult& cell = m_results[making->at];
    const Error error = search->error();
    CellResult whole{cell.arm, cell.task, cell.level, cell.seed, search->run(), state == RunState::Finished};
    whole.heldOut = cell.heldOut;
    if (state == RunState::Failed)
        whole.trouble = error.text();
    making->search.reset();
    m_lastPolicy = std::move(making->policy);
    const base::Status read = whole.run ? readResult(m_project, m_record.deviceModel, m_record.precision, whole)
                                        : base::Status();
    if (read) {
        cell = std::move(whole);
        emit stored();
    } else {
        endAfterOthers(RunState::Failed, read.error());
    }
    // Another run would fare no better without evaluator or model.
    if (state == RunState::Failed && (error.code == ErrorCode::Unavailable || error.code == ErrorCode::ProcessFailed))
        endAfterOthers(RunState::Failed, error);
    else if (state == RunState::Stopped)
        endAfterOthers(RunState::Stopped, error); // at a limit, unless all were stopped
    next();
}

/// Stops what is being made; the first reason is the one that counts.
void ExperimentRun::endAfterOthers(RunState state, const Error& error)
{
    if (std::exchange(m_stopping, true))
        return;
    m_endState = state;
    m_endError = error;
    for (const auto& one : m_making)
        one->search->stop();
}

void ExperimentRun::stop()
{
    if (m_running)
        endAfterOthers(RunState::Stopped, {});
}

base::Status ExperimentRun::cutOff()
{
    std::vector<base::RunId> runs;
    for (const auto& one : m_making)
        if (m_running && one->search->isRunning())
            runs.push_back(one->search->run());
    const bool own = m_running && m_record.id && !m_stopping;
    m_running = false;
    m_heartbeat.stop();
    m_making.clear();
    m_spending.reset();
    m_lastPolicy.reset();
    for (const base::RunId run : runs)
        if (own && run)
            if (const base::Status left = optimize::leaveRunning(m_project, run); !left)
                return left;
    if (!m_record.id)
        return {};
    if (const base::Status disowned = writeNotes({}); !disowned)
        return disowned;
    return m_project.setRunState(m_record.id, own ? RunState::Running : RunState::Stopped);
}

void ExperimentRun::end(RunState state, const Error& error)
{
    m_running = false;
    m_heartbeat.stop();
    m_making.clear();
    m_spending.reset();
    m_error = error;
    QString message = QString::fromStdString(error.message.empty() ? std::string() : error.text());
    const auto failed = std::count_if(m_results.begin(), m_results.end(),
                                      [](const CellResult& one) { return !one.trouble.empty(); });
    if (message.isEmpty() && state == RunState::Finished && failed > 0)
        message = tr("%1 of %2 runs failed; the first: %3")
                      .arg(failed)
                      .arg(m_results.size())
                      .arg(QString::fromStdString(
                          std::find_if(m_results.begin(), m_results.end(), [](const CellResult& one) {
                              return !one.trouble.empty();
                          })->trouble));
    if (m_record.id) {
        (void)writeNotes({});
        if (const base::Status set = m_project.setRunState(m_record.id, state, message.toStdString()); !set)
            emit log(QString::fromStdString(set.error().text()));
    }
    emit stored();
    emit finished(state, message);
}

} // namespace cudal1::experiment
