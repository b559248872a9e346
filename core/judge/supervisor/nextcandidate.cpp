// SPDX-License-Identifier: GPL-3.0-or-later
// The process of the next candidate, and the end of the last.
#include "core/judge/supervisor/nextcandidate.h"

#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/supervisor/supervisor.h"
#include "core/judge/wire/wire.h"

#include <poll.h>

namespace cudal1::judge {

using nlohmann::json;

void NextCandidate::start(const ReferenceSession& reference, const std::string& source, const std::string& folder)
{
    if (reference.device() == "cpu" || (m_subject && m_folder == folder))
        return;
    drop();
    ZygoteHandle::Plan plan = candidatePlan(m_supervisor, reference, source, folder);
    m_supervisor.gpuIsolation().applyTo(plan);
    m_subject = m_supervisor.zygote().beginFork(plan);
    m_folder = folder;
    try {
        m_nonce = m_supervisor.begin(*m_subject, bodyOf(arenaRequest(reference.device(), reference.layout())));
    } catch (const SubjectGone&) {
        drop();
    }
}

bool NextCandidate::awaitArena()
{
    constexpr int limit_ms = 60'000; // starting CUDA, on a busy machine
    if (m_nonce == 0)
        return true;
    pollfd source{m_subject->socket(), POLLIN, 0};
    try {
        m_supervisor.zygote().finishFork(*m_subject);
        if (::poll(&source, 1, limit_ms) <= 0)
            return false;
        const json reply = receiveMessage(m_subject->socket());
        const bool opened = reply.value("nonce", std::uint64_t{0}) == m_nonce && reply.value("ok", false);
        m_nonce = 0;
        return opened;
    } catch (const std::exception&) { // the process is gone, or sent something else
        return false;
    }
}

std::shared_ptr<SubjectHandle> NextCandidate::take(const std::string& folder)
{
    if (!m_subject || m_folder != folder)
        return nullptr;
    if (!awaitArena()) {
        drop(); // what went wrong shows again, and is dealt with, when the process is started in its turn
        return nullptr;
    }
    return std::exchange(m_subject, nullptr);
}

void NextCandidate::drop()
{
    m_nonce = 0;
    if (const auto subject = std::exchange(m_subject, nullptr))
        m_supervisor.endQuietly(*subject);
}

void NextCandidate::forget() noexcept
{
    m_nonce = 0;
    m_subject.reset();
    m_retired.reset();
}

void NextCandidate::retire(std::shared_ptr<SubjectHandle> subject, const std::string& folder)
{
    awaitRetired();
    subject->kill();
    m_retired = std::move(subject);
    m_retiredFolder = folder;
}

void NextCandidate::awaitRetired(const std::string& folder)
{
    if (m_retired && (folder.empty() || folder == m_retiredFolder))
        m_supervisor.endQuietly(*std::exchange(m_retired, nullptr));
}

void NextCandidate::settle()
{
    awaitRetired();
    if (m_subject && !awaitArena())
        drop();
}

} // namespace cudal1::judge
