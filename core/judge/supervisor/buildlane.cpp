// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles candidates that wait for the GPU.
#include "core/judge/supervisor/buildlane.h"

#include "core/judge/supervisor/candidateprocess.h"
#include "core/judge/supervisor/machine.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/wire/steadyclock.h"
#include "core/judge/wire/wire.h"

#include <algorithm>
#include <thread>

namespace cudal1::judge {

using nlohmann::json;

BuildLane::BuildLane(ZygoteHandle& zygote, CandidateFolders& folders) : m_zygote(zygote), m_folders(folders)
{
    // Each has two compilers at work, of a gigabyte or two, one of which ends in half of the time: one and a half
    // cores. Two cores stay with timing and the supervisor.
    constexpr std::int64_t perBuild_bytes = std::int64_t(4) << 30;
    const std::int64_t cores = std::thread::hardware_concurrency();
    m_most = static_cast<std::size_t>(
        std::clamp<std::int64_t>(std::min((cores - 2) * 2 / 3, availableMemory() / perBuild_bytes), 1, 32));
}

bool BuildLane::wanted(const std::string& source)
{
    return source.find("cpp_extension") != std::string::npos || source.find("load_inline") != std::string::npos;
}

bool BuildLane::building(const std::string& source) const
{
    return std::any_of(m_builds.begin(), m_builds.end(), [&](const Build& build) { return build.source == source; });
}

void BuildLane::start(const std::string& source, const std::string& capability, const std::string& task, double limit_s)
{
    ZygoteHandle::Plan plan;
    plan.role = "candidate";
    plan.isolated = true;
    plan.folder = m_folders.use(source);
    plan.environment = subjectEnvironment(plan.folder);
    plan.environment["TORCH_CUDA_ARCH_LIST"] = capability;
    plan.environment["CUDA_VISIBLE_DEVICES"] = "";
    plan.environment["MAX_JOBS"] = "2";
    plan.modules = slowImports(source);
    plan.cores = SubjectCores::Background;
    Build build{source, m_zygote.fork(plan), secondsNow() + limit_s};
    json request = bodyOf(BuildAhead{source, task});
    request["nonce"] = build.subject->nextNonce();
    sendMessage(build.subject->socket(), request);
    m_builds.push_back(std::move(build));
}

void BuildLane::addTo(std::vector<pollfd>& sources) const
{
    for (const Build& build : m_builds) {
        sources.push_back({build.subject->socket(), POLLIN, 0});
        sources.push_back({build.subject->output(), POLLIN, 0});
    }
}

void BuildLane::tend()
{
    for (auto build = m_builds.begin(); build != m_builds.end();) {
        const auto next = std::next(build);
        bool over = secondsNow() > build->deadline_s, complete = false;
        try {
            build->subject->drain();
            pollfd socket{build->subject->socket(), POLLIN, 0};
            if (::poll(&socket, 1, 0) > 0) {
                receiveMessage(build->subject->socket());
                over = complete = true;
            }
        } catch (const OutputFlood&) {
            over = true;
        } catch (const WireClosed&) {
            over = true;
        }
        if (over)
            finish(build, complete);
        build = next;
    }
}

void BuildLane::finish(std::list<Build>::iterator build, bool complete)
{
    m_zygote.end(*build->subject);
    if (!complete)
        m_folders.forget(build->source); // a lock or half an object file may lie there
    m_folders.use(build->source);
    m_folders.setBuilt(build->source);
    m_builds.erase(build);
}

void BuildLane::cancelAll()
{
    while (!m_builds.empty())
        finish(m_builds.begin(), false);
}

} // namespace cudal1::judge
