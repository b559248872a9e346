// SPDX-License-Identifier: GPL-3.0-or-later
// Forks a candidate's process.
#include "core/judge/supervisor/candidateprocess.h"

#include "core/judge/sandbox/timingcore.h"
#include "core/judge/supervisor/buildlane.h"
#include "core/judge/supervisor/machine.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/supervisor/supervisor.h"

#include <algorithm>

namespace cudal1::judge {

namespace {

/// Empty when the process has its arena.
std::string openArena(Supervisor& supervisor, SubjectHandle& subject, const OpenArena& request)
{
    constexpr double limit_s = 60; // starting CUDA, on a busy machine
    try {
        demand(supervisor, subject, request, limit_s);
        return {};
    } catch (const Refused& refused) {
        if (refused.code == "out_of_memory")
            throw;
        return refused.what() + (refused.evidence.empty() ? "" : " (" + refused.evidence + ")");
    } catch (const SubjectGone& gone) {
        return reasonOf(gone, {}).text;
    } catch (const DeadlinePassed&) {
        return "CUDA did not start in a minute";
    }
}

} // namespace

void GpuIsolation::applyTo(ZygoteHandle::Plan& plan) const
{
    plan.sharedProcesses = sharedProcesses;
    plan.machineDevices = machineDevices;
    plan.machineFiles = machineFiles;
}

bool GpuIsolation::relax(const std::string& why)
{
    std::string& next = sharedProcesses.empty() ? sharedProcesses
                      : machineDevices.empty()  ? machineDevices
                                                : machineFiles;
    if (!next.empty())
        return false;
    next = "CUDA does not work with it here: " + why;
    return true;
}

std::shared_ptr<SubjectHandle> forkCandidate(Supervisor& supervisor, ZygoteHandle::Plan plan, const std::string& device,
                                             const ArenaLayout& layout)
{
    if (device == "cpu")
        return supervisor.zygote().fork(plan);
    const OpenArena request = arenaRequest(device, layout);
    const GpuIsolation before = supervisor.gpuIsolation();
    for (;;) {
        supervisor.gpuIsolation().applyTo(plan);
        auto subject = supervisor.zygote().fork(plan);
        std::string why;
        try {
            why = openArena(supervisor, *subject, request);
        } catch (...) {
            supervisor.zygote().end(*subject);
            throw;
        }
        if (why.empty())
            return subject;
        supervisor.zygote().end(*subject);
        if (!supervisor.gpuIsolation().relax(why)) {
            supervisor.gpuIsolation() = before; // isolation was not the cause
            throw RequestFailed("unavailable", "CUDA does not work in a candidate's process: " + why,
                                "`cudal1 doctor` says more");
        }
    }
}

OpenArena arenaRequest(const std::string& device, const ArenaLayout& layout)
{
    return {device, layout.handle, layout.kernels, layout.bytes};
}

std::vector<std::string> slowImports(const std::string& source)
{
    std::vector<std::string> modules;
    const auto mentions = [&](const char* word) { return source.find(word) != std::string::npos; };
    if (mentions("triton") || mentions("torch.compile")) // which writes kernels in it
        modules.push_back("triton");
    if (BuildLane::wanted(source) || mentions("_compile_kernel")) // which looks for its headers there
        modules.push_back("torch.utils.cpp_extension");
    if (mentions("torch.compile"))
        modules.push_back("torch._inductor.compile_fx");
    return modules;
}

ZygoteHandle::Plan candidatePlan(Supervisor& supervisor, const ReferenceSession& reference, const std::string& source,
                                 const std::string& folder)
{
    ZygoteHandle::Plan plan;
    plan.role = "candidate";
    plan.isolated = true;
    plan.folder = folder;
    plan.environment = subjectEnvironment(folder);
    if (!supervisor.device(reference.device()).capability.empty())
        plan.environment["TORCH_CUDA_ARCH_LIST"] =
            supervisor.device(reference.device()).capability; // as it was built ahead
    plan.modules = slowImports(source);
    if (std::any_of(plan.modules.begin(), plan.modules.end(),
                    [](const std::string& name) { return name.starts_with("torch._inductor"); }))
        plan.environment.erase(
            "TORCHINDUCTOR_COMPILE_THREADS"); // imported without a pool; autotuning compiles its choices in threads
    if (reference.device() == "cpu" && source.find("torch.compile") != std::string::npos)
        plan.modules.push_back("torch._inductor.cpu_vec_isa"); // a graph for a GPU asks for none of it
    plan.memoryFile = reference.memoryFile();
    if (reference.device() != "cpu" && timingCores().size() > 1)
        plan.cores = SubjectCores::NotOfTiming; // its compilers would disturb another GPU's evaluator
    if (reference.device() == "cpu")
        plan.environment["CUDA_VISIBLE_DEVICES"] = ""; // its calls are the CPU's
    if (reference.device() == "cpu")
        plan.memoryLimit = static_cast<std::uint64_t>(availableMemory()) / 10 * 8;
    return plan;
}

std::shared_ptr<SubjectHandle> forkCandidate(Supervisor& supervisor, const ReferenceSession& reference,
                                             const std::string& source, const std::string& folder)
{
    supervisor.next().awaitRetired(folder);
    if (auto subject = supervisor.next().take(folder))
        return subject;
    return forkCandidate(supervisor, candidatePlan(supervisor, reference, source, folder), reference.device(),
                         reference.layout());
}

LoadModule loadRequest(const ReferenceSession& reference, const std::string& source)
{
    return {source, reference.device(), std::string(protocol::toString(reference.precision())), reference.initSeed(),
            reference.layout()};
}

void tryIsolation(Supervisor& supervisor, const std::string& device, protocol::Environment& environment)
{
    const TemporaryFolder folder("isolation");
    ZygoteHandle::Plan plan;
    plan.folder = folder.path();
    plan.environment = subjectEnvironment(folder.path());
    plan.role = "witness";
    const auto owner = supervisor.zygote().fork(plan);
    plan.role = "candidate";
    plan.isolated = true;
    try {
        const OfferArena::Reply offered = demand(supervisor, *owner, OfferArena{device, 1 << 20}, 60);
        ArenaLayout layout;
        layout.bytes = offered.bytes;
        layout.handle = offered.handle;
        layout.kernels = offered.kernels;
        const auto candidate = forkCandidate(supervisor, plan, device, layout);
        environment.isolation = candidate->isolation;
        environment.isolationMissing = candidate->isolationMissing;
        supervisor.zygote().end(*candidate);
    } catch (const std::exception& error) {
        environment.isolationMissing.push_back("CUDA in a candidate's process: " + std::string(error.what()));
    } catch (const SubjectGone& gone) {
        environment.isolationMissing.push_back("CUDA in a process of the judge: " + reasonOf(gone, {}).text);
    } catch (const DeadlinePassed&) {
        environment.isolationMissing.push_back("CUDA in a process of the judge: it did not start in a minute");
    }
    supervisor.zygote().end(*owner);
}

} // namespace cudal1::judge
