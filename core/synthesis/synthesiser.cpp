// SPDX-License-Identifier: GPL-3.0-or-later
// Batches of tasks to evaluators and back.
#include "core/synthesis/synthesiser.h"

#include "core/synthesis/graphsignature.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cudal1::synthesis {

using base::Error;
using base::ErrorCode;

struct Synthesiser::Batch {
    crew::JobId job = 0;
    std::vector<Composition> tasks;
    std::shared_ptr<const protocol::Screening> screening; ///< null until it is there
};

namespace {

std::string listed(const std::vector<std::string>& words)
{
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return out;
}

} // namespace

std::string_view toString(LeftOut why)
{
    switch (why) {
    case LeftOut::DoesNotRun: return "does_not_run";
    case LeftOut::NotFinite: return "not_finite";
    case LeftOut::Degenerate: return "degenerate";
    case LeftOut::Duplicate: return "duplicate";
    case LeftOut::HeldOutGraph: return "held_out_graph";
    case LeftOut::HeldOutOperators: return "held_out_operators";
    }
    return {};
}

std::string_view textOf(LeftOut why)
{
    switch (why) {
    case LeftOut::DoesNotRun: return "does not run";
    case LeftOut::NotFinite: return "gives NaN or infinity";
    case LeftOut::Degenerate: return "degenerate: a result that takes no work passes";
    case LeftOut::Duplicate: return "the graph of a task that was kept before";
    case LeftOut::HeldOutGraph: return "the graph of a held-out task";
    case LeftOut::HeldOutOperators: return "operators in a row that only held-out tasks have";
    }
    return {};
}

Synthesiser::Synthesiser(crew::Crew& crew, Decontamination decontamination, QObject* parent)
    : QObject(parent), m_crew(crew), m_decontamination(std::move(decontamination))
{
    connect(&m_crew, &crew::Crew::done, this, &Synthesiser::take);
}

Synthesiser::~Synthesiser() = default;

QStringList Synthesiser::environment()
{
    return {QStringLiteral("OMP_NUM_THREADS=%1").arg(ownThreads)};
}

void Synthesiser::start(const SynthesisOptions& options)
{
    m_options = options;
    if (!m_options.make)
        m_options.make = [seed = options.seed](std::uint64_t number) { return compose(seed, number); };
    if (m_options.mostComposed == 0)
        m_options.mostComposed = static_cast<std::uint64_t>(m_options.count) * 20 + 1000;
    m_result = {};
    m_error = {};
    m_batches.clear();
    m_keys.clear();
    m_next = m_looked = 0;
    m_running = true;
    traceHeldOut();
}

void Synthesiser::traceHeldOut()
{
    constexpr std::size_t together = 5; // some of them are long networks
    m_tracing.clear();
    for (std::size_t at = 0; at < m_options.heldOut.size(); at += together) {
        protocol::ScreenRequest request;
        request.trials = 0;
        request.seed = 1;
        for (std::size_t i = at; i < std::min(at + together, m_options.heldOut.size()); ++i)
            request.tasks.push_back(m_options.heldOut[i]);
        m_tracing.push_back(m_crew.submit({std::move(request), "held-out tasks", false, environment(), false}));
    }
    if (m_tracing.empty())
        fill();
}

void Synthesiser::takeTraced(const crew::JobOutcome& outcome)
{
    if (outcome.kind != crew::JobOutcome::Kind::Answered)
        return end(false, outcome.error);
    for (const auto& item : std::get<std::shared_ptr<const protocol::Screening>>(outcome.answer)->items) {
        if (!item.runs())
            return end(false, {ErrorCode::Unavailable,
                               "The held-out task " + item.name +
                                   " does not run, so nothing can be kept apart from it: " + item.message,
                               {},
                               "`cudal1 tasks check` says more"});
        m_decontamination.addHeldOut(item.name, item.graph);
    }
    if (m_tracing.empty())
        fill();
}

void Synthesiser::fill()
{
    const std::size_t most = 2 * static_cast<std::size_t>(std::max(1, m_options.seats));
    // What is looked at does not depend on it: a few tasks are not worth a whole batch for each evaluator.
    const int size = std::clamp(m_options.count / static_cast<int>(most), 4, batch);
    while (m_running && m_batches.size() < most) {
        auto own = std::make_unique<Batch>();
        protocol::ScreenRequest request;
        request.trials = m_options.trials;
        request.seed = m_options.seed + 1;
        const std::uint64_t first = m_next;
        for (int i = 0; i < size; ++i, ++m_next) {
            own->tasks.push_back(m_options.make(m_next));
            request.tasks.push_back({own->tasks.back().name, own->tasks.back().source});
        }
        m_result.composed = m_next;
        Batch& here = *(m_batches[first] = std::move(own));
        here.job = m_crew.submit(
            {std::move(request), "tasks from number " + std::to_string(first), false, environment(), false});
    }
}

void Synthesiser::take(quint64 job, const crew::JobOutcome& outcome)
{
    if (m_running && std::erase(m_tracing, job) > 0)
        return takeTraced(outcome);
    const auto found = std::find_if(m_batches.begin(), m_batches.end(),
                                    [&](const auto& one) { return one.second->job == job; });
    if (!m_running || found == m_batches.end())
        return;
    if (outcome.kind != crew::JobOutcome::Kind::Answered)
        return end(false, outcome.error);
    found->second->screening = std::get<std::shared_ptr<const protocol::Screening>>(outcome.answer);
    if (found->second->screening->items.size() != found->second->tasks.size())
        return end(false, {ErrorCode::ProcessFailed,
                           "The evaluator answered for other tasks than it was asked for",
                           {},
                           "Install the same version on both machines"});
    // In the order of the numbers, whoever is done first.
    while (!m_batches.empty() && m_batches.begin()->second->screening) {
        const auto own = std::move(m_batches.begin()->second);
        const std::uint64_t first = m_batches.begin()->first;
        m_batches.erase(m_batches.begin());
        look(own->tasks, *own->screening, first);
        if (m_result.kept.size() == static_cast<std::size_t>(m_options.count))
            return end(true);
    }
    emit progress(static_cast<int>(m_result.kept.size()), m_options.count);
    if (m_looked >= m_options.mostComposed)
        return end(false, {ErrorCode::LimitReached,
                           "Of " + std::to_string(m_looked) + " composed tasks only " +
                               std::to_string(m_result.kept.size()) + " are new and worth learning from",
                           {},
                           "Ask for fewer with --count"});
    fill();
}

std::optional<LeftOutTask> Synthesiser::reasonAgainst(const Composition& task,
                                                      const protocol::Screening::Item& item) const
{
    const auto refused = [&](LeftOut why, std::string text) { return LeftOutTask{0, task.name, why, std::move(text)}; };
    if (!item.runs())
        return refused(LeftOut::DoesNotRun,
                       (item.line > 0 ? "line " + std::to_string(item.line) + ": " : "") + item.message);
    if (!item.finite)
        return refused(LeftOut::NotFinite, "its result has NaN or infinity on its own inputs");
    if (item.trials == 0 && m_options.trials > 0)
        return refused(LeftOut::Degenerate, "no trial could be made: its result is dominated by rounding");
    if (item.degenerate())
        return refused(LeftOut::Degenerate, listed(item.nulls) + (item.nulls.size() == 1 ? " passes" : " pass"));
    const std::uint64_t key = taskKey(item.graph);
    if (const auto known = m_keys.find(key); known != m_keys.end())
        return refused(LeftOut::Duplicate, "as " + known->second);
    const auto hit = m_decontamination.hitOf(item.graph);
    if (!hit)
        return {};
    if (hit->evidence == Decontamination::Evidence::Graph)
        return refused(LeftOut::HeldOutGraph, "as " + hit->task);
    return refused(LeftOut::HeldOutOperators, hit->what + ", as in " + hit->task);
}

void Synthesiser::look(const std::vector<Composition>& tasks, const protocol::Screening& screening, std::uint64_t first)
{
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (m_result.kept.size() == static_cast<std::size_t>(m_options.count))
            return;
        m_looked = first + i + 1;
        const protocol::Screening::Item& item = screening.items[i];
        if (auto refused = reasonAgainst(tasks[i], item)) {
            refused->number = first + i;
            if (static_cast<std::size_t>(m_result.leftOut[refused->why]++) < mostExamples)
                m_result.examples.push_back(std::move(*refused));
            continue;
        }
        const std::uint64_t key = taskKey(item.graph);
        m_keys.emplace(key, tasks[i].name);
        m_result.kept.push_back({first + i, tasks[i], key, item.graph.nodes.size(), item.call_ns});
    }
}

void Synthesiser::stop()
{
    if (m_running)
        end(false, {ErrorCode::Cancelled, "Stopped", {}, {}});
}

void Synthesiser::end(bool good, Error error)
{
    m_running = false;
    m_error = std::move(error);
    m_result.composed = m_looked;
    std::vector<crew::JobId> jobs = std::exchange(m_tracing, {});
    for (const auto& [first, one] : m_batches)
        if (!one->screening)
            jobs.push_back(one->job);
    m_batches.clear();
    m_crew.cancel(jobs);
    emit progress(static_cast<int>(m_result.kept.size()), m_options.count);
    emit finished(good);
}

} // namespace cudal1::synthesis
