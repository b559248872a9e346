// SPDX-License-Identifier: GPL-3.0-or-later
// Answers to the requests that judge nothing.
#include "core/judge/supervisor/machine.h"

#include "core/base/timetext.h"
#include "core/judge/supervisor/reference.h"
#include "core/judge/wire/screentask.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cudal1::judge {

using nlohmann::json;

namespace {

std::string onPath(const char* program)
{
    const char* variable = std::getenv("PATH");
    std::istringstream path(variable ? variable : "");
    for (std::string folder; std::getline(path, folder, ':');) {
        const std::string candidate = folder + "/" + program;
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return {};
}

std::string systemName()
{
    std::ifstream file("/etc/os-release");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("PRETTY_NAME=\"") && line.size() > 14)
            return line.substr(13, line.size() - 14);
    utsname names{};
    ::uname(&names);
    return std::string(names.sysname) + " " + names.release;
}

std::string hostName()
{
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

std::shared_ptr<SubjectHandle> forkHelper(Supervisor& supervisor, const TemporaryFolder& folder, const char* role,
                                          bool isolated)
{
    ZygoteHandle::Plan plan;
    plan.role = role;
    plan.isolated = isolated;
    plan.folder = folder.path();
    plan.environment = subjectEnvironment(folder.path());
    supervisor.gpuIsolation().applyTo(plan);
    return supervisor.zygote().fork(plan);
}

/// What a subject made of a task: a task that raises, hangs or crashes is an answer like another.
struct TaskReply {
    bool ok = false;
    json body;           ///< when ok
    std::string message; ///< when not
    int line = 0;        ///< in the file; 0 when unknown
};

/// `doing` is what the request does with the task: "importing it".
TaskReply askOfTask(Supervisor& supervisor, SubjectHandle& subject, const json& request, double limit_s,
                    const std::string& doing)
{
    try {
        return {true, demandBody(supervisor, subject, request, limit_s), {}, 0};
    } catch (const Refused& refused) {
        return {false, {}, refused.what(), refused.line};
    } catch (const SubjectGone& gone) {
        return {false, {}, reasonOf(gone, subject.printed()).text, 0};
    } catch (const DeadlinePassed&) {
        return {false, {}, doing + " takes more than " + base::durationText(limit_s), 0};
    } catch (const OutputFlood&) {
        return {false, {}, doing + " prints without end", 0};
    }
}

} // namespace

std::int64_t availableMemory()
{
    std::ifstream file("/proc/meminfo");
    for (std::string key; file >> key;) {
        std::int64_t kilobytes = 0;
        file >> kilobytes;
        if (key == "MemAvailable:")
            return kilobytes * 1024;
        file.ignore(256, '\n');
    }
    return 0;
}

std::vector<protocol::DeviceInfo> askDevices(Supervisor& supervisor, protocol::Environment& environment)
{
    const TemporaryFolder folder("machine");
    const bool driver = ::access("/dev/nvidiactl", F_OK) == 0;
    const GpuIsolation before = supervisor.gpuIsolation();
    std::shared_ptr<SubjectHandle> subject;
    AskDevices::Reply reply;
    for (;;) {
        subject = forkHelper(supervisor, folder, "candidate", true); // to learn what isolation works here
        try {
            reply = demand(supervisor, *subject, AskDevices{}, 60);
        } catch (const SubjectGone& gone) {
            throw RequestFailed("unavailable",
                                "The devices of this machine could not be listed: " + reasonOf(gone, {}).text);
        }
        supervisor.zygote().end(*subject);
        if (!driver || reply.devices.size() > 1)
            break;
        if (!supervisor.gpuIsolation().relax("no CUDA device is found")) {
            supervisor.gpuIsolation() = before; // nor is there one without
            break;
        }
    }
    environment.evaluator = "cudal1-evaluator " CUDAL1_VERSION;
    environment.python = supervisor.zygote().pythonVersion();
    environment.torch = supervisor.zygote().torchVersion();
    environment.cuda = reply.cuda;
    environment.host = hostName();
    environment.os = systemName();
    environment.isolation = subject->isolation;
    environment.isolationMissing = subject->isolationMissing;
    return reply.devices;
}

const protocol::DeviceInfo& requireDevice(Supervisor& supervisor, const std::string& name)
{
    std::string known;
    for (const protocol::DeviceInfo& device : supervisor.devices()) {
        if (device.name == name)
            return device;
        known += (known.empty() ? "" : ", ") + device.name;
    }
    throw RequestFailed("unavailable", "This machine has no device " + name,
                        "It has " + known + "; `cudal1 doctor` says more");
}

protocol::Machine describeMachine(Supervisor& supervisor)
{
    protocol::Machine machine;
    machine.devices = supervisor.devices();
    machine.environment = supervisor.environment();
    if (machine.devices.size() > 1)
        tryIsolation(supervisor, machine.devices[1].name, machine.environment);
    machine.nvcc = onPath("nvcc");
    if (machine.nvcc.empty() && ::access("/usr/local/cuda/bin/nvcc", X_OK) == 0)
        machine.nvcc = "/usr/local/cuda/bin/nvcc";
    machine.compiler = onPath("g++");
    if (machine.compiler.empty())
        machine.compiler = onPath("c++");
    machine.memory_bytes = availableMemory();
    std::error_code error;
    const auto space = std::filesystem::space(std::filesystem::temp_directory_path(error), error);
    machine.disk_bytes = error ? 0 : static_cast<std::int64_t>(space.available);

    const auto miss = [&](const char* code, const char* what, const char* remedy) {
        machine.missing.push_back({code, what, remedy});
    };
    if (machine.devices.size() < 2)
        miss("no_gpu", "No CUDA device: variants are judged on the CPU, and generated CUDA is not run.",
             "On a machine with an NVIDIA GPU, install its driver (580 or later for CUDA 13).");
    if (machine.nvcc.empty())
        miss("no_nvcc", "No nvcc: candidates that use torch.utils.cpp_extension.load_inline with CUDA do not build.",
             "Install the CUDA Toolkit 13; everything else works without it.");
    if (machine.compiler.empty())
        miss("no_compiler", "No C++ compiler: torch.compile does not work on the CPU.", "apt install g++");
    for (const std::string& what : machine.environment.isolationMissing)
        miss("isolation", ("Candidates run without: " + what).c_str(),
             "Allow user namespaces, or run as root in a container that may make namespaces (docker run --security-opt "
             "seccomp=unconfined).");
    return machine;
}

protocol::Inspection inspectTasks(Supervisor& supervisor, const protocol::InspectRequest& request)
{
    protocol::Inspection inspection;
    for (const protocol::TaskSource& task : request.tasks) {
        const TemporaryFolder folder("inspect");
        const auto subject = forkHelper(supervisor, folder, "witness",
                                        true); // a stranger's file, until it has been looked at
        const TaskReply reply = askOfTask(supervisor, *subject, bodyOf(InspectTask{task.source}), 60, "importing it");
        supervisor.zygote().end(*subject);
        inspection.items.push_back({task.name, reply.ok, reply.message, reply.line});
        supervisor.progress({"inspect",
                             static_cast<double>(inspection.items.size()) / static_cast<double>(request.tasks.size()),
                             task.name});
    }
    return inspection;
}

protocol::Facts deriveFacts(Supervisor& supervisor, const protocol::FactsRequest& request)
{
    protocol::Facts facts;
    const TemporaryFolder folder("facts");
    // One process for task after task, since a first one imports for a second; a new one after a task that failed.
    std::shared_ptr<SubjectHandle> subject;
    for (const protocol::TaskSource& task : request.tasks) {
        supervisor.progress(
            {"facts", static_cast<double>(facts.items.size()) / static_cast<double>(request.tasks.size()), task.name});
        if (!subject)
            subject = forkHelper(supervisor, folder, "witness", true);
        TaskReply reply = askOfTask(supervisor, *subject, bodyOf(DeriveFacts{task.source}), request.limit_s,
                                    "running it on shapes");
        facts.items.push_back(
            {task.name, reply.ok ? std::move(reply.body.at("facts")) : json(), reply.message, reply.line});
        if (!reply.ok) {
            supervisor.zygote().end(*subject);
            subject.reset();
        }
    }
    if (subject)
        supervisor.zygote().end(*subject);
    return facts;
}

protocol::Screening screenTasks(Supervisor& supervisor, const protocol::ScreenRequest& request)
{
    protocol::Screening out;
    const TemporaryFolder folder("screen");
    // One process for task after task, as for facts.
    std::shared_ptr<SubjectHandle> subject;
    for (const protocol::TaskSource& task : request.tasks) {
        supervisor.progress(
            {"screen", static_cast<double>(out.items.size()) / static_cast<double>(request.tasks.size()), task.name});
        if (!subject)
            subject = forkHelper(supervisor, folder, "witness", true);
        const ScreenTask question{task.source, request.seed, request.trials, protocol::OperatorGraph::maxNodes};
        const TaskReply reply = askOfTask(supervisor, *subject, bodyOf(question), request.limit_s, "running it");
        protocol::Screening::Item item;
        item.name = task.name;
        if (reply.ok) {
            const auto found = reply.body.get<ScreenTask::Reply>();
            item.graph = found.graph.get<protocol::OperatorGraph>();
            item.trials = found.trials;
            item.nulls = found.nullsLeft;
            item.finite = found.finite;
            item.call_ns = found.call_ns;
        } else {
            item.message = reply.message.empty() ? "it does not run" : reply.message;
            item.line = reply.line;
            supervisor.zygote().end(*subject);
            subject.reset();
        }
        out.items.push_back(std::move(item));
    }
    if (subject)
        supervisor.zygote().end(*subject);
    return out;
}

json traceTask(Supervisor& supervisor, const protocol::GraphRequest& request)
{
    if (request.device != "meta")
        requireDevice(supervisor, request.device);
    const TemporaryFolder folder("trace");
    const auto subject = forkHelper(supervisor, folder, "witness", false);
    supervisor.progress({"trace", 0, "tracing " + request.task.name});
    try {
        TraceTask::Reply reply = demand(supervisor, *subject,
                                        TraceTask{request.task.source, request.device,
                                                  std::string(protocol::toString(request.precision)), request.seed,
                                                  protocol::OperatorGraph::maxNodes},
                                        900);
        supervisor.zygote().end(*subject);
        return std::move(reply.graph);
    } catch (const Refused& refused) {
        supervisor.zygote().end(*subject);
        throw RequestFailed("unreadable",
                            "The reference of " + request.task.name + " cannot be traced: " + refused.what() +
                                (refused.line ? " (line " + std::to_string(refused.line) + ")" : ""),
                            refused.evidence);
    } catch (const SubjectGone& gone) {
        throw RequestFailed("process_failed",
                            "The reference of " + request.task.name + " cannot be traced: " + reasonOf(gone, {}).text,
                            subject->printed());
    } catch (const DeadlinePassed&) {
        supervisor.zygote().end(*subject);
        throw RequestFailed("timed_out",
                            "Tracing the reference of " + request.task.name + " takes more than 15 minutes");
    }
}

} // namespace cudal1::judge
