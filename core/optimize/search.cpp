// SPDX-License-Identifier: GPL-3.0-or-later
// Starting, going on with and stopping an optimise loop.
#include "core/optimize/searchloop.h"

namespace cudal1::optimize {

using base::ErrorCode;

Search::Search(store::Project& project, crew::Crew& crew, policy::Policy& policy, QObject* parent)
    : QObject(parent), d(std::make_unique<SearchLoop>(this, project, crew, policy))
{
}

Search::~Search()
{
    if (!isRunning())
        return;
    blockSignals(true);
    d->end(RunState::Stopped, "Stopped");
}

void Search::start(const SearchOptions& options)
{
    if (isRunning())
        return;
    d->options = options;
    d->options.device = deviceName(options.device);
    if (d->options.seed == 0)
        d->options.seed = farm::freshSeed();
    ++d->generation;
    d->run = {};
    if (const auto status = d->project.putTask(d->options.task); !status)
        return d->failLater(status.error());
    store::RunRecord record;
    record.kind = runKind;
    record.task = d->options.task.id;
    record.parameters = toJson(d->options, d->policy.name());
    const auto id = d->project.startRun(record);
    if (!id)
        return d->failLater(id.error());
    d->run = *id;
    d->begin({});
}

void Search::resume(base::RunId run)
{
    if (isRunning())
        return;
    ++d->generation;
    d->run = {};
    auto options = optionsOfRun(d->project, run);
    if (!options)
        return d->failLater(options.error());
    if (const std::string began = d->policyOf(run); !options->method.empty() && began != d->policy.name())
        return d->failLater({ErrorCode::InvalidArgument, "This run was begun with the policy " + began,
                             "run " + std::to_string(run.value), "Go on with that policy, or start a new run"});
    const auto notes = readNotes(d->project, run);
    if (!notes) {
        // Nobody can go on with it. As a failed run it does not keep the next start from beginning a new one.
        if (notes.error().code == ErrorCode::Unreadable)
            (void)d->project.setRunState(run, RunState::Failed, notes.error().text());
        return d->failLater(notes.error());
    }
    d->options = std::move(*options);
    d->run = run;
    if (const auto status = d->project.setRunState(run, RunState::Running); !status)
        return d->failLater(status.error());
    d->begin(*notes);
}

void Search::stop()
{
    if (!isRunning() || d->stopping)
        return;
    d->stopping = true;
    d->crew.cancel(d->ownJobs()); // what is in its turn ends the run when it is over
    d->question.reset();
    if (d->phase == SearchLoop::Phase::Between || d->phase == SearchLoop::Phase::Ask)
        d->later(&SearchLoop::next); // ends there, before the step
}

bool Search::isRunning() const
{
    return d->phase != SearchLoop::Phase::Idle;
}
base::RunId Search::run() const
{
    return d->run;
}
const SearchOptions& Search::options() const
{
    return d->options;
}
const base::Error& Search::error() const
{
    return d->lastError;
}

} // namespace cudal1::optimize
