// SPDX-License-Identifier: GPL-3.0-or-later
// Questions to a local model's process: requests, limits, what they take.
#include "core/models/modelprocess.h"

#include "core/farm/lineprocess.h"
#include "core/protocol/messages.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

protocol::DrawSettings drawn(const policy::SamplingSettings& settings, int first)
{
    protocol::DrawSettings out{settings.temperature, settings.topP, settings.topK, settings.minP,
                               settings.maxTokens,   settings.seed, settings.stop};
    if (out.seed)
        *out.seed += std::uint64_t(first);
    return out;
}

} // namespace

QByteArray ModelProcess::lineOf(std::string_view type, std::uint64_t id, const json& payload)
{
    return QByteArray::fromStdString(protocol::line(type, id, payload));
}

ModelProcess::~ModelProcess()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->shutDown(lineOf("quit", 0, json::object()));
}

std::shared_ptr<ModelProcess> ModelProcess::of(const LocalSettings& settings, const farm::Launcher& launcher)
{
    thread_local std::map<QStringList, std::weak_ptr<ModelProcess>> known;
    const QStringList arguments = serveArguments(settings);
    std::erase_if(known, [](const auto& one) { return one.second.expired(); });
    std::weak_ptr<ModelProcess>& place = known[launcher.words() + arguments];
    auto out = place.lock();
    if (!out) {
        out.reset(new ModelProcess(settings.name, arguments, deviceUnit(settings), launcher),
                  [](ModelProcess* process) {
                      if (process->m_telling == 0)
                          delete process;
                      else
                          process->deleteLater();
                  });
        place = out;
    }
    return out;
}

Error ModelProcess::error(ErrorCode code, const std::string& what, const std::string& hint) const
{
    return {code, "The process of the model " + m_name + " " + what,
            m_process && !m_process->lastWords().empty() ? m_process->lastWords() : m_launcher.text().toStdString(),
            hint};
}

// ---- questions -----------------------------------------------------------------------------------------------------

void ModelProcess::add(std::shared_ptr<LocalQuestion> question)
{
    const int replies = question->request.replies;
    addJob(std::move(question), 0, std::size_t(std::max(0, replies)));
}

void ModelProcess::addJob(std::shared_ptr<LocalQuestion> question, int first, std::size_t replies)
{
    if (replies == 0)
        return;
    Job& job = m_jobs[++m_lastId];
    job.question = std::move(question);
    job.first = first;
    job.replies.resize(replies);
    job.left = replies;
    pumpLater();
}

void ModelProcess::takeBack(LocalQuestion& question)
{
    question.live = false;
    for (auto it = m_jobs.begin(); it != m_jobs.end();) {
        const auto here = it++;
        if (here->second.question.get() == &question)
            cancel(here->first);
    }
}

void ModelProcess::takeBackAll(const void* owner)
{
    for (auto it = m_jobs.begin(); it != m_jobs.end();) {
        const auto here = it++;
        if (here->second.question->owner != owner)
            continue;
        here->second.question->live = false;
        cancel(here->first);
    }
}

/// Forgets the job; late messages of it belong to nobody.
void ModelProcess::cancel(std::uint64_t id)
{
    work();
    const auto job = m_jobs.extract(id);
    if (!job.mapped().sent)
        return;
    countBroken(job.mapped());
    m_atWork -= job.mapped().left;
    if (m_state == State::Ready)
        m_process->write(lineOf("cancel", id, json::object()));
}

void ModelProcess::pumpLater()
{
    if (!std::exchange(m_pumping, true))
        QMetaObject::invokeMethod(
            this, [this] { pump(); }, Qt::QueuedConnection);
}

void ModelProcess::pump()
{
    m_pumping = false;
    std::vector<std::uint64_t> waiting;
    for (const auto& [id, job] : m_jobs)
        if (!job.sent)
            waiting.push_back(id);
    for (const std::uint64_t id : waiting) { // a listener may take questions back or ask more
        const auto found = m_jobs.find(id);
        if (found == m_jobs.end())
            continue;
        for (const auto& ledger : found->second.question->ledgers)
            if (const auto may = ledger->mayAsk(); !may) {
                failJob(std::move(m_jobs.extract(found).mapped()), may.error());
                break;
            }
    }
    const bool any = std::any_of(m_jobs.begin(), m_jobs.end(), [](const auto& one) { return !one.second.sent; });
    if (any && m_state == State::Idle)
        return start();
    if (m_state == State::Ready)
        for (auto& [id, job] : m_jobs)
            if (!job.sent)
                send(id, job);
}

void ModelProcess::send(std::uint64_t id, Job& job)
{
    const policy::ChatRequest& request = job.question->request;
    protocol::GenerateRequest out;
    for (const policy::ChatMessage& message : request.messages)
        out.messages.push_back({message.role, message.content});
    out.settings = drawn(request.settings, job.first);
    out.replies = int(job.replies.size());
    out.partials = bool(job.question->listener.partial);
    out.logprobs = request.logProbabilities;
    work();
    job.sent = true;
    job.begun = m_work;
    m_atWork += job.left;
    std::optional<double> left;
    for (const auto& ledger : job.question->ledgers) {
        ledger->asked(job.question->again);
        if (const auto seconds = ledger->secondsLeft())
            left = std::min(*seconds, left.value_or(*seconds));
    }
    m_process->write(lineOf("generate", id, out));
    if (left)
        QTimer::singleShot(std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(*left)), this,
                           [this] { checkTime(); });
}

/// Ends what is on its way where the time of a run is over.
void ModelProcess::checkTime()
{
    std::vector<std::uint64_t> ids;
    for (const auto& [id, job] : m_jobs)
        if (job.sent)
            ids.push_back(id);
    for (const std::uint64_t id : ids) {
        const auto found = m_jobs.find(id);
        if (found == m_jobs.end())
            continue;
        for (const auto& ledger : found->second.question->ledgers)
            if (const auto left = ledger->secondsLeft(); left && *left <= 0) {
                Job job = found->second;
                cancel(id);
                job.sent = false; // its parts are counted
                failJob(std::move(job), ledger->mayAsk().error());
                break;
            }
    }
}

// ---- what it takes -------------------------------------------------------------------------------------------------

void ModelProcess::work()
{
    const double passed = double(m_clock.nsecsElapsed()) / 1e9;
    m_clock.start();
    if (m_atWork > 0)
        m_work += passed / double(m_atWork);
}

/// What was written of replies that will not come to their end.
void ModelProcess::countBroken(Job& job)
{
    for (const Job::Reply& reply : job.replies) {
        policy::Usage usage;
        if (!reply.told && reply.bytes > 0)
            count(job, reply, usage, false);
    }
}

/// Into the ledgers, and its cost into `usage`. The prompt was read once for all replies.
void ModelProcess::count(Job& job, const Job::Reply& reply, policy::Usage& usage, bool whole)
{
    usage.cost = std::max(0.0, m_work - job.begun);
    usage.costUnit = m_unit;
    policy::Usage counted = usage;
    std::int64_t promptBytes = 0;
    for (const policy::ChatMessage& message : job.question->request.messages)
        promptBytes += std::int64_t(message.content.size());
    if (std::exchange(job.promptCounted, true)) {
        counted.promptTokens = 0;
        promptBytes = 0;
    }
    for (const auto& ledger : job.question->ledgers)
        ledger->answered(counted, std::nullopt, promptBytes, reply.bytes, whole);
}

} // namespace cudal1::models
